/* SPDX-License-Identifier: Apache-2.0 */
/* buffer - a text that grows, in memory of the call. */
#ifndef JSON_SETTING_BUFFER_H
#define JSON_SETTING_BUFFER_H

#include <rhost/provider.h>

struct buffer {
    rhost_ctx *ctx;
    char *text; /* with a NUL behind it; NULL while nothing was added */
    size_t len, room;
};

static inline void
buffer_add(struct buffer *b, const char *text, size_t len)
{
    if (b->len + len + 1 > b->room) {
        size_t room = 2 * (b->len + len + 1);
        char *more = (char *)rhost_alloc(b->ctx, room);

        if (b->len)
            memcpy(more, b->text, b->len);
        b->text = more;
        b->room = room;
    }
    if (len)
        memcpy(b->text + b->len, text, len);
    b->len += len;
    b->text[b->len] = '\0';
}

static inline void
buffer_puts(struct buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

#endif
