/* SPDX-License-Identifier: Apache-2.0 */
/* rich-text - text that stands for a rich scalar: a version, a timestamp, bytes in base64. */
#ifndef RH_DATATYPE_RICH_TEXT_H
#define RH_DATATYPE_RICH_TEXT_H

#include "base/value.h"

#include <stdbool.h>

/* Makes of the string `v`, in place, a value of this kind: RH_REGEXP, RH_SEMVER, RH_SEMVER_RANGE,
 * RH_TIMESTAMP, RH_TIMESPAN, RH_URI, RH_TYPE or RH_BINARY (base64 with its padding). false, with
 * `v` as it was, when the text is not well formed as that. */
bool rh_rich_convert(struct rh_arena *a, enum rh_kind kind, struct rh_value *v);

#endif
