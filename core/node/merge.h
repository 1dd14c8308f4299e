/* SPDX-License-Identifier: Apache-2.0 */
/* merge - the components as one: a view, read by path.
 *
 * Only what several components have together is made anew, and kept until somebody writes there:
 * a write forgets what is on its way and what is behind its end, nothing else. */
#ifndef RH_NODE_MERGE_H
#define RH_NODE_MERGE_H

#include "node/layers.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_cell;
struct rh_tree;
struct rh_value;

/* What is known of one place. */
struct rh_merged {
    const struct rh_value *value; /* NULL: has to be made */
    struct rh_cell *joined;       /* the list of all, where lists join */
    struct rh_keys below;         /* to struct rh_merged */
};

struct rh_view {
    unsigned levels; /* a bit for each component that it is made of */
    struct rh_merged top;
};

/* What can be seen at a path. */
void rh_view_layers(struct rh_view *view, struct rh_arena *a, const struct rh_tree *trees,
                    struct rh_path path, struct rh_layers *out);

/* The value there, NULL when there is nothing. */
const struct rh_value *rh_view_read(struct rh_view *view, struct rh_arena *a, const struct rh_tree *trees,
                                    struct rh_path path);

/* The component `level` has been written: behind the first `n` keys of the path nothing is as it
 * was. */
void rh_view_forget(struct rh_view *view, enum rh_node_level level, struct rh_path path, size_t n);

/* join.c: lists of one precedence are joined: the first one's elements, then those that are new.
 *
 * What is there twice, in one list or in several, is kept once. Elements are the same when nothing
 * tells them apart: 1 is neither 1.0 nor "1"; the order of keys does not matter. */

/* A list of the same cells. */
struct rh_cell *rh_join_cells(struct rh_arena *a, struct rh_cell *const *lists, size_t n);

/* Equal, and of the same kind all through. */
bool rh_value_same(const struct rh_value *a, const struct rh_value *b);

#endif
