/* SPDX-License-Identifier: Apache-2.0 */
/* path - the way to an attribute: keys of tables and positions in lists. */
#ifndef RH_NODE_PATH_H
#define RH_NODE_PATH_H

#include "node/keys.h"

struct rh_arena;
struct rh_buf;
struct rh_value;

struct rh_path {
    const struct rh_key *keys;
    size_t n;
};

/* So deep may a path lead, and so deep may what is written there be: it is walked recursively. */
enum { RH_PATH_DEEPEST = 100, RH_VALUE_DEEPEST = 200 };

/* From an array of texts and integers, or one of them alone; NULL is the empty path. `keys` has
 * room for RH_PATH_DEEPEST, and stays the path's; texts stay the value's. -1 with the reason in
 * `why`. */
int rh_path_of(const struct rh_value *v, struct rh_key *keys, struct rh_path *path, struct rh_buf *why);

/* The same with texts of its own. */
struct rh_path rh_path_copy(struct rh_arena *a, struct rh_path path);
struct rh_value *rh_path_value(struct rh_arena *a, struct rh_path path);

/* Its first `n` keys as people write it: web.port, a.b[0].c, users['j.doe'].shell */
void rh_path_show(struct rh_buf *b, struct rh_path path, size_t n);

/* Whether `inner` is the same place as `outer`, or one within. */
bool rh_path_within(struct rh_path inner, struct rh_path outer);

#endif
