/* SPDX-License-Identifier: Apache-2.0 */
/* region - the lines of a file between two marker lines. */

#include "region.h"

#define DEFAULT_MARKER "# {mark} managed by rhost"

static const char *
marker(rhost_ctx *ctx, const char *text, const char *word)
{
    const char *mark = strstr(text, "{mark}");

    return mark ? rhost_fmt(ctx, "%.*s%s%s", (int)(mark - text), text, word, mark + strlen("{mark}")) : text;
}

void
region_markers(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct region *r)
{
    const char *text = rhost_str_or(name, "marker", DEFAULT_MARKER);

    memset(r, 0, sizeof *r);
    r->begin = marker(ctx, text, rhost_str_or(should, "begin", "BEGIN"));
    r->end = marker(ctx, text, rhost_str_or(should, "end", "END"));
}

const char *
region_find(rhost_ctx *ctx, const struct rhost_lines *l, struct region *r)
{
    size_t begin_len = strlen(r->begin), end_len = strlen(r->end), begins = 0, ends = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (rhost_line_is(l, i, r->begin, begin_len)) {
            if (begins++)
                return rhost_fmt(ctx, "lines %zu and %zu both begin the block", r->first + 1, i + 1);
            r->first = i;
        } else if (rhost_line_is(l, i, r->end, end_len)) {
            if (ends++)
                return rhost_fmt(ctx, "lines %zu and %zu both end the block", r->last + 1, i + 1);
            r->last = i;
        }
    }
    if (begins && !ends)
        return rhost_fmt(ctx, "line %zu begins the block, but no line ends it", r->first + 1);
    if (ends && !begins)
        return rhost_fmt(ctx, "line %zu ends the block, but no line begins it", r->last + 1);
    if (begins && r->last < r->first)
        return rhost_fmt(ctx, "line %zu ends the block before line %zu begins it", r->last + 1, r->first + 1);
    r->exists = begins > 0;
    return NULL;
}

char *
region_text(rhost_ctx *ctx, const struct rhost_lines *l, const struct region *r, size_t *len)
{
    char *text, *to;
    size_t size = 1;

    for (size_t i = r->first + 1; i < r->last; i++)
        size += l->at[i].len + 1;
    text = to = rhost_alloc(ctx, size);
    for (size_t i = r->first + 1; i < r->last; i++) {
        memcpy(to, l->at[i].text, l->at[i].len);
        to += l->at[i].len;
        *to++ = '\n';
    }
    *to = '\0';
    *len = size - 1;
    return text;
}

void
region_put(struct rhost_lines *l, struct region *r, size_t at, const char *text, size_t len)
{
    const char *end = len ? text + len : text;

    if (r->exists) {
        if (r->last > r->first + 1)
            rhost_lines_remove(l, r->first + 1, r->last - r->first - 1);
        at = r->first + 1;
    } else {
        rhost_lines_insert(l, at++, r->begin, strlen(r->begin));
        rhost_lines_insert(l, at, r->end, strlen(r->end));
    }
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline ? newline : end) - text);

        rhost_lines_insert(l, at++, text, n);
        text += n + (newline != NULL);
    }
}
