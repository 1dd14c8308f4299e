/* SPDX-License-Identifier: Apache-2.0 */
/* observed - the current value of one attribute as a record, which a state file or a plan keeps and a later
 * run is compared with: {value}, or of what is large {sha256, bytes}, or of what is sensitive {hash, salt};
 * empty where the attribute has no value. */
#ifndef RH_PROVIDER_OBSERVED_H
#define RH_PROVIDER_OBSERVED_H

#include <stdbool.h>

struct rh_arena;
struct rh_buf;
struct rh_type;
struct rh_value;

/* The record of `v`, or of no value (NULL). With `salt` the value is sensitive: only a salted hash is kept.
 */
struct rh_value *rh_observed_new(struct rh_arena *a, const char *attribute, const struct rh_value *v,
                                 const char *salt);

/* Whether it is a text, a number or a flag, whose record needs no more than the value; and that record as
 * JSON, without a tree. */
bool rh_observed_is_simple(const struct rh_value *v);
void rh_observed_to_json(struct rh_buf *b, const struct rh_value *v);

bool rh_observed_is_secret(const struct rh_value *observed);
const char *rh_observed_salt(const struct rh_value *observed); /* NULL: it has none */

/* For people: the value, or what stands for it; NULL where there is none. */
const struct rh_value *rh_observed_show(struct rh_arena *a, const struct rh_value *observed);

/* The records of a resource as desired values, as far as these are known: of what is large the kind is
 * enough.
 */
const struct rh_value *rh_observed_desired(struct rh_arena *a, const struct rh_type *type,
                                           const struct rh_value *records);

/* Hashes are equal only when they were made with one salt. */
bool rh_observed_equal(const struct rh_value *one, const struct rh_value *other);

#endif
