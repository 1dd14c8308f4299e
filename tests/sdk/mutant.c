/* SPDX-License-Identifier: Apache-2.0 */
/* mutant - a good provider of small files of settings; with -DMUTATION=n one that has one fault, which
 * tests/sdk/mutants.bats has rhost check find. MUTANT_STORE is a pattern of the files that it lists. */

#include <rhost/provider.h>

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MUTATION
#define MUTATION 0
#endif

/* The preprocessor asks as well. */
#define FORGETS_ATTRIBUTE 1
#define WRONG_WAY 2
#define WRITES_UNDER_NOOP 3
#define LEAKS 4
#define SILENT 5
#define REMEMBERS 6
#define IGNORES_NAMES 7
#define SHORT_BUFFER 8
#define TELLS_SECRET 9
#define NOT_IDEMPOTENT 10
#define ASKS_WRONGLY 11

enum { LONGEST = 4096 };

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR, .desc = "The file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether it should be there." },
    { .name = "value", .type = "Pattern[/\\A[a-zA-Z0-9]*\\z/]", .desc = "Letters, in small ones." },
    { .name = "note", .type = "Optional[Pattern[/\\A[^\\n]{0,80}\\z/]]", .desc = "One line." },
    { .name = "token",
      .type = "Optional[Sensitive[Pattern[/\\A\\w{0,80}\\z/]]]",
      .desc = "Nobody's business." },
};
static const char *const kept[] = { "value", "note", "token" };

static int32_t
mutant_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *value = rhost_str(resource, "value");
    size_t len = value ? strlen(value) : 0;
    char *tidy = rhost_alloc(ctx, len + 1);

    for (size_t i = 0; i < len; i++)
        tidy[i] = (char)(MUTATION == WRONG_WAY ? toupper((unsigned char)value[i])
                                               : tolower((unsigned char)value[i]));
    if (value)
        rhost_put_str(resource, "value", tidy);
    return 0;
}

/* A file into `resource`: 0 or 1, or -1 after the reason was given. */
static int
read_entry(rhost_ctx *ctx, const char *path, rhost_value *resource)
{
    char text[LONGEST + 1] = "", *rest = text, *line;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG
                   ? 0
                   : rhost_fail_errno(ctx, "cannot open '%s'", path);
    n = read(fd, text, LONGEST);
    if (MUTATION != LEAKS)
        (void)close(fd);
    if (n < 0)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    rhost_put_str(resource, "path", path);
    rhost_put_str(resource, "ensure", "present");
    while ((line = strsep(&rest, "\n")) && rest)
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
            size_t len = strlen(kept[i]);

            if (MUTATION == FORGETS_ATTRIBUTE && i == 1)
                continue;
            if (strncmp(line, kept[i], len) == 0 && line[len] == '=')
                rhost_put_str(resource, kept[i], line + len + 1);
        }
    return 1;
}

#if MUTATION == REMEMBERS
static struct {
    char path[PATH_MAX], text[3][100];
} memory[8];

static int
from_memory(const char *path, rhost_value *resource)
{
    for (size_t i = 0; i < 8; i++)
        if (strcmp(memory[i].path, path) == 0) {
            rhost_put_str(resource, "path", path);
            rhost_put_str(resource, "ensure", "present");
            for (size_t k = 0; k < 3; k++)
                if (*memory[i].text[k])
                    rhost_put_str(resource, kept[k], memory[i].text[k]);
            return 1;
        }
    return 0;
}

static void
remember(const char *path, const rhost_value *resource, int gone)
{
    size_t i = 0;

    while (i < 8 && strcmp(memory[i].path, path) != 0)
        i++;
    for (i %= 8; i < 7 && *memory[i].path && strcmp(memory[i].path, path) != 0;)
        i++;
    memset(&memory[i], 0, sizeof memory[i]);
    if (gone || strlen(path) >= PATH_MAX)
        return;
    snprintf(memory[i].path, PATH_MAX, "%s", path);
    for (size_t k = 0; k < 3; k++)
        snprintf(memory[i].text[k], 100, "%s", rhost_str_or(resource, kept[k], ""));
}
#endif

static int
emit(rhost_ctx *ctx, const char *path)
{
    rhost_value *resource = ctx->host->new_hash(ctx);
    int there;

#if MUTATION == SHORT_BUFFER
    char copy[256];

    strcpy(copy, path);
    path = copy;
#endif
#if MUTATION == REMEMBERS
    if (from_memory(path, resource))
        return ctx->host->emit(ctx, resource);
#endif
    there = read_entry(ctx, path, resource);
#if MUTATION == REMEMBERS
    if (there > 0)
        remember(path, resource, 0);
#endif
    return there > 0 ? ctx->host->emit(ctx, resource) : there;
}

static int32_t
mutant_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char *store = getenv("MUTANT_STORE");
    glob_t found = { 0 };
    int failed;
    int result = 0;

    if (names) {
        size_t n = MUTATION == IGNORES_NAMES ? 1 : rhost_count(names);

        for (size_t i = 0; i < n && result >= 0; i++)
            result = emit(ctx, rhost_str(rhost_at(names, i, NULL), "path"));
        return result < 0 ? -1 : 0;
    }
    if (store && (failed = glob(store, GLOB_ERR, NULL, &found)) && failed != GLOB_NOMATCH)
        return rhost_fail(ctx, "cannot list '%s': %s", store,
                          failed == GLOB_NOSPACE ? "out of memory" : "a directory cannot be read");
    for (size_t i = 0; i < found.gl_pathc && result >= 0; i++)
        result = emit(ctx, found.gl_pathv[i]);
    globfree(&found);
    return result < 0 ? -1 : 0;
}

static int32_t
mutant_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    (void)attribute;
    if (MUTATION == NOT_IDEMPOTENT && !rhost_noop(ctx))
        (void)utimensat(AT_FDCWD, rhost_str(change->name, "path"), NULL, 0);
    return RHOST_DEFAULT_COMPARISON;
}

static int32_t
mutant_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    char text[LONGEST], new[LONGEST];
    int len = 0, fd, ok;
#if MUTATION == REMEMBERS
    rhost_value *now = ctx->host->new_hash(ctx);
#endif

    if (rhost_noop(ctx) && MUTATION != WRITES_UNDER_NOOP)
        return 0;
    if (MUTATION == SILENT && change->is)
        return -1;
    if (MUTATION == ASKS_WRONGLY && ctx->host->integer(rhost_value_of(change, "value"), 0) > 0)
        return rhost_fail(ctx, "too many");
    if (MUTATION == TELLS_SECRET && rhost_has(change->should, "token"))
        rhost_info(ctx, "the token is now %s", rhost_str(change->should, "token"));
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (rhost_str_of(change, kept[i]))
            len += snprintf(text + len, sizeof text - (size_t)len, "%s=%s\n", kept[i],
                            rhost_str_of(change, kept[i]));
    fd = snprintf(new, sizeof new, "%s.new", path) < (int)sizeof new
             ? open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
             : -1;
    if (fd < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
    ok = write(fd, text, (size_t)len) == len;
    if (close(fd) < 0 || !ok || rename(new, path) < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
#if MUTATION == REMEMBERS
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        rhost_put_copy(now, kept[i], rhost_value_of(change, kept[i]));
    remember(path, now, 0);
#endif
    return 0;
}

static int32_t
mutant_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_noop(ctx))
        return 0;
    if (unlink(path) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
#if MUTATION == REMEMBERS
    remember(path, NULL, 1);
#endif
    return 0;
}

static const struct rhost_provider mutant = {
    RHOST_PROVIDER("mutant", "Keep small files of settings."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP,
    .canonicalize = mutant_canonicalize,
    .insync = mutant_insync,
    .get = mutant_get,
    .create = mutant_write,
    .update = mutant_write,
    .remove = mutant_remove,
};

RHOST_PLUGIN(mutant, "1.0", &mutant)
