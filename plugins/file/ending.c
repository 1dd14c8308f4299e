/* SPDX-License-Identifier: Apache-2.0 */
/* ending - texts whose lines end as `line_ending` says. */

#include "ending.h"

#include <rhost/path.h>

enum { LARGEST = 64 << 20 };

int
ending_is_desired(const rhost_value *should)
{
    return rhost_has(should, "line_ending");
}

/* Each LF and CR LF becomes the ending; a CR alone stays. The bytes, in memory of the call, and *n how many.
 */
static char *
convert(rhost_ctx *ctx, const rhost_value *should, const char *text, size_t *n)
{
    int crlf = strcmp(rhost_str_or(should, "line_ending", "lf"), "crlf") == 0;
    size_t lines = 0, to = 0;
    char *made;

    for (size_t i = 0; i < *n; i++)
        lines += text[i] == '\n';
    made = rhost_alloc(ctx, *n + lines + 1);
    for (size_t i = 0; i < *n; i++) {
        if (text[i] == '\r' && i + 1 < *n && text[i + 1] == '\n')
            continue;
        if (text[i] == '\n' && crlf)
            made[to++] = '\r';
        made[to++] = text[i];
    }
    made[to] = '\0';
    *n = to;
    return made;
}

int
ending_differs(const rhost_value *should, const char *text, size_t n)
{
    const char *ending = rhost_str(should, "line_ending");
    int crlf = ending && strcmp(ending, "crlf") == 0;

    for (size_t i = 0; ending && i < n; i++)
        if (text[i] == '\n' && (i && text[i - 1] == '\r') != crlf)
            return 1;
    return 0;
}

int32_t
ending_compare(rhost_ctx *ctx, const struct rhost_change *change)
{
    size_t n = 0, len = 0;
    const char *is = rhost_bytes(change->is, "content", &n), *should;

    if (!ending_is_desired(change->should) || !is || !ending_differs(change->should, is, n))
        return RHOST_DEFAULT_COMPARISON;
    is = convert(ctx, change->should, is, &n);
    should = rhost_bytes(change->should, "content", &len);
    return n == len && memcmp(is, should, n) == 0 ? rhost_differs(ctx, "has other line endings")
                                                  : RHOST_DEFAULT_COMPARISON;
}

int
ending_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *content = rhost_get(resource, "content");
    size_t n = 0;
    const char *text = content ? content->host->string(content, &n) : NULL;

    if (!ending_is_desired(resource) || !content)
        return 0;
    if (content->host->kind(content) == RHOST_STRING && text && memchr(text, '\0', n))
        return rhost_fail_attr(ctx, "line_ending", "the content has a NUL character: it has no lines");
    return 0;
}

void
ending_tidy(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *content = rhost_get(resource, "content");
    size_t n = 0;
    const char *text = content ? content->host->string(content, &n) : NULL;
    int secret = content && content->host->sensitive(content);

    if (!ending_is_desired(resource) || !text || content->host->kind(content) != RHOST_STRING)
        return;
    text = convert(ctx, resource, text, &n);
    ctx->host->put_string(resource, "content", text, n);
    if (secret)
        ctx->host->mark_sensitive(resource, "content");
}

const char *
ending_source(rhost_ctx *ctx, const rhost_value *should, const char *source, size_t *n)
{
    char *text = rhost_path_read(ctx, source, RHOST_PATH_FOLLOW, LARGEST, n, NULL);

    if (!text && errno == EFBIG) {
        (void)rhost_fail_attr(ctx, "line_ending", "'%s' is larger than %d bytes", source, LARGEST);
        errno = 0;
    }
    if (!text)
        return NULL;
    if (memchr(text, '\0', *n)) {
        (void)rhost_fail_attr(ctx, "line_ending", "'%s' is binary: it has no lines", source);
        errno = 0;
        return NULL;
    }
    return convert(ctx, should, text, n);
}
