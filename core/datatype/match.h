/* SPDX-License-Identifier: Apache-2.0 */
/* match - parts of matching that others need too. */
#ifndef RH_DATATYPE_MATCH_H
#define RH_DATATYPE_MATCH_H

#include "datatype/tree.h"

#include <stdbool.h>

struct rh_datatype;
struct rh_entry;
struct rh_regex;

/* rh_datatype_match for what is inside of something sensitive, and part of a greater question: when
 * a pattern could not be searched for within limits, nothing fits from there on. Who asks a
 * question of several parts resets this before and after, and looks between what it was. */
bool rh_match(const struct rh_datatype *t, const struct rh_value *v, bool sensitive);
const struct rh_regex *rh_match_stuck(void); /* NULL: none */
void rh_match_reset(void);

bool rh_match_key(const struct rh_datatype *key, const struct rh_entry *e); /* NULL: anything */

/* assignable.c: whether every value of one type fits another type. */

bool rh_assignable(const struct rh_datatype *to, const struct rh_datatype *from);

#endif
