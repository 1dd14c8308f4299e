/* SPDX-License-Identifier: Apache-2.0 */
/* infer - the type that a value is called in "got ...". */
#ifndef RH_DATATYPE_INFER_H
#define RH_DATATYPE_INFER_H

#include "datatype/tree.h"

/* The narrowest type: 5 is Integer[5, 5], [1, 'a'] a Tuple, {a: 1} a Struct. Of what is sensitive
 * only the kind is told. NULL is undef. */
const struct rh_datatype *rh_infer(struct rh_arena *a, const struct rh_value *v);

/* The type of keys and values of a hash that is not spelled as a Struct: Hash[K, V]. */
const struct rh_datatype *rh_infer_hash(struct rh_arena *a, const struct rh_value *v);

/* A hash that is spelled as a Struct: with keys, all of them strings that are not empty. */
bool rh_is_struct(const struct rh_value *v);

#endif
