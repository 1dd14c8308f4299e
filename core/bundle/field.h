/* SPDX-License-Identifier: Apache-2.0 */
/* field - the parts of the JSON documents of bundles, checked one by one. */
#ifndef RH_BUNDLE_FIELD_H
#define RH_BUNDLE_FIELD_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_error;
struct rh_value;

/* A whole number within these limits, which must be there. */
RH_CHECKED int rh_field_number(const struct rh_value *v, const char *name, int64_t least, int64_t most,
                               int64_t *to, struct rh_error *err);

/* A text of 1 to 200 bytes without control characters; NULL where it is missing and need not be there. It
 * belongs to the arena of `v`. */
RH_CHECKED int rh_field_text(const struct rh_value *v, const char *name, bool needed, const char **to,
                             struct rh_error *err);

/* Whether it is this text, to its last byte: JSON can have a NUL in it. */
bool rh_field_is(const struct rh_value *v, const char *name, const char *text);

#endif
