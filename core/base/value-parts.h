/* SPDX-License-Identifier: Apache-2.0 */
/* value-parts - the inside of containers, for the files that build, compare and print values. */
#ifndef RH_BASE_VALUE_PARTS_H
#define RH_BASE_VALUE_PARTS_H

#include "base/value.h"

struct rh_items {
    struct rh_arena *arena;
    uint32_t capacity;
    struct rh_value *v[];
};

struct rh_entries {
    struct rh_arena *arena;
    uint32_t capacity;
    uint32_t placed; /* so many places of keys stand behind e[capacity]; 0: none are known */
    struct rh_entry e[];
};

static inline struct rh_place *
rh_entries_places(struct rh_entries *entries)
{
    return (struct rh_place *)(void *)&entries->e[entries->capacity];
}

static inline bool
rh_kind_has_items(unsigned kind)
{
    return kind == RH_ARRAY || kind == RH_WRAPPED || kind == RH_MAP;
}

static inline bool
rh_kind_has_text(unsigned kind)
{
    return kind == RH_STRING || kind == RH_BINARY || (kind >= RH_REGEXP && kind <= RH_TYPE);
}

#endif
