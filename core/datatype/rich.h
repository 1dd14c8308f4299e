/* SPDX-License-Identifier: Apache-2.0 */
/* rich - text to what has no way of writing of its own in YAML: versions, timestamps, URIs, regular
 * expressions, and bytes in base64. */
#ifndef RH_DATATYPE_RICH_H
#define RH_DATATYPE_RICH_H

#include <stdbool.h>

struct rh_arena;
struct rh_datatype;
struct rh_value;

/* Whether a type, without Optional and the like around it, only has values that text must give. */
bool rh_is_rich(const struct rh_datatype *t);

/* Makes of the text `v` the first of these that `t` (or a member of it, for a Variant) accepts;
 * leaves it when it accepts the text, or none. */
void rh_rich_read(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v);

/* The same for what a provider reports, who has only text for these (and bytes as bytes), by a type that
 * may have Optional and the like around it. Whether `v` is of the type now. */
bool rh_rich_take(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v);

#endif
