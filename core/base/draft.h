/* SPDX-License-Identifier: Apache-2.0 */
/* draft - changing a tree in place after it was built, by the room that owns it.
 *
 * A part comes out as writable as its container is. So nothing that others read too may be in a tree that
 * is changed through here: put a copy into it (rh_value_copy_sharing). tests/tree/rooms.bats lists the rooms
 * that include this file. */
#ifndef RH_BASE_DRAFT_H
#define RH_BASE_DRAFT_H

#include "base/value.h"

struct rh_value *rh_draft_get(struct rh_value *hash, const char *key); /* NULL: it has no such key */

/* The one door from const back. */
static inline struct rh_value *
rh_draft_of(const struct rh_value *part)
{
    union {
        const struct rh_value *part;
        struct rh_value *draft;
    } u = { part };

    return u.draft;
}

/* Part `i`, which is less than the count. */
static inline struct rh_value *
rh_draft_part(struct rh_value *container, size_t i)
{
    return rh_draft_of(rh_value_part(container, i));
}

void rh_draft_set_item(struct rh_value *array, size_t i, const struct rh_value *v);
void rh_draft_set_entry(struct rh_value *hash, size_t i, const char *key, const struct rh_value *v);

/* Entry `from` takes the room of an earlier one, with the place of its key. */
void rh_draft_move_entry(struct rh_value *hash, size_t to, size_t from);

#endif
