/* SPDX-License-Identifier: Apache-2.0 */
/* question - what the lookups and facts of a plugin are asked, and what they must answer: those of the
 * fixture, and each fact that it does not name, which anything that fits will do for.
 *
 *     questions:
 *       - lookup: vault             or fact: site
 *         parameters: {path: db}    of a lookup
 *         answer: secret            what it must be; or one of these:
 *         absent: true              there must be none
 *         fails: true               it must fail, with a message
 */
#ifndef RH_CHECK_QUESTION_H
#define RH_CHECK_QUESTION_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_attr;
struct rh_buf;
struct rh_complaints;
struct rh_error;
struct rh_type;
struct rh_value;

struct rh_fixture_question {
    const char *name;
    const struct rh_type *lookup;  /* NULL: a fact */
    const struct rh_attr *answer;  /* what its type says */
    struct rh_value *parameters;   /* of a lookup, with the defaults */
    const struct rh_value *wanted; /* the answer, or NULL: any that fits */
    bool absent, fails;
};

struct rh_questions {
    struct rh_type *facts; /* as attributes */
    const struct rh_type **lookups;
    size_t n_lookups;
    struct rh_fixture_question *list;
    size_t n;
};

/* Whether the list of a fixture has the right form; complains of what has not. */
void rh_questions_inspect(const struct rh_value *list, struct rh_complaints *complaints);

/* Makes them of the lookups and facts of a description, and the list of a fixture, which may be NULL. -1 when
 * a type can't be read, with the reason, or after complaining. */
RH_CHECKED int rh_questions_read(struct rh_questions *q, struct rh_arena *a, const struct rh_value *source,
                                 const struct rh_value *list, struct rh_complaints *complaints,
                                 struct rh_error *err);

/* A lookup that no question is about, or NULL. */
const char *rh_questions_missing(const struct rh_questions *q);

/* Adds the sensitive texts in parameters and answers, each with a NUL. */
void rh_questions_add_secrets(struct rh_buf *b, const struct rh_questions *q);

/* "lookup 'vault'", in the arena. */
const char *rh_question_name(struct rh_arena *a, const struct rh_fixture_question *q);

#endif
