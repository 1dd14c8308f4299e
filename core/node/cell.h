/* SPDX-License-Identifier: Apache-2.0 */
/* cell - what components are made of: a tree that changes, beside values, which don't.
 *
 * Each cell knows the step that put it there. What it looks like as a value is made when somebody
 * asks and kept until something within is written; a value that was given out stays as it is. */
#ifndef RH_NODE_CELL_H
#define RH_NODE_CELL_H

#include "base/place.h"
#include "node/keys.h"

struct rh_arena;
struct rh_value;

enum rh_cell_kind { RH_CELL_LEAF, RH_CELL_TABLE, RH_CELL_LIST };

struct rh_cell {
    uint8_t kind, marks;
    bool by_the_way; /* a table that nobody wrote: something below it was */
    uint32_t step;
    struct rh_place place;
    const struct rh_value *shown; /* NULL: has to be made */
};

struct rh_table_cell {
    struct rh_cell cell;
    struct rh_keys keys; /* to struct rh_cell */
};

struct rh_list_cell {
    struct rh_cell cell;
    struct rh_cell **v;
    uint32_t n, cap;
};

static inline const struct rh_keys *
rh_cell_keys(const struct rh_cell *table)
{
    return &((const struct rh_table_cell *)(const void *)table)->keys;
}

static inline const struct rh_list_cell *
rh_cell_list(const struct rh_cell *list)
{
    return (const struct rh_list_cell *)(const void *)list;
}

/* The same for writing. */
static inline struct rh_keys *
rh_cell_edit_keys(struct rh_cell *table)
{
    return &((struct rh_table_cell *)(void *)table)->keys;
}

static inline struct rh_list_cell *
rh_cell_edit_list(struct rh_cell *list)
{
    return (struct rh_list_cell *)(void *)list;
}

/* A copy in the arena that cells may keep: what is within a sensitive table or list is sensitive by
 * itself, since it may be read by itself; tables with keys other than texts are RH_MAPs. */
struct rh_value *rh_cell_adopt(struct rh_arena *a, const struct rh_value *v);
size_t rh_value_depth(const struct rh_value *v); /* a scalar has 1; stops at RH_VALUE_DEEPEST + 1 */

/* A hash, or a map whose keys are texts and integers; other maps are a scalar here. */
bool rh_value_is_table(const struct rh_value *v);

/* The cells for a value that was adopted. */
struct rh_cell *rh_cell_build(struct rh_arena *a, const struct rh_value *v, uint32_t step);
struct rh_cell *rh_cell_table(struct rh_arena *a, uint32_t step); /* by the way */
const struct rh_value *rh_cell_show(struct rh_arena *a, struct rh_cell *c);

/* Whether `key` can stand behind it: any in a table, a position in a list. */
bool rh_cell_takes(const struct rh_cell *c, struct rh_key key);

/* What stands there: NULL when there is nothing. Positions below 0 count from the end. */
struct rh_cell *rh_cell_child(const struct rh_cell *c, struct rh_key key);
bool rh_list_position(const struct rh_cell *list, int64_t position, uint32_t *i); /* is there */

void rh_list_add(struct rh_arena *a, struct rh_cell *list, struct rh_cell *item);

/* A table's value from `n` keys and values: a hash, or a map when some keys are integers. */
struct rh_value *rh_table_value(struct rh_arena *a, const struct rh_key *keys,
                                const struct rh_value *const *values, size_t n);

#endif
