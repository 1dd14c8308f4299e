/* SPDX-License-Identifier: Apache-2.0 */
/* rich - text to what has no way of writing of its own in YAML: versions, timestamps, URIs, regular
 * expressions, and bytes in base64. */
#ifndef RH_DATATYPE_RICH_H
#define RH_DATATYPE_RICH_H

#include "base/value.h"

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

/* rich-text.c: text that stands for a rich scalar: a version, a timestamp, bytes in base64. */

/* Makes of the string `v`, in place, a value of this kind: RH_REGEXP, RH_SEMVER, RH_SEMVER_RANGE,
 * RH_TIMESTAMP, RH_TIMESPAN, RH_URI, RH_TYPE or RH_BINARY (base64 with its padding). false, with
 * `v` as it was, when the text is not well formed as that. */
bool rh_rich_convert(struct rh_arena *a, enum rh_kind kind, struct rh_value *v);

#endif
