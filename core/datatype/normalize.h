/* SPDX-License-Identifier: Apache-2.0 */
/* normalize - the same type said in fewer words, for messages. */
#ifndef RH_DATATYPE_NORMALIZE_H
#define RH_DATATYPE_NORMALIZE_H

#include <stddef.h>

struct rh_arena;
struct rh_datatype;

/* Variant[Enum[a], Enum[b]] is Enum[a, b], Variant[Undef, T] is Optional[T], and so on. New nodes
 * go to the arena; what needs no change is returned as it is. */
const struct rh_datatype *rh_normalize(struct rh_arena *a, const struct rh_datatype *t);

/* One of several types: flattened, each once; the type itself when only one is left. */
const struct rh_datatype *rh_variant_of(struct rh_arena *a, const struct rh_datatype *const *types, size_t n);

#endif
