/* SPDX-License-Identifier: Apache-2.0 */
/* explain - gathering complaints; shared with explain-variant.c. */
#ifndef RH_DATATYPE_EXPLAIN_H
#define RH_DATATYPE_EXPLAIN_H

#include "datatype/tree.h"

#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_value;

/* mismatch.c: one complaint about a value: where, what was expected, what is there. */

enum rh_step_kind { RH_STEP_INDEX, RH_STEP_ENTRY, RH_STEP_KEY, RH_STEP_VARIANT };

/* The way from the value that was asked about, last step first. */
struct rh_value_step {
    const struct rh_value_step *up; /* NULL: at the value itself */
    enum rh_step_kind kind;
    size_t index;
    const char *key;
};

enum rh_mismatch_kind {
    RH_MIS_TYPE,
    RH_MIS_PATTERN, /* "a match for": an Enum or Pattern */
    RH_MIS_SIZE,
    RH_MIS_MISSING, /* key */
    RH_MIS_UNKNOWN, /* key */
};

struct rh_mismatch {
    enum rh_mismatch_kind kind;
    const struct rh_value_step *path;
    const struct rh_datatype *expected; /* normalized */
    const struct rh_value *actual;
    bool sensitive; /* `actual` is, or is inside of what is */
    bool unsized;   /* a hash whose size is right: only its keys and values are explained */
    struct rh_range size;
    int64_t count;
    const char *key;
};

size_t rh_step_depth(const struct rh_value_step *path);
/* The same way but for alternatives that were tried ("variant 1"). */
bool rh_step_same(const struct rh_value_step *a, const struct rh_value_step *b);

/* "SUBJECT index 0 expects an Integer value, got String". */
void rh_mismatch_print(struct rh_buf *b, struct rh_arena *scratch, const char *subject,
                       const struct rh_mismatch *m);

struct rh_explain {
    struct rh_arena *arena; /* scratch */
    struct rh_mismatch *v;  /* heap */
    size_t n, cap;
    size_t left_out;          /* complaints that found no room */
    struct rh_mismatch spare; /* where they go */
};

struct rh_mismatch_subject {
    const struct rh_value *value; /* NULL: undef */
    bool sensitive;               /* it or what it is in */
    const struct rh_value_step *path;
};

void rh_explain_type(struct rh_explain *x, const struct rh_datatype *expected,
                     const struct rh_mismatch_subject *s);

struct rh_mismatch_subject rh_explain_step(struct rh_explain *x, const struct rh_mismatch_subject *s,
                                           enum rh_step_kind kind, size_t index, const char *key,
                                           const struct rh_value *v);

/* Complains when the value doesn't fit. */
void rh_explain_value(struct rh_explain *x, const struct rh_datatype *t, const struct rh_mismatch_subject *s);

/* The same for a normalized Variant that is known not to fit; `declared` is what messages name. */
void rh_explain_variant(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
                        const struct rh_mismatch_subject *s);

#endif
