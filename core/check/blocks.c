/* SPDX-License-Identifier: Apache-2.0 */
/* blocks - whether each block that a provider opens is ended in the same call, whatever the call is for. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "provider/call.h"
#include "provider/runtime.h"
#include "schema/type.h"

static void
on_left_open(void *data, const char *what, const char *title)
{
    struct rh_checker *c = data;

    if (title)
        rh_check_say(c, RH_CHECK_FAIL, "it left a block for '%s' open in %s", title, what);
    else
        rh_check_say(c, RH_CHECK_FAIL, "it left a block open in %s", what);
}

static struct rh_value *
first_update(struct rh_checker *c, const struct rh_fixture_state *state)
{
    return rh_value_count(state->updates) ? rh_step_only(c, rh_value_entry(state->updates, 0)) : NULL;
}

static struct rh_value *
absent(struct rh_checker *c, const struct rh_fixture_state *state)
{
    (void)state;
    return rh_step_absent(c);
}

/* One by one, and all at once, for real and under noop: a provider may have a way of its own for each. */
static void
write_all(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; i < f->n; i++) {
        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_NOOP, false);
        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        for (size_t k = 0; k < rh_value_count(f->states[i].updates); k++)
            rh_subject_converge(s, &f->states[i], rh_step_only(c, rh_value_entry(f->states[i].updates, k)),
                                RH_CONVERGE_APPLY, false);
        for (size_t k = 0; k < rh_value_count(f->states[i].refused); k++)
            rh_subject_converge(s, &f->states[i], rh_step_only(c, rh_value_entry(f->states[i].refused, k)),
                                RH_CONVERGE_APPLY, false);
        for (size_t k = 0; k < c->type->n_actions; k++)
            rh_subject_act(s, &f->states[i], c->type->actions[k].name, false);
    }
    rh_subject_converge_all(s, NULL);
    rh_subject_converge_all(s, first_update);
    if (c->type->ensure)
        rh_subject_converge_all(s, absent);
    rh_subject_converge_all(s, NULL);
    for (size_t i = f->n; i-- > 0 && c->type->ensure;)
        rh_subject_converge(s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
}

void
rh_check_blocks(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;

    rh_scope_watch(on_left_open, c);
    if (rh_step_begin(&s, c, false)) {
        if (c->type->slots & RH_HAS_GET && !c->fixture->unlisted)
            rh_discard(rh_subject_read(&s, NULL, &err));
        write_all(&s);
        rh_subject_close(&s);
    }
    rh_scope_watch(NULL, NULL);
}

void
rh_answers_blocks(struct rh_checker *c)
{
    struct rh_subject s;

    rh_scope_watch(on_left_open, c);
    if (rh_subject_open(&s, c)) {
        rh_answers_ask_all(&s);
        rh_subject_close(&s);
    }
    rh_scope_watch(NULL, NULL);
}
