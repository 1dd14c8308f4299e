/* SPDX-License-Identifier: Apache-2.0 */
/* data-type-batch - questions about data types, and many of them on standard input. */
#ifndef RH_CLI_DATA_TYPE_BATCH_H
#define RH_CLI_DATA_TYPE_BATCH_H

struct rh_aliases;
struct rh_arena;
struct rh_datatype;
struct rh_value;

struct rh_type_question {
    const struct rh_datatype *type;
    struct rh_value *value; /* NULL: it is about the type alone, or there is a text */
    const char *text;       /* to be read by the type; NULL: none */
    const char *subject;    /* what messages start with; may be empty */
};

/* A hash: `instance` and `message` for a value; with `value` when it was read from text; `type`, its
 * canonical text, when there is no value; `error` when a pattern takes too many steps. */
struct rh_value *rh_type_question_answer(struct rh_arena *a, const struct rh_type_question *q);

/* Answers lines of JSON, from standard input to standard output; the exit status. */
int rh_data_type_batch(const struct rh_aliases *aliases);

#endif
