/* SPDX-License-Identifier: Apache-2.0 */
/* explain - gathering complaints; shared with explain-variant.c. */
#ifndef RH_DATATYPE_EXPLAIN_H
#define RH_DATATYPE_EXPLAIN_H

#include "datatype/mismatch.h"

#include <stddef.h>

struct rh_explain {
    struct rh_arena *arena; /* scratch */
    struct rh_mismatch *v;  /* heap */
    size_t n, cap;
    size_t left_out;          /* complaints that found no room */
    struct rh_mismatch spare; /* where they go */
};

struct rh_subject {
    const struct rh_value *value; /* NULL: undef */
    bool sensitive;               /* it or what it is in */
    const struct rh_step *path;
};

void rh_explain_type(struct rh_explain *x, const struct rh_datatype *expected,
                     const struct rh_subject *s);

struct rh_subject rh_explain_step(struct rh_explain *x, const struct rh_subject *s,
                                  enum rh_step_kind kind, size_t index, const char *key,
                                  const struct rh_value *v);

/* Complains when the value doesn't fit. */
void rh_explain_value(struct rh_explain *x, const struct rh_datatype *t,
                      const struct rh_subject *s);

/* The same for a normalized Variant that is known not to fit; `declared` is what messages name. */
void rh_explain_variant(struct rh_explain *x, const struct rh_datatype *t,
                        const struct rh_datatype *declared, const struct rh_subject *s);

#endif
