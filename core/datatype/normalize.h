/* SPDX-License-Identifier: Apache-2.0 */
/* normalize - the same type said in fewer words, for messages. */
#ifndef RH_DATATYPE_NORMALIZE_H
#define RH_DATATYPE_NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_datatype;

/* Variant[Enum[a], Enum[b]] is Enum[a, b], Variant[Undef, T] is Optional[T], and so on. New nodes
 * go to the arena; what needs no change is returned as it is. */
const struct rh_datatype *rh_normalize(struct rh_arena *a, const struct rh_datatype *t);

/* One of several types: flattened, each once; the type itself when only one is left. */
const struct rh_datatype *rh_variant_of(struct rh_arena *a, const struct rh_datatype *const *types, size_t n);

typedef const struct rh_datatype *rh_normal_fn(struct rh_arena *a, const struct rh_datatype *t);

/* The same, with members joined that can be one: words to one Enum, ranges that touch to one range, and so
 * on. `normal` is rh_normalize, for what is within. `fewer`: some were joined. */
const struct rh_datatype *rh_variant_join(struct rh_arena *a, const struct rh_datatype *const *types,
                                          size_t n, rh_normal_fn *normal, bool *fewer);

#endif
