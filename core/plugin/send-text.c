/* SPDX-License-Identifier: Apache-2.0 */
/* send-text - texts that go to a worker as memory that both see: the host's side. */
#include "config.h"

#include "plugin/large-text.h"

#include "base/shared-text.h"
#include "plugin/link.h"
#include "plugin/message.h"

#include <string.h>
#include <unistd.h>

enum {
    MOST_UNSENT = 64,       /* descriptors that wait to be sent */
    MOST_BYTES = 256 << 20, /* of texts that a worker keeps for the next request */
    MOST_KEPT = 1000,
};

enum { PART = 64 << 10 };

/* Takes what was compared off `left`. */
static bool
is_same(const char *a, const char *b, size_t n, size_t *left)
{
    bool same = true;

    for (size_t at = 0, part; same && at < n; at += part) {
        part = n - at < PART ? n - at : PART;
        same = memcmp(a + at, b + at, part) == 0;
        if (at || same)
            *left -= part < *left ? part : *left;
    }
    return same;
}

/* The same text may have been validated before: its address says nothing, for arenas come and go. Texts come
 * in the same order again. To compare more than is looked for takes longer than to send it, which matters
 * where many texts differ at their ends. */
static uint32_t
find(struct rh_large_texts *t, const char *s, size_t n)
{
    size_t left = 2 * n, count = t->n - t->oldest;
    size_t first = t->expected > t->oldest && t->expected < t->n ? t->expected - t->oldest : 0;

    for (size_t i = 0; i < count && left; i++) {
        size_t at = t->oldest + (first + i) % count, len = 0;
        const char *bytes = t->v[at] ? rh_shared_text_bytes(t->v[at], &len) : NULL;

        if (bytes && len == n && is_same(bytes, s, n, &left)) {
            t->expected = at + 1;
            return (uint32_t)at + 1;
        }
    }
    return 0;
}

uint32_t
rh_large_text_send(struct rh_large_texts *t, struct rh_link *link, const char *s, size_t n)
{
    struct rh_shared_text *text;
    uint32_t number;
    int fd;

    if (link->server || link->dead || n < RH_SHARED_TEXT_LEAST)
        return 0;
    number = find(t, s, n);
    if (number || link->n_attached >= MOST_UNSENT)
        return number;
    fd = rh_shared_text_write(s, n);
    text = fd >= 0 ? rh_shared_text_map(fd) : NULL;
    if (!text) { /* no memory, or no descriptors: then it goes in the frame */
        if (fd >= 0)
            (void)close(fd);
        return 0;
    }
    rh_large_text_add(t, text);
    rh_link_attach(link, fd);
    return (uint32_t)t->n;
}

void
rh_large_texts_trim(struct rh_large_texts *t, struct rh_link *link)
{
    while (t->oldest < t->n && (t->bytes > MOST_BYTES || t->n - t->oldest > MOST_KEPT)) {
        size_t frame = rh_frame_begin(&link->out, RH_RELEASE);

        rh_put_u32(&link->out, (uint32_t)t->oldest + 1);
        rh_frame_end(&link->out, frame);
        rh_large_text_drop(t, (uint32_t)++t->oldest);
    }
}
