/* SPDX-License-Identifier: Apache-2.0 */
/* trial - all that a fixture has a provider do while something fails. */
#include "config.h"

#include "check/trial.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/steps.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
rh_trial_note(struct rh_trial *t, const char *fmt, ...)
{
    va_list ap;

    if (*t->text)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(t->text, RH_TRIAL_TEXT, fmt, ap);
    va_end(ap);
}

void
rh_trial_expect_reason(struct rh_trial *t, const char *reason)
{
    if (!reason || !*reason || strstr(reason, "without a message"))
        rh_trial_note(t, "it fails without a message");
}

static bool
compares(const struct rh_trial *t)
{
    return !t->disturbed || t->disturbed(t->data);
}

void
rh_trial_read(struct rh_trial *t)
{
    const struct rh_fixture *f = t->checker->fixture;
    struct rh_subject *s = &t->subject;
    rh_autoerror struct rh_error err = { 0 };
    size_t n;
    int rc;

    if (!(t->checker->type->slots & RH_HAS_GET) || (f && f->unlisted))
        return;
    if (rh_subject_read(s, NULL, &err) < 0 || !rh_subject_again(s))
        return;
    n = rh_value_count(s->items);
    rh_buf_clear(&s->log);
    t->disturb(t->data, true);
    rc = rh_subject_read(s, NULL, &err);
    t->disturb(t->data, false);
    if (rc < 0)
        rh_trial_expect_reason(t, err.message);
    else if (compares(t) && rh_value_count(s->items) != n && !strstr(rh_buf_text(&s->log), "warning: "))
        rh_trial_note(t, "it reads %zu of %zu resources, and neither fails nor warns",
                      rh_value_count(s->items), n);
    (void)rh_subject_again(s);
}

static void
step(struct rh_trial *t, const struct rh_fixture_state *state, const struct rh_value *over)
{
    t->disturb(t->data, true);
    rh_subject_converge(&t->subject, state, over, RH_CONVERGE_APPLY, false);
    t->disturb(t->data, false);
    t->judge(t, state, over);
}

void
rh_trial_write(struct rh_trial *t)
{
    struct rh_checker *c = t->checker;
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; f && i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        step(t, state, NULL);
        for (size_t k = 0; k < rh_value_count(state->updates); k++)
            step(t, state, rh_step_only(c, rh_value_entry(state->updates, k)));
    }
    for (size_t i = f ? f->n : 0; i-- > 0 && c->type->ensure;)
        step(t, &f->states[i], rh_step_absent(c));
}

void
rh_trial_ask(struct rh_trial *t)
{
    const struct rh_questions *all = t->checker->questions;
    struct rh_subject *s = &t->subject;

    for (size_t i = 0; i < all->n; i++) {
        const struct rh_fixture_question *q = &all->list[i];
        rh_autoerror struct rh_error err = { 0 };
        rh_autoerror struct rh_error why = { 0 };
        const struct rh_value *full = NULL, *answer = NULL;
        int rc;

        if (rh_subject_ask(s, q, &full, &why) < 0 || !rh_subject_again(s))
            continue;
        t->disturb(t->data, true);
        rc = rh_subject_ask(s, q, &answer, &err);
        t->disturb(t->data, false);
        if (rc < 0)
            rh_trial_expect_reason(t, err.message);
        else if (compares(t) && (!full != !answer || (full && !rh_value_equal(full, answer))))
            rh_trial_note(t, "%s has another answer, and does not fail",
                          rh_question_name(t->checker->arena, q));
    }
}

uint64_t
rh_trial_stride(uint64_t n)
{
    for (uint64_t stride = n * 5 / 8 + 1;; stride++) {
        uint64_t a = stride, b = n;

        while (b) {
            uint64_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}
