/* SPDX-License-Identifier: Apache-2.0 */
/* same - whether a value is what JSON says it should be. */
#ifndef RH_NODE_SAME_H
#define RH_NODE_SAME_H

#include <stdbool.h>

struct rh_value;

/* Tables without order, lists in order, 1 is not 1.0. JSON has no keys but texts: there an integer
 * key of ours is the text of its digits, unless that is a key itself. NULL is null. */
bool rh_json_same(const struct rh_value *json, const struct rh_value *ours);

/* The key's text for JSON, where tables have texts only: "0", or "0 (integer)" when the table has
 * the text too. The same value when it is no map. */
struct rh_arena;
const struct rh_value *rh_value_for_json(struct rh_arena *a, const struct rh_value *v);

#endif
