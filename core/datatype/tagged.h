/* SPDX-License-Identifier: Apache-2.0 */
/* tagged - what JSON can't say, as hashes that say what they stand for:
 *
 *     {"__ptype": "SemVer", "__pvalue": "1.2.3"}
 *
 * The tags are Binary (base64), Default (without a value), Float (text such as "1e100"; also "NaN"
 * and "Infinity", which JSON has not), Regexp, SemVer, SemVerRange, Sensitive (any value),
 * Timespan, Timestamp, Type, URI, and hash: a list of key, value, key, value... for keys that are
 * not strings. */
#ifndef RH_DATATYPE_TAGGED_H
#define RH_DATATYPE_TAGGED_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;
struct rh_value;

/* A copy of `v` with the values that its tagged hashes stand for. NULL with the reason when there
 * is a tag that nobody knows, or a text that is not well formed as what its tag says. */
RH_CHECKED struct rh_value *rh_value_untag(struct rh_arena *a, const struct rh_value *v,
                                           struct rh_error *err);

#endif
