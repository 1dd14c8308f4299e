/* SPDX-License-Identifier: Apache-2.0 */
/* value-parts - the inside of a container: what stands before its items or entries in memory. */
#ifndef RH_BASE_VALUE_PARTS_H
#define RH_BASE_VALUE_PARTS_H

#include "base/value.h"

struct rh_head {
    struct rh_arena *arena;
    uint32_t capacity;
    uint32_t placed; /* so many places of keys stand behind the room for entries; 0: none are known */
};

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
