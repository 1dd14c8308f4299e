/* SPDX-License-Identifier: Apache-2.0 */
/* sample - values that fit a type, out of thin air: the same for the same seed. */
#ifndef RH_CHECK_SAMPLE_H
#define RH_CHECK_SAMPLE_H

#include <stdint.h>

struct rh_arena;
struct rh_datatype;
struct rh_type;
struct rh_value;

/* A resource: its namevars, and some of its other attributes. Those for which no value that fits can
 * be thought of are left out. */
struct rh_value *rh_sample_resource(struct rh_arena *a, const struct rh_type *t, uint64_t *seed);

/* A name that nothing has; NULL when none that fits is known. */
struct rh_value *rh_sample_nothing(struct rh_arena *a, const struct rh_datatype *t);

#endif
