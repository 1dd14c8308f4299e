/* SPDX-License-Identifier: Apache-2.0 */
/* generated - the locales that programs can use, which localedef(1) makes from their sources. */

#include "generated.h"

#include "spelling.h"

#include <rhost/exec.h>
#include <rhost/path.h>

#include <ctype.h>
#include <stdlib.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@-"
#define SOURCES "/usr/share/i18n"
#define OWN_SOURCES "/usr/local/share/i18n"
#define ALIASES "/usr/share/locale/locale.alias"

enum { LARGEST = 1 << 20, LONGEST = 600 }; /* seconds */

static int32_t
run(rhost_ctx *ctx, const char *const *argv, uint64_t flags, struct rhost_output *output)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .flags = flags, .timeout = LONGEST * 1000
    };

    return rhost_run(ctx, &command, output);
}

/* The last line of what a program printed. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *from = output->err_len ? output->err : output->out;
    char *text = rhost_copy(ctx, from, strlen(from));

    for (size_t n = strlen(text); n && text[n - 1] == '\n'; n--)
        text[n - 1] = '\0';
    text = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    return *text ? text : "it gives no reason";
}

ssize_t
generated_list(rhost_ctx *ctx, const char ***names)
{
    const char *const argv[] = { "locale", "--all-locales", NULL };
    struct rhost_output output;
    size_t n = 0, room = 1;

    if (run(ctx, argv, RHOST_EXEC_READS, &output) < 0)
        return -1;
    if (output.status != 0 || output.truncated)
        return rhost_fail(ctx, "'locale --all-locales' failed: %s", complaint(ctx, &output));
    for (const char *p = output.out; *p; p++)
        room += *p == '\n';
    *names = rhost_alloc(ctx, room * sizeof **names);
    for (const char *p = output.out; *p && n < room; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *line = rhost_copy(ctx, p, strcspn(p, "\n"));

        if (*line && line[strspn(line, LETTERS)] == '\0')
            (*names)[n++] = spelling_tidy(ctx, line);
    }
    return (ssize_t)n;
}

int
generated_has(const char *const *names, ssize_t n, const char *name)
{
    for (ssize_t i = 0; i < n; i++)
        if (spelling_same(names[i], name))
            return 1;
    return 0;
}

/* "de_DE ISO-8859-1" in the list of what the C library supports. */
static const char *
supported_charset(rhost_ctx *ctx, const char *name)
{
    const char *list = rhost_path_read(ctx, SOURCES "/SUPPORTED", RHOST_PATH_FOLLOW, LARGEST, NULL, NULL);
    size_t len = strlen(name);

    for (const char *p = list; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, name, len) == 0 && p[len] == ' ')
            return rhost_copy(ctx, p + len + 1, strcspn(p + len + 1, " \t\r\n"));
    return NULL;
}

const char *
generated_charset(rhost_ctx *ctx, const char *name, const char *charset)
{
    if (!charset)
        charset = supported_charset(ctx, name);
    if (!charset && *spelling_codeset(ctx, name))
        charset = spelling_codeset(ctx, name);
    if (!charset)
        rhost_fail_attr(ctx, "charset",
                        "'%s' does not say which character set it has: use 'name: %s.UTF-8', or 'charset'",
                        name, name);
    return charset;
}

static int
exists(rhost_ctx *ctx, const char *path)
{
    struct stat st;

    return rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0;
}

/* The source of the locale, as locale-gen(8) looks for it. */
static const char *
find_source(rhost_ctx *ctx, const char *name)
{
    const char *base = spelling_without_codeset(ctx, name);
    const char *own = rhost_fmt(ctx, OWN_SOURCES "/locales/%s", base);

    if (exists(ctx, own))
        return own;
    if (exists(ctx, rhost_fmt(ctx, SOURCES "/locales/%s", base)))
        return base;
    base = rhost_copy(ctx, base, strcspn(base, "@"));
    return exists(ctx, rhost_fmt(ctx, SOURCES "/locales/%s", base)) ? base : NULL;
}

const char *
generated_lacks(rhost_ctx *ctx, const char *name, const char *charset)
{
    const char *base = spelling_without_codeset(ctx, name);

    if (!find_source(ctx, name))
        return rhost_fmt(ctx, "the source of the locale, '" SOURCES "/locales/%s', does not exist", base);
    if (!exists(ctx, rhost_fmt(ctx, SOURCES "/charmaps/%s.gz", charset))
        && !exists(ctx, rhost_fmt(ctx, SOURCES "/charmaps/%s", charset)))
        return rhost_fmt(ctx, "the character set '%s' does not exist in '" SOURCES "/charmaps'", charset);
    return NULL;
}

int32_t
generated_make(rhost_ctx *ctx, const char *name, const char *charset)
{
    const char *source = find_source(ctx, name), **names, *lacks = generated_lacks(ctx, name, charset);
    const char *argv[] = { "localedef", "-i", source, "-c", "-f", charset, "-A", ALIASES, name, NULL };
    struct rhost_output output;
    ssize_t n;

    if (lacks)
        return rhost_fail_attr(ctx, "name", "%s", lacks);
    if (!exists(ctx, ALIASES)) {
        argv[6] = name;
        argv[7] = NULL;
    }
    rhost_busy(ctx, LONGEST, "localedef makes '%s'", name);
    if (run(ctx, argv, 0, &output) < 0)
        return -1;
    /* It ends with 1 after warnings of the source, too: what counts is whether programs can use it. */
    n = generated_list(ctx, &names);
    if (n < 0 || generated_has(names, n, name))
        return n < 0 ? -1 : 0;
    return rhost_fail(ctx, "localedef has not made it: %s", complaint(ctx, &output));
}

/* The second name that localedef gives to one without a codeset: "de_DE" is "de_DE.iso88591" as well. */
static const char *
other_name(rhost_ctx *ctx, const char *name, const char *charset)
{
    const char *base = spelling_without_codeset(ctx, name), *modifier = strchr(base, '@');
    size_t len = strcspn(base, "@");
    char *codeset, *to;

    if (!charset)
        charset = supported_charset(ctx, name);
    if (!charset || *spelling_codeset(ctx, name))
        return NULL;
    codeset = to = rhost_strdup(ctx, charset);
    for (const char *p = charset; *p; p++)
        if (isalnum((unsigned char)*p))
            *to++ = (char)tolower((unsigned char)*p);
    *to = '\0';
    return rhost_fmt(ctx, "%.*s.%s%s", (int)len, base, codeset, modifier ? modifier : "");
}

int32_t
generated_remove(rhost_ctx *ctx, const char *name, const char *charset)
{
    const char *other = other_name(ctx, name, charset);
    const char *const argv[] = { "localedef", "--delete-from-archive", name, other, NULL };
    struct rhost_output output;
    const char **names;
    ssize_t n;

    if (run(ctx, argv, 0, &output) < 0)
        return -1;
    n = generated_list(ctx, &names);
    if (n < 0 || !generated_has(names, n, name))
        return n < 0 ? -1 : 0;
    return rhost_fail(
        ctx,
        "the locale cannot be removed: it is not in the archive of localedef, but a directory, which a "
        "package may have installed (%s)",
        complaint(ctx, &output));
}
