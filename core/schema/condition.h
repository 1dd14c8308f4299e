/* SPDX-License-Identifier: Apache-2.0 */
/* condition - " if $content unless $follow", behind what a type declares of its resources. */
#ifndef RH_SCHEMA_CONDITION_H
#define RH_SCHEMA_CONDITION_H

#include "base/cleanup.h"
#include "schema/type.h"

struct rh_arena;
struct rh_value;

enum rh_condition_fault {
    RH_CONDITION_SHAPE = -1,     /* it is none, or there are too many */
    RH_CONDITION_ATTRIBUTE = -2, /* it names an attribute that the type does not have */
};

/* Reads all of them; 0, or an enum rh_condition_fault. */
RH_CHECKED int rh_conditions_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                                  struct rh_condition **v, size_t *n);

/* Whether all of them are true of a resource of this name and these desired values. */
bool rh_conditions_match(const struct rh_condition *v, size_t n, const struct rh_value *name,
                         const struct rh_value *should);

#endif
