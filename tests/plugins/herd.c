/* SPDX-License-Identifier: Apache-2.0 */
/* herd - a plugin whose resources can be listed: animals, each a file in the folder that HERD names,
 * with its colour and a secret in it. Names are written in any case. A bull does not go; while there
 * is a file '.broken' nothing can be listed; each listing adds a line to '.asked'. Statues are
 * animals that can't be removed. */
#include <rhost/provider.h>

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9 _-]+\\z/]",
      .desc = "What it is called.",
      .behaviour = RHOST_NAMEVAR },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .desc = "Whether it should be there.",
      .default_value = "\"present\"" },
    { .name = "colour", .type = "Optional[String]", .desc = "How it looks." },
    { .name = "secret", .type = "Optional[Sensitive[String]]", .desc = "What it would not tell." },
    { .name = "legs", .type = "Optional[Integer]", .desc = "How many it has.", .behaviour = RHOST_READ_ONLY },
    { .name = "gently",
      .type = "Optional[Boolean]",
      .desc = "Whether to be kind to it.",
      .behaviour = RHOST_PARAMETER },
};

static void
path_of(char *path, const char *name)
{
    const char *folder = getenv("HERD");

    (void)snprintf(path, PATH_MAX, "%s/%s", folder ? folder : ".", name);
}

static int32_t
herd_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");
    char lower[200];
    size_t i;

    (void)ctx;
    for (i = 0; name && name[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[name ? i : 0] = '\0';
    if (name && strcmp(name, lower) != 0)
        rhost_put_str(resource, "name", lower);
    return 0;
}

static int32_t
emit_one(rhost_ctx *ctx, const char *name)
{
    rhost_value *animal = ctx->host->new_hash(ctx);
    char path[PATH_MAX], text[4096], *line;
    FILE *f;
    size_t n;

    path_of(path, name);
    f = fopen(path, "re");
    if (!f)
        return rhost_fail_errno(ctx, "cannot open '%s'", path);
    n = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[n] = '\0';
    line = strchr(text, '\n');
    rhost_put_str(animal, "name", name);
    if (line)
        *line = '\0';
    rhost_put_str(animal, "colour", text);
    if (line && line[1]) {
        line[1 + strcspn(line + 1, "\n")] = '\0';
        rhost_put_str(animal, "secret", line + 1);
    }
    rhost_put_int(animal, "legs", 4);
    return ctx->host->emit(ctx, animal);
}

static void
note_asked(void)
{
    char path[PATH_MAX];
    FILE *f;

    path_of(path, ".asked");
    f = fopen(path, "ae");
    if (f) {
        (void)fputs("get\n", f);
        (void)fclose(f);
    }
}

static int32_t
herd_get(rhost_ctx *ctx, const rhost_value *names)
{
    char path[PATH_MAX];
    const struct dirent *e;
    int32_t rc = 0;
    DIR *d;

    (void)names;
    note_asked();
    path_of(path, ".broken");
    if (access(path, F_OK) == 0)
        return rhost_fail(ctx, "the fence is broken");
    path_of(path, "");
    d = opendir(path);
    if (!d)
        return rhost_fail_errno(ctx, "cannot open '%s'", path);
    while (rc == 0 && (e = readdir(d)))
        if (e->d_name[0] != '.')
            rc = emit_one(ctx, e->d_name);
    (void)closedir(d);
    return rc;
}

static int32_t
herd_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    char path[PATH_MAX];
    FILE *f;

    path_of(path, rhost_str(change->name, "name"));
    f = fopen(path, "we");
    if (!f)
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
    (void)fprintf(f, "%s\n%s\n",
                  rhost_str_or(change->should, "colour", rhost_str_or(change->is, "colour", "")),
                  rhost_str_or(change->should, "secret", rhost_str_or(change->is, "secret", "")));
    return fclose(f) == 0 ? 0 : rhost_fail_errno(ctx, "cannot write '%s'", path);
}

static int32_t
herd_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    char path[PATH_MAX];

    if (strncmp(name, "bull", 4) == 0)
        return rhost_fail(ctx, "a bull does not go");
    path_of(path, name);
    return unlink(path) == 0 ? 0 : rhost_fail_errno(ctx, "cannot remove '%s'", path);
}

static const struct rhost_provider animal = {
    RHOST_PROVIDER("animal", "Keeps animals."),
    RHOST_ATTRS(attrs),
    .canonicalize = herd_canonicalize,
    .get = herd_get,
    .create = herd_write,
    .update = herd_write,
    .remove = herd_remove,
};

static const struct rhost_provider statue = {
    RHOST_PROVIDER("statue", "Keeps statues."),
    RHOST_ATTRS(attrs),
    .canonicalize = herd_canonicalize,
    .get = herd_get,
    .create = herd_write,
    .update = herd_write,
};

RHOST_PLUGIN(herd, "1.0", &animal, &statue)
