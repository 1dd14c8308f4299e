/* SPDX-License-Identifier: Apache-2.0 */
/* content - a text from outside as the answer of a lookup. */

#include "content.h"

#include "../json_setting/json-read.h"

#include <rhost/lines.h>

static int32_t
put_json(rhost_ctx *ctx, rhost_value *answer, const char *text, size_t len, const char *what)
{
    POOL(pool, ctx);
    struct tree *root = NULL;
    const char *why = json_read(&pool, text, len, &root);

    if (!why && !root)
        why = "it is empty";
    if (why)
        return rhost_fail(ctx, "%s cannot be read as JSON: %s", what, why);
    if (!tree_put(answer, "value", root))
        return rhost_fail(ctx, "%s has a number that is too large, or something else that no value can be",
                          what);
    return 0;
}

static void
put_lines(rhost_value *answer, const char *text, size_t len)
{
    rhost_value *list = answer->host->put_array(answer, "value");
    const char *end = text + len;

    while (text < end) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((next ? next : end) - text);

        rhost_put_bytes(list, NULL, text, n && text[n - 1] == '\r' ? n - 1 : n);
        text = next ? next + 1 : end;
    }
}

int32_t
content_put(rhost_ctx *ctx, rhost_value *answer, const char *format, const char *text, size_t len,
            const char *what)
{
    int is_text = rhost_is_utf8(text, len) && !memchr(text, '\0', len);

    if (strcmp(format, "text") == 0) {
        if (is_text)
            rhost_put_bytes(answer, "value", text, len);
        else
            answer->host->put_binary(answer, "value", text, len);
        return 0;
    }
    if (!is_text)
        return rhost_fail(ctx, "%s is not UTF-8 text without NUL characters, which '%s' needs", what, format);
    if (strcmp(format, "json") == 0)
        return put_json(ctx, answer, text, len, what);
    put_lines(answer, text, len);
    return 0;
}
