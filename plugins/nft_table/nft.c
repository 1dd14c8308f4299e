/* SPDX-License-Identifier: Apache-2.0 */
/* nft - runs nft, tidies its texts, and tells whether two of them mean the same. */

#include "nft.h"

#include <rhost/exec.h>
#include <rhost/path.h>
#include <rhost/private.h>
#include <rhost/sha256.h>

#include <stdlib.h>

/* What is kept: digests of the text that was desired and of what was listed then, and that itself, where it
 * is not too long. */
#define NOTED_TEXT "desired"
#define NOTED_LISTING "listed"
#define NOTED_LINES "lines"

/* What nft writes before the reason when it takes nothing of its input. */
#define REFUSED "Error: "

enum { MOST_OUTPUT = 64 << 20, MOST_WORDS = 8 };

int32_t
nft_suits(rhost_ctx *ctx)
{
    static const char *const places[] = { "/usr/sbin/nft", "/usr/bin/nft", "/sbin/nft",
                                          "/usr/local/sbin/nft" };
    struct stat st;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (rhost_path_stat(ctx, places[i], RHOST_PATH_FOLLOW, &st) == 0)
            return 10;
    (void)rhost_fail(ctx, "nft is not installed");
    return 0;
}

/* Of "<stdin>:3:5-9: Error: WHY" and the lines after it, which show the place: the reason and the line. */
static const char *
reason(rhost_ctx *ctx, const char *said, int before)
{
    const char *why = strstr(said, REFUSED), *place = strchr(said, ':');
    long line = place && why && place < why ? strtol(place + 1, NULL, 10) : 0;
    const char *text;

    why = why ? why + sizeof REFUSED - 1 : said;
    text = rhost_copy(ctx, why, strcspn(why, "\n"));
    if (!*text)
        return "nft gives no reason";
    return before >= 0 && line > before ? rhost_fmt(ctx, "line %ld: %s", line - before, text) : text;
}

static int32_t
run(rhost_ctx *ctx, const char *const *argv, const char *input, uint64_t flags, struct rhost_output *output)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .input = input,
        .input_len = input ? strlen(input) : 0,
        .output_limit = MOST_OUTPUT,
        .flags = flags,
    };

    if (rhost_run(ctx, &command, output) < 0)
        return -1;
    return output->truncated ? rhost_fail(ctx, "nft printed more than %d MiB", MOST_OUTPUT >> 20) : 0;
}

int32_t
nft_run(rhost_ctx *ctx, const char *commands, int before, const char **why)
{
    static const char *const argv[] = { "nft", "-f", "-", NULL };
    struct rhost_output output;

    *why = NULL;
    if (!*commands)
        return 0;
    if (run(ctx, argv, commands, 0, &output) < 0)
        return -1;
    if (output.status != 0 && !strstr(output.err, REFUSED))
        return rhost_fail(ctx, "nft ended with status %d, and may have done its work: %s", output.status,
                          reason(ctx, output.err, -1));
    if (output.status != 0)
        *why = reason(ctx, output.err, before);
    return 0;
}

int32_t
nft_try(rhost_ctx *ctx, const char *commands, const char **why)
{
    static const char *const argv[] = { "nft", "-c", "-f", "-", NULL };
    struct rhost_output output;

    *why = NULL;
    if (!*commands)
        return 0;
    if (run(ctx, argv, commands, RHOST_EXEC_READS, &output) < 0)
        return -1;
    if (output.status != 0)
        *why = reason(ctx, output.err, -1);
    return 0;
}

const char *
nft_list(rhost_ctx *ctx, const char *what, int handles, const char **why)
{
    const char *argv[MOST_WORDS + 4] = { "nft", handles ? "-sa" : "-s", "list" };
    struct rhost_output output;
    size_t n = 3;

    *why = NULL;
    for (const char *at = what; *at && n < MOST_WORDS + 3; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");

        argv[n++] = rhost_copy(ctx, at, len);
        at += len;
    }
    if (run(ctx, argv, NULL, RHOST_EXEC_READS, &output) < 0) {
        *why = "nft cannot be run";
        return NULL;
    }
    if (output.status == 0)
        return output.out;
    *why = reason(ctx, output.err, -1);
    if (strstr(*why, "No such file or directory"))
        *why = NULL;
    return NULL;
}

/* A line without its comment and needless blanks; how long it is then. */
static size_t
tidy_line(const char *line, size_t len, char *to)
{
    int quoted = 0, blank = 0;
    size_t n = 0;

    for (size_t i = 0; i < len && (quoted || line[i] != '#'); i++) {
        if (line[i] == '"')
            quoted = !quoted;
        if (!quoted && strchr(" \t\r", line[i])) {
            blank = n > 0;
            continue;
        }
        if (blank)
            to[n++] = ' ';
        blank = 0;
        to[n++] = line[i];
    }
    return n;
}

const char *
nft_tidy(rhost_ctx *ctx, const char *text)
{
    char *tidy = rhost_alloc(ctx, strlen(text) + 2);
    size_t n = 0;

    while (*text) {
        size_t len = strcspn(text, "\n"), kept = tidy_line(text, len, tidy + n);

        n += kept;
        if (kept)
            tidy[n++] = '\n';
        text += len + (text[len] == '\n');
    }
    tidy[n] = '\0';
    return tidy;
}

int32_t
nft_check(rhost_ctx *ctx, const char *attribute, const char *text, int one_line)
{
    int deep = 0, line = 1;

    for (const char *p = text; *p; p++) {
        if (*p == '"') {
            size_t len = strcspn(p + 1, "\"\n");

            if (p[1 + len] != '"')
                return rhost_fail_attr(ctx, attribute, "line %d: a text has no closing quotes", line);
            p += len + 1;
            continue;
        }
        if (one_line && *p == '#')
            return rhost_fail_attr(ctx, attribute, "'#' begins a comment: the comment of a rule is its name");
        if (*p == '#')
            p += strcspn(p, "\n");
        if (!*p)
            break;
        deep += (*p == '{') - (*p == '}');
        line += *p == '\n';
        if (deep < 0)
            return rhost_fail_attr(ctx, attribute, "line %d: a closing brace too many", line);
        if (one_line && (*p == ';' || *p == '\n'))
            return rhost_fail_attr(ctx, attribute, "a rule is one line, without ';'");
        if (strncmp(p, "include", 7) == 0 && (p == text || strchr(" \t\n;{", p[-1])) && p[7]
            && strchr(" \t\"", p[7]))
            return rhost_fail_attr(ctx, attribute,
                                   "line %d: 'include' is not looked into: write what the file has", line);
    }
    return deep ? rhost_fail_attr(ctx, attribute, "a closing brace is missing") : 0;
}

static void
digest(const char *text, char hex[65])
{
    struct rhost_sha256 sum;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, text, strlen(text));
    rhost_sha256_hex(&sum, hex);
}

static const char *
digest_of(rhost_ctx *ctx, const char *text)
{
    char *hex = rhost_alloc(ctx, 65);

    digest(nft_tidy(ctx, text), hex);
    return hex;
}

/* Of two tidy texts the first line in which they differ, that of the second. */
static const char *
first_difference(rhost_ctx *ctx, const char *was, const char *is)
{
    for (;;) {
        size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");

        if (a != b || strncmp(was, is, a) != 0)
            return *is ? rhost_fmt(ctx, "first in '%s'", rhost_copy(ctx, is, b)) : "at its end";
        was += a + (was[a] == '\n');
        is += b + (is[b] == '\n');
    }
}

int32_t
nft_insync(rhost_ctx *ctx, const rhost_value *name, const char *desired, const char *listed)
{
    const char *is = nft_tidy(ctx, listed), *of, *digest_then, *text;

    if (strcmp(nft_tidy(ctx, desired), is) == 0)
        return 0;
    of = rhost_private_get(ctx, name, NOTED_TEXT);
    if (!of || strcmp(of, digest_of(ctx, desired)) != 0)
        return RHOST_DEFAULT_COMPARISON;
    digest_then = rhost_private_get(ctx, name, NOTED_LISTING);
    if (digest_then && strcmp(digest_then, digest_of(ctx, listed)) == 0)
        return 0;
    text = rhost_private_get(ctx, name, NOTED_LINES);
    return text ? rhost_differs(ctx, "something else has changed it, %s", first_difference(ctx, text, is))
                : rhost_differs(ctx, "something else has changed it");
}

int32_t
nft_note(rhost_ctx *ctx, const rhost_value *name, const char *desired, const char *listed)
{
    const char *text = nft_tidy(ctx, listed);

    if (rhost_private_put(ctx, name, NOTED_TEXT, digest_of(ctx, desired)) < 0
        || rhost_private_put(ctx, name, NOTED_LISTING, digest_of(ctx, listed)) < 0)
        return -1;
    return rhost_private_put(ctx, name, NOTED_LINES, strlen(text) <= RHOST_PRIVATE_LARGEST ? text : NULL);
}
