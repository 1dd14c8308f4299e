/* SPDX-License-Identifier: Apache-2.0 */
/* check - whether what a type says of itself goes together, once each part could be read. */
#ifndef RH_SCHEMA_CHECK_H
#define RH_SCHEMA_CHECK_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_action;
struct rh_attr;
struct rh_buf;
struct rh_error;
struct rh_type;

/* Behaviours, defaults, ensure and namevars (I7, I11, I12, I15, I21). */
RH_CHECKED int rh_type_check(const struct rh_type *t, struct rh_error *err);

/* Whether this `ensure` is Enum[running, stopped] (or that and undef): a property as any other, which does
 * not say whether the resource is there. */
bool rh_type_has_run_state(const struct rh_attr *ensure);

/* What an action lays over: attributes of the type that can be asked for, with values that fit. */
RH_CHECKED int rh_type_check_action(const struct rh_type *t, const struct rh_action *action,
                                    struct rh_error *err);

/* Adds the names of what has no documentation, with commas: the type and its attributes (I4). */
void rh_type_undocumented(const struct rh_type *t, struct rh_buf *names);

#endif
