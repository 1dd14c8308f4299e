/* SPDX-License-Identifier: Apache-2.0 */
/* names - see the header. */
#include "config.h"

#include "names.h"

#include "tree-copy.h"

#include <stdlib.h>

uint64_t
names_hash(uint64_t hash, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Where it is, or where it would be put. */
static uint64_t *
place_of(const struct names *s, uint64_t hash)
{
    size_t i = (size_t)hash & (s->size - 1);

    while (s->v[i] && s->v[i] != hash)
        i = (i + 1) & (s->size - 1);
    return &s->v[i];
}

bool
names_have(const struct names *s, uint64_t hash)
{
    return s->n && *place_of(s, hash + !hash);
}

static void
grow(struct names *s)
{
    struct names more = { .size = s->size ? s->size * 2 : 1024 };

    more.v = calloc(more.size, sizeof *more.v);
    if (!more.v)
        give_up("allocate", "the names");
    for (size_t i = 0; i < s->size; i++)
        if (s->v[i])
            *place_of(&more, s->v[i]) = s->v[i];
    more.n = s->n;
    free(s->v);
    *s = more;
}

bool
names_add(struct names *s, uint64_t hash)
{
    uint64_t *place;

    hash += !hash;
    if (s->n * 2 >= s->size)
        grow(s);
    place = place_of(s, hash);
    if (*place)
        return false;
    *place = hash;
    s->n++;
    return true;
}

void
names_clear(struct names *s)
{
    free(s->v);
    *s = (struct names){ 0 };
}
