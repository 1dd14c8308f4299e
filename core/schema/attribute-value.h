/* SPDX-License-Identifier: Apache-2.0 */
/* attribute-value - rules for the value of an attribute that no data type states. */
#ifndef RH_SCHEMA_ATTRIBUTE_VALUE_H
#define RH_SCHEMA_ATTRIBUTE_VALUE_H

struct rh_arena;
struct rh_attr;
struct rh_value;

/* Sets what the rules below need to know of attr->type. */
void rh_attribute_inspect(struct rh_attr *attr);

/* The value, marked as sensitive where the type says Sensitive: all of it, or the parts that stand for a
 * Sensitive within the type. A copy in the arena when it was not. */
const struct rh_value *rh_attribute_marked(struct rh_arena *a, const struct rh_attr *attr,
                                           const struct rh_value *v);

/* The first text with a NUL in it, which nobody who takes it as a C string sees in full; NULL when
 * there is none, or the type has a Binary in it. */
const struct rh_value *rh_attribute_find_nul(const struct rh_attr *attr, const struct rh_value *v);

/* Why such a text is refused. */
#define RH_NUL_REFUSED "must not contain a NUL character: its type is not Binary"

#endif
