/* SPDX-License-Identifier: Apache-2.0 */
/* pool - memory of one reading of a text. */

#include "pool.h"

#include <stdlib.h>

enum { BLOCK = 1 << 16 };

struct pool_block {
    struct pool_block *before;
    size_t used, room;
    max_align_t memory[];
};

void
pool_clear(struct pool *p)
{
    while (p->last) {
        struct pool_block *before = p->last->before;

        free(p->last);
        p->last = before;
    }
}

void *
pool_alloc(struct pool *p, size_t n)
{
    size_t size = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct pool_block *b = p->last;
    void *at;

    if (!b || b->room - b->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;

        b = calloc(1, sizeof *b + room);
        if (!b)
            return rhost_alloc(p->ctx, n);
        b->room = room;
        b->before = p->last;
        p->last = b;
    }
    at = (char *)b->memory + b->used;
    b->used += size;
    return at;
}

char *
pool_copy(struct pool *p, const char *text, size_t len)
{
    char *copy = pool_alloc(p, len + 1);

    if (len)
        memcpy(copy, text, len);
    return copy;
}
