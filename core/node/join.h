/* SPDX-License-Identifier: Apache-2.0 */
/* join - lists of one precedence are joined: the first one's elements, then those that are new.
 *
 * What is there twice, in one list or in several, is kept once. Elements are the same when nothing
 * tells them apart: 1 is neither 1.0 nor "1"; the order of keys does not matter. */
#ifndef RH_NODE_JOIN_H
#define RH_NODE_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_cell;
struct rh_value;

/* A list of the same cells. */
struct rh_cell *rh_join_cells(struct rh_arena *a, struct rh_cell *const *lists, size_t n);

/* Equal, and of the same kind all through. */
bool rh_value_same(const struct rh_value *a, const struct rh_value *b);

#endif
