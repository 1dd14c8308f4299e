/* SPDX-License-Identifier: Apache-2.0 */
/* answer - whether an answer is as expected, and what is said of it. */

#include "answer.h"

#include "../line/pattern.h"

#include <rhost/lines.h>

enum { EXCERPT = 200 };

int
answer_has_status(const struct transfer *t, const rhost_value *list)
{
    for (size_t i = 0; i < rhost_count(list); i++) {
        const rhost_value *one = rhost_at(list, i, NULL);

        if (one->host->integer(one, -1) == t->status)
            return 1;
    }
    return !rhost_count(list) && t->status >= 200 && t->status <= 299;
}

int
answer_matches(const struct transfer *t, const rhost_value *text, const char *attribute)
{
    struct pattern p;
    char why[512];
    int rc;

    if (!text || text->host->kind(text) == RHOST_UNDEF)
        return 1;
    if (pattern_init(&p, text->host->string(text, NULL),
                     rhost_is_utf8(t->answer, t->len) ? PATTERN_TEXT : PATTERN_BYTES, why, sizeof why)
        < 0)
        return rhost_fail_attr(t->ctx, attribute, "%s",
                               text->host->sensitive(text) ? "invalid regular expression" : why);
    rc = pattern_matches(&p, t->answer, t->len);
    pattern_clear(&p);
    return rc >= 0 ? rc : rhost_fail_attr(t->ctx, attribute, "the regular expression takes too many steps");
}

const char *
answer_excerpt(const struct transfer *t, int secret)
{
    const char *from = t->answer;
    size_t n;

    if (!t->len)
        return "";
    if (secret)
        return ": [redacted]";
    from += strspn(from, " \t\r\n");
    n = strcspn(from, "\r\n");
    n = n < EXCERPT ? n : EXCERPT;
    while (n && n == EXCERPT && ((unsigned char)from[n] & 0xc0) == 0x80) /* in the middle of a character */
        n--;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)from[i] < ' ' || from[i] == 127)
            return "";
    return n && rhost_is_utf8(from, n) ? rhost_fmt(t->ctx, ": %.*s", (int)n, from) : "";
}

int
answer_is_sensitive(const rhost_value *v)
{
    if (!v)
        return 0;
    if (v->host->sensitive(v))
        return 1;
    if (v->host->kind(v) != RHOST_ARRAY && v->host->kind(v) != RHOST_HASH)
        return 0;
    for (size_t i = 0; i < rhost_count(v); i++)
        if (answer_is_sensitive(rhost_at(v, i, NULL)))
            return 1;
    return 0;
}

int
answer_is_secret(const rhost_value *should)
{
    return strcmp(rhost_str_or(should, "capture", "no"), "sensitive") == 0 || answer_is_sensitive(should);
}

void
answer_put(const struct transfer *t, const rhost_value *should, rhost_value *result)
{
    rhost_put_int(result, "code", t->status);
    if (strcmp(rhost_str_or(should, "capture", "no"), "no") == 0)
        return;
    if (!memchr(t->answer, '\0', t->len) && rhost_is_utf8(t->answer, t->len))
        rhost_put_bytes(result, "answer", t->answer, t->len);
    else
        result->host->put_binary(result, "answer", t->answer, t->len);
    if (answer_is_secret(should))
        result->host->mark_sensitive(result, "answer");
}
