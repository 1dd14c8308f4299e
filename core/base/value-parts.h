/* SPDX-License-Identifier: Apache-2.0 */
/* value-parts - the inside of a container: what stands before its items or entries in memory. */
#ifndef RH_BASE_VALUE_PARTS_H
#define RH_BASE_VALUE_PARTS_H

#include "base/value.h"

struct rh_head {
    struct rh_arena *arena;
    uint32_t capacity;
    uint32_t placed; /* so many places of keys stand behind the room for entries; 0: none are known */
    uint64_t keys; /* the bits of all keys in it, and maybe of some that were: without its bit a key is not in
                      it */
};

/* Many questions are for a key that a hash does not have. The first two letters of a key choose its bit. */
static inline uint64_t
rh_parts_key_bit(const char *key)
{
    unsigned sum = (unsigned char)key[0];

    if (sum)
        sum += (unsigned char)key[1];
    return UINT64_C(1) << (sum & 63);
}

/* A container with room for `n` parts, and for the places of `placed` keys behind them. None is in it yet. */
struct rh_value *rh_parts_container(struct rh_arena *a, enum rh_kind kind, size_t n, size_t placed);

static inline struct rh_head *
rh_parts_head(const struct rh_value *container)
{
    return (struct rh_head *)(void *)container->u.parts - 1;
}

static inline const struct rh_value **
rh_parts_items(struct rh_value *container)
{
    return (const struct rh_value **)(void *)container->u.parts;
}

static inline struct rh_entry *
rh_parts_entries(struct rh_value *hash)
{
    return (struct rh_entry *)(void *)hash->u.parts;
}

static inline struct rh_place *
rh_parts_places(const struct rh_value *hash)
{
    struct rh_entry *e = (struct rh_entry *)(void *)hash->u.parts;

    return (struct rh_place *)(void *)(e + rh_parts_head(hash)->capacity);
}

#endif
