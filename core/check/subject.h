/* SPDX-License-Identifier: Apache-2.0 */
/* subject - the provider that is checked, in the process of the check. */
#ifndef RH_CHECK_SUBJECT_H
#define RH_CHECK_SUBJECT_H

#include "base/cleanup.h"
#include "base/text.h"
#include "provider/outcome.h"

#include <rhost/abi.h>

struct rh_arena;
struct rh_arena_source;
struct rh_checker;
struct rh_error;
struct rh_fixture_state;
struct rh_fixture_question;
struct rh_runtime;
struct rh_value;

struct rh_subject {
    struct rh_checker *checker;
    const struct rhost_plugin *plugin;
    struct rh_value *types;
    struct rh_runtime *rt;
    struct rh_value *items;               /* that were read */
    struct rh_buf log;                    /* what the provider said, a line each */
    struct rh_arena *before;              /* of the call before */
    const struct rh_arena_source *memory; /* of calls; NULL: the heap */
    void *gap;
    unsigned calls;
    /* Of the last resource: */
    enum rh_status status;
    const char *reason;           /* or "" */
    struct rh_value *differences; /* attribute to {from, to} */
    struct rh_value *was;         /* of a watch */
};

enum rh_converge_mode { RH_CONVERGE_APPLY, RH_CONVERGE_NOOP, RH_CONVERGE_TRIAL, RH_CONVERGE_REPLACE };

/* Loads the plugin: false after saying that it can't be. */
bool rh_subject_load(struct rh_subject *s, struct rh_checker *c);

/* And makes the provider ready. False, too, when it can't be checked here, which was said. */
bool rh_subject_open(struct rh_subject *s, struct rh_checker *c);
void rh_subject_close(struct rh_subject *s);

/* Closes and opens it: what it remembered is gone. */
bool rh_subject_again(struct rh_subject *s);

/* All resources (names NULL) or these into s->items, which is a new list. */
RH_CHECKED int rh_subject_read(struct rh_subject *s, const struct rh_value *names, struct rh_error *err);

/* For a checker of lookups and facts: the answer to a question, which is NULL where there is none. */
RH_CHECKED int rh_subject_ask(struct rh_subject *s, const struct rh_fixture_question *q,
                              const struct rh_value **answer, struct rh_error *err);

/* The name of a state; NULL when its title says none. */
struct rh_value *rh_subject_name(struct rh_subject *s, const struct rh_fixture_state *state);
/* The same as the provider spells it, in canonical form; NULL also where it refuses the name. */
const struct rh_value *rh_subject_canonical_name(struct rh_subject *s, const struct rh_fixture_state *state);

/* One resource as the runtime wants it, to be brought to `state` with `over` (may be NULL) laid over it, or
 * with `gone` away; what it points to lives in `a`. False: it does not fit, and s->reason says why. */
RH_CHECKED bool rh_subject_want(struct rh_subject *s, struct rh_arena *a,
                                const struct rh_fixture_state *state, const struct rh_value *over, bool gone,
                                struct rh_want *want);

/* Brings one resource to `state` with `over` (may be NULL) laid over it; or, with `gone`, away. What
 * came of it is in `s`. */
void rh_subject_converge(struct rh_subject *s, const struct rh_fixture_state *state,
                         const struct rh_value *over, enum rh_converge_mode mode, bool gone);

/* Has the provider do an action of its own to one resource. */
void rh_subject_act(struct rh_subject *s, const struct rh_fixture_state *state, const char *action,
                    bool noop);

/* Brings all states of the fixture about at once, each with what `over_of` (may be NULL) returns laid over
 * it; where that is NULL the state is left out. What came of the last of them is in `s`. */
void rh_subject_converge_all(struct rh_subject *s,
                             struct rh_value *(*over_of)(struct rh_checker *c,
                                                         const struct rh_fixture_state *state));

/* What the provider reads of the state's properties when it is wanted with `over` (may be NULL) laid
 * over it: a hash of {value} or {sha256}, NULL when it could not be read. */
const struct rh_value *rh_subject_look(struct rh_subject *s, const struct rh_fixture_state *state,
                                       const struct rh_value *over);

/* Makes all states of the fixture, if there is one. */
void rh_subject_prepare(struct rh_subject *s);

#endif
