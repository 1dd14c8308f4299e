/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - a text with all matches of a regular expression replaced, by pcre2_substitute(3). */

#include "substitute.h"

#include "../line/pattern.h"
#include "../line/template.h"

#include <rhost/lines.h>

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { LARGEST = 64 << 20 /* bytes of a result */ };

static int
compile(rhost_ctx *ctx, struct pattern *p, const char *text, enum pattern_how how, const char **why)
{
    char reason[512];

    if (pattern_init(p, text, how, reason, sizeof reason) == 0)
        return 0;
    *why = rhost_strdup(ctx, reason);
    return -1;
}

int
substitute_check(rhost_ctx *ctx, const rhost_value *resource)
{
    static const char *const keys[] = { "from", "to", "match" };
    const char *replacement = rhost_str(resource, "replacement"), *why = NULL;
    struct pattern p;
    size_t len;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (compile(ctx, &p, rhost_str(resource, keys[i]), PATTERN_TEXT, &why) < 0)
            return rhost_fail_attr(ctx, keys[i], "%s", why);
        if (i == 2 && p.code && replacement && !template_make(ctx, &p, replacement, &len, &why)) {
            pattern_clear(&p);
            return rhost_fail_attr(ctx, "replacement", "%s", why);
        }
        pattern_clear(&p);
    }
    return 0;
}

static int
explain(rhost_ctx *ctx, int number, const char **why)
{
    PCRE2_UCHAR reason[160];

    if (pcre2_get_error_message(number, reason, sizeof reason) < 0)
        *reason = '\0';
    if (number == PCRE2_ERROR_MATCHLIMIT || number == PCRE2_ERROR_DEPTHLIMIT
        || number == PCRE2_ERROR_HEAPLIMIT)
        *why = "the regular expression takes too many steps";
    else
        *why = rhost_fmt(ctx, "the regular expression fails: %s", (const char *)reason);
    return -1;
}

/* The first match of `key` between start and end: its bounds. 1; 0: none, or no such attribute; -1 with the
 * reason. */
static int
find(rhost_ctx *ctx, const rhost_value *wanted, const char *key, enum pattern_how how, const char *text,
     size_t start, size_t end, size_t bounds[2], const char **why)
{
    const char *expression = rhost_str(wanted, key);
    struct pattern p;
    int rc;

    if (!expression)
        return 0;
    if (compile(ctx, &p, expression, how, why) < 0)
        return -1;
    rc = pcre2_match(p.code, (PCRE2_SPTR)text, end, start, PCRE2_NO_UTF_CHECK, p.data, p.limits);
    if (rc >= 0) {
        const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p.data);

        bounds[0] = at[0] < at[1] ? at[0] : at[1]; /* \K in a lookahead can turn them round */
        bounds[1] = at[0] < at[1] ? at[1] : at[0];
    } else if (rc != PCRE2_ERROR_NOMATCH) {
        (void)explain(ctx, rc, why);
    }
    pattern_clear(&p);
    return rc >= 0 ? 1 : rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

/* All of it between `from` and `to`. 0, or -1 with the reason. */
static int
substitute(rhost_ctx *ctx, const struct pattern *p, const char *template, size_t template_len,
           const char *text, size_t start, size_t end, size_t len, struct substituted *result,
           const char **why)
{
    const uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY
                             | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    size_t room = len + len / 8 + 256, used = room;
    int rc = PCRE2_ERROR_NOMEMORY;

    for (int attempt = 0; attempt < 2 && rc == PCRE2_ERROR_NOMEMORY; attempt++) {
        char *larger = realloc(result->text, room + (len - end) + 1);

        if (!larger) {
            *why = "out of memory";
            return -1;
        }
        result->text = larger;
        used = room;
        rc = pcre2_substitute(p->code, (PCRE2_SPTR)text, end, start, options, p->data, p->limits,
                              (PCRE2_SPTR) template, template_len, (PCRE2_UCHAR *)result->text, &used);
        if (rc == PCRE2_ERROR_NOMEMORY && used > LARGEST) {
            *why = "the result would be larger than 64 MiB";
            return -1;
        }
        if (rc == PCRE2_ERROR_NOMEMORY)
            room = used;
    }
    if (rc < 0)
        return explain(ctx, rc, why);
    memcpy(result->text + used, text + end, len - end);
    result->len = used + len - end;
    result->text[result->len] = '\0';
    result->matches = (size_t)rc;
    return 0;
}

static int
make(rhost_ctx *ctx, const rhost_value *wanted, const struct pattern *p, enum pattern_how how,
     const char *text, size_t len, struct substituted *result, const char **attribute, const char **why)
{
    const char *replacement = rhost_str(wanted, "replacement"), *template = "$0";
    size_t bounds[2], start = 0, end = len, template_len = 2;
    int found;

    *attribute = "from";
    found = find(ctx, wanted, "from", how, text, 0, len, bounds, why);
    if (found < 0)
        return -1;
    if (found > 0)
        start = bounds[1];
    else if (rhost_str(wanted, "from"))
        start = end; /* nothing follows what is not there */
    *attribute = "to";
    found =
        rhost_str(wanted, "from") && !found ? 1 : find(ctx, wanted, "to", how, text, start, len, bounds, why);
    if (found < 0)
        return -1;
    if (rhost_str(wanted, "to"))
        end = found && start < end ? bounds[0] : start;
    if (end < start)
        end = start;
    *attribute = replacement ? "replacement" : "match";
    if (replacement && !(template = template_make(ctx, p, replacement, &template_len, why)))
        return -1;
    *attribute = "match";
    if ((rhost_str(wanted, "from") || rhost_str(wanted, "to")) && start >= end) {
        result->text = malloc(len + 1);
        if (!result->text) {
            *why = "out of memory";
            return -1;
        }
        memcpy(result->text, text, len);
        result->text[len] = '\0';
        result->len = len;
        return 0;
    }
    return substitute(ctx, p, template, template_len, text, start, end, len, result, why);
}

int
substitute_make(rhost_ctx *ctx, const rhost_value *wanted, const char *text, size_t len,
                struct substituted *result, const char **attribute, const char **why)
{
    enum pattern_how how = rhost_is_utf8(text, len) ? PATTERN_TEXT : PATTERN_BYTES;
    struct pattern p;
    int rc;

    memset(result, 0, sizeof *result);
    *attribute = "match";
    if (compile(ctx, &p, rhost_str_or(wanted, "match", ""), how, why) < 0)
        return -1;
    rc = make(ctx, wanted, &p, how, text, len, result, attribute, why);
    pattern_clear(&p);
    if (rc < 0) {
        free(result->text);
        memset(result, 0, sizeof *result);
    }
    return rc;
}

size_t
substitute_first(const char *a, size_t a_len, const char *b, size_t b_len, size_t *at)
{
    size_t n = a_len < b_len ? a_len : b_len, line = 1;

    *at = 0;
    for (size_t i = 0; i < n && a[i] == b[i]; i++)
        if (a[i] == '\n') {
            line++;
            *at = i + 1;
        }
    return line;
}
