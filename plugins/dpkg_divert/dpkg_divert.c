/* SPDX-License-Identifier: Apache-2.0 */
/* dpkg_divert - keep files of packages out of the way of others, by dpkg-divert of Debian. */

#include "database.h"

#include <rhost/dry-run.h>
#include <rhost/exec.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#define ADMIN_DIR "/var/lib/dpkg"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The path that packages have a file for." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the file of packages is diverted." },
    { .name = "divert_to",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Where the file of packages goes; without it, the path with '.distrib' behind it." },
    { .name = "holder",
      .type = "Optional[Pattern[/\\A(" LOCAL "|[a-z0-9][a-z0-9+.-]+)\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The package whose own file is not diverted; " LOCAL ", as without it: none." },
    { .name = "rename",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a file that is there is moved, and moved back when the diversion goes." },
    { .name = "admin_dir",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" ADMIN_DIR "\"",
      .desc = "The directory of dpkg's database." },
};

static const char *const relations[] = { "autobefore file[$path]", "autobefore link[$path]", NULL };

static int32_t
divert_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const keys[] = { "path", "divert_to", "admin_dir" };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        rhost_tidy_path(ctx, resource, keys[i]);
    return 0;
}

static const char *
target_of(rhost_ctx *ctx, const rhost_value *should, const char *path)
{
    const char *to = rhost_str(should, "divert_to");

    return to ? to : rhost_fmt(ctx, "%s.distrib", path);
}

static int32_t
divert_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *path = rhost_str(resource, "path"), *to = rhost_str(resource, "divert_to");

    if (strchr(path, '\n') || (to && strchr(to, '\n')))
        return rhost_fail(ctx, "the database of dpkg can have no path with a newline");
    if (to && strcmp(to, path) == 0)
        return rhost_fail_attr(ctx, "divert_to", "it is the path itself");
    return 0;
}

static void
report(const struct diversion *d, rhost_value *current)
{
    rhost_put_str(current, "divert_to", d->to);
    rhost_put_str(current, "holder", d->holder);
}

/* Whether both are there, and are not one file. */
static int
both_exist(rhost_ctx *ctx, const char *path, const char *to)
{
    struct stat a, b;

    return rhost_path_stat(ctx, path, 0, &a) == 0 && rhost_path_stat(ctx, to, 0, &b) == 0
           && (a.st_dev != b.st_dev || a.st_ino != b.st_ino);
}

static int32_t
fail_both(rhost_ctx *ctx, const char *path, const char *to)
{
    return rhost_fail(ctx,
                      "'%s' and '%s' are both there, and none replaces the other: remove one, or 'rename: "
                      "false' leaves them",
                      path, to);
}

/* Under noop: what dpkg-divert would refuse. */
static int32_t
foresee(rhost_ctx *ctx, const rhost_value *should, const char *path, const struct diversion *all, size_t n)
{
    const char *to = target_of(ctx, should, path);
    struct stat st;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].to, to) == 0 || strcmp(all[i].path, to) == 0 || strcmp(all[i].to, path) == 0)
            return rhost_fail(ctx, "'%s' is diverted to '%s' already", all[i].path, all[i].to);
    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0 && S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' is a directory, which cannot be diverted", path);
    return rhost_bool(should, "rename", 1) && both_exist(ctx, path, to) ? fail_both(ctx, path, to) : 0;
}

static int32_t
divert_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    const struct diversion *d;
    struct diversion *all;
    size_t n;

    if (database_read(ctx, rhost_str_or(should, "admin_dir", ADMIN_DIR), &all, &n) < 0)
        return -1;
    d = database_find(all, n, path);
    if (!d)
        return foresee(ctx, should, path, all, n) < 0 ? -1 : RHOST_ABSENT;
    report(d, current);
    return 0;
}

/* Only for lists: load() reads the resources of a manifest. */
static int32_t
divert_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct diversion *all;
    size_t n;

    (void)names;
    if (database_read(ctx, ADMIN_DIR, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "path", all[i].path);
        rhost_put_str(one, "ensure", "present");
        report(&all[i], one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* What dpkg-divert says, as one line without its name. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    static const char prefix[] = "dpkg-divert: error: ";
    const char *text = output->err && *output->err ? output->err : output->out;
    const char *error = text ? strstr(text, prefix) : NULL;
    size_t len;
    char *line;

    if (!text || !*text)
        return "it gives no reason";
    if (error)
        text = error + sizeof prefix - 1;
    len = strlen(text);
    if (strstr(text, "\n\n"))
        len = (size_t)(strstr(text, "\n\n") - text);
    while (len && text[len - 1] == '\n')
        len--;
    line = rhost_copy(ctx, text, len);
    for (char *p = line; (p = strchr(p, '\n'));) {
        size_t blanks = strspn(p + 1, " ");

        *p = ' ';
        memmove(p + 1, p + 1 + blanks, strlen(p + 1 + blanks) + 1);
    }
    return line;
}

/* dpkg-divert renames what is at the paths, and follows links on the way there. */
static int32_t
check_trusted(rhost_ctx *ctx, const char *const *paths)
{
    for (; *paths; paths++)
        if (rhost_path_trusted(ctx, *paths) < 0 && errno != ENOENT)
            return rhost_fail_path(ctx, "cannot change '%s'", *paths);
    return 0;
}

static int32_t
divert(rhost_ctx *ctx, const rhost_value *wanted, const char *word, const struct diversion *d)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    const char *admin_dir = rhost_str_or(wanted, "admin_dir", ADMIN_DIR), *argv[16];
    const char *const paths[] = { d->path, d->to, admin_dir, NULL };
    struct rhost_command command = { .struct_size = sizeof command, .argv = argv, .env = env };
    int rename = rhost_bool(wanted, "rename", 1);
    struct rhost_output output;
    size_t n = 0;

    if (check_trusted(ctx, paths) < 0)
        return -1;
    if (rename && both_exist(ctx, d->path, d->to))
        return fail_both(ctx, d->path, d->to);
    argv[n++] = "dpkg-divert";
    argv[n++] = "--quiet";
    argv[n++] = "--admindir";
    argv[n++] = admin_dir;
    argv[n++] = rename ? "--rename" : "--no-rename";
    argv[n++] = "--divert";
    argv[n++] = d->to;
    if (strcmp(d->holder, LOCAL) == 0) {
        argv[n++] = "--local";
    } else {
        argv[n++] = "--package";
        argv[n++] = d->holder;
    }
    argv[n++] = word;
    argv[n++] = d->path;
    argv[n] = NULL;
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    return output.status == 0 ? 0 : rhost_fail(ctx, "dpkg-divert failed: %s", complaint(ctx, &output));
}

static int32_t
divert_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    struct diversion d = { .path = path,
                           .to = target_of(ctx, change->should, path),
                           .holder = rhost_str_or(change->should, "holder", LOCAL) };

    return divert(ctx, change->should, "--add", &d);
}

static int32_t
divert_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = change->should ? change->should : change->is;
    const struct diversion *d;
    struct diversion *all;
    size_t n;

    if (database_read(ctx, rhost_str_or(wanted, "admin_dir", ADMIN_DIR), &all, &n) < 0)
        return -1;
    d = database_find(all, n, rhost_str(change->name, "path"));
    return d ? divert(ctx, wanted, "--remove", d) : 0;
}

static const char *const needs[] = { "write[$admin_dir/]", "write[$path]", "write[$divert_to]",
                                     "run[dpkg-divert]", NULL };

static const struct rhost_provider dpkg_divert_provider = {
    RHOST_PROVIDER("dpkg_divert", "Keep files of packages out of the way of others."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .canonicalize = divert_canonicalize,
    .load = divert_load,
    .get = divert_get,
    .validate = divert_validate,
    .create = divert_create,
    .remove = divert_remove,
    .needs = needs,
};

RHOST_PLUGIN(dpkg_divert, "1.0", &dpkg_divert_provider)
