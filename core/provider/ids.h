/* SPDX-License-Identifier: Apache-2.0 */
/* ids - a set of small numbers. */
#ifndef RH_PROVIDER_IDS_H
#define RH_PROVIDER_IDS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RH_IDS_LARGEST = 1 << 28 };

struct rh_ids {
    uint64_t *bits;
    size_t words;
};

static inline void
rh_ids_add(struct rh_ids *s, uint32_t id)
{
    size_t word = id / 64;

    if (id > RH_IDS_LARGEST)
        return;
    if (word >= s->words) {
        size_t words = word * 2 + 16;

        s->bits = rh_xrealloc(s->bits, words * sizeof *s->bits);
        memset(s->bits + s->words, 0, (words - s->words) * sizeof *s->bits);
        s->words = words;
    }
    s->bits[word] |= UINT64_C(1) << id % 64;
}

static inline bool
rh_ids_has(const struct rh_ids *s, uint32_t id)
{
    return id / 64 < s->words && s->bits[id / 64] >> id % 64 & 1;
}

static inline void
rh_ids_clear(struct rh_ids *s)
{
    free(s->bits);
    *s = (struct rh_ids){ 0 };
}

#endif
