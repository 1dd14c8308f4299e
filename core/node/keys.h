/* SPDX-License-Identifier: Apache-2.0 */
/* keys - an ordered table: from keys, which are texts or integers, to anything.
 *
 * The order is that in which keys were put first; a key that was removed and put again comes last.
 * Memory is an arena's, so that nobody frees a table. */
#ifndef RH_NODE_KEYS_H
#define RH_NODE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;

struct rh_key {
    const char *text; /* NULL: an integer */
    int64_t number;
};

struct rh_key_slot {
    struct rh_key key;
    void *value; /* NULL: was removed */
    uint32_t hash;
};

struct rh_keys {
    struct rh_key_slot *slots; /* in order */
    uint32_t *index;           /* slot + 1 by hash; NULL while there are few */
    uint32_t used, live, cap, index_size;
};

bool rh_key_equal(struct rh_key a, struct rh_key b);

/* NULL where there is none. */
void *rh_keys_get(const struct rh_keys *k, struct rh_key key);

/* Puts or replaces. The text of a new key is copied into the arena. `value` is not NULL. */
void rh_keys_put(struct rh_keys *k, struct rh_arena *a, struct rh_key key, void *value);

/* Removes the key, if it is there. */
void rh_keys_remove(struct rh_keys *k, struct rh_key key);
void rh_keys_clear(struct rh_keys *k);

/* Going through: `i` starts at 0; NULL behind the last. */
const struct rh_key_slot *rh_keys_next(const struct rh_keys *k, uint32_t *i);

#endif
