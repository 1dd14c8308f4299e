/* SPDX-License-Identifier: Apache-2.0 */
/* steps - what the checks of writing do again and again, and how they judge it. */
#ifndef RH_CHECK_STEPS_H
#define RH_CHECK_STEPS_H

#include "provider/outcome.h"

#include <stdbool.h>

struct rh_buf;
struct rh_checker;
struct rh_entry;
struct rh_fixture_state;
struct rh_subject;
struct rh_value;

/* One attribute as a hash to lay over a state. */
struct rh_value *rh_step_only(struct rh_checker *c, const struct rh_entry *e);
struct rh_value *rh_step_absent(struct rh_checker *c);
/* Whether it ended as expected; says that it did not. */
bool rh_step_ended(struct rh_subject *s, const struct rh_fixture_state *state, const char *doing,
                   enum rh_status expected);
/* What making a state is. */
enum rh_status rh_step_made(const struct rh_subject *s);
/* After writing, read afresh, nothing is left to do. */
void rh_step_holds(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
                   const char *after);
/* Looked at as what is to be absent: of what is in two places, that may mean one of them. */
bool rh_step_is_there(struct rh_subject *s, const struct rh_fixture_state *state);
/* Opens; and makes the states, unless it is not wanted. */
bool rh_step_begin(struct rh_subject *s, struct rh_checker *c, bool prepare);
/* All that is the fixture's as text; false after saying that it can't be listed. */
bool rh_step_list(struct rh_checker *c, struct rh_buf *b);
/* Says that something was touched, with the first line that is new. */
void rh_step_compare_trees(struct rh_checker *c, const struct rh_buf *before, const struct rh_buf *after,
                           const char *when);

/* Reads, and with a fixture writes, what the provider is there for; what comes of it does not matter. */
void rh_step_exercise(struct rh_subject *s);

#endif
