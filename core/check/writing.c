/* SPDX-License-Identifier: Apache-2.0 */
/* writing - what becomes of the fixture's states when the provider is to make them. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"

#include <string.h>

/* What it reads meanwhile is what other checks are about. */
static void
judge(struct rh_subject *s, const struct rh_fixture_state *state, const char *doing)
{
    if (s->status != RH_FAILED)
        return;
    if (rh_check_is_about_reading(s->reason))
        rh_check_say(s->checker, RH_CHECK_SKIP, "what it reads is not as it should be");
    else
        (void)rh_step_ended(s, state, doing, RH_CHANGED);
}

void
rh_check_writes(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!rh_step_begin(&s, c, false))
        return;
    for (size_t i = 0; i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        rh_subject_converge(&s, state, NULL, RH_CONVERGE_APPLY, false);
        judge(&s, state, "making");
        for (size_t k = 0; k < rh_value_count(state->updates); k++) {
            rh_subject_converge(&s, state, rh_step_only(c, rh_value_entry(state->updates, k)),
                                RH_CONVERGE_APPLY, false);
            judge(&s, state, "changing");
        }
    }
    for (size_t i = f->n; i-- > 0 && c->type->ensure;) { /* what was made last goes first */
        rh_subject_converge(&s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
        judge(&s, &f->states[i], "removing");
    }
    rh_subject_close(&s);
}

void
rh_check_creates(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!rh_step_begin(&s, c, false))
        return;
    for (size_t i = 0; i < f->n; i++) {
        rh_subject_converge(&s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        (void)rh_step_ended(&s, &f->states[i], "making", rh_step_made(&s));
    }
    for (size_t i = 0; i < f->n && f->changes; i++)
        rh_step_holds(&s, &f->states[i], NULL, "made");
    rh_subject_close(&s);
}

void
rh_check_idempotent(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    struct rh_subject s;

    if (!rh_step_begin(&s, c, true) || !rh_step_list(c, &before))
        return;
    for (size_t i = 0; i < f->n; i++) {
        rh_subject_converge(&s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        (void)rh_step_ended(&s, &f->states[i], "making again", RH_UNCHANGED);
    }
    if (rh_step_list(c, &after))
        rh_step_compare_trees(c, &before, &after, "with nothing to do");
    rh_subject_close(&s);
}

static void
update(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_entry *e)
{
    struct rh_checker *c = s->checker;
    const struct rh_attr *attr = rh_type_attr(c->type, e->key);
    struct rh_value *over = rh_step_only(c, e);

    rh_subject_converge(s, state, over, RH_CONVERGE_APPLY, false);
    if (!rh_step_ended(s, state, "changing", RH_CHANGED))
        return;
    if (attr && rh_attr_is_property(attr))
        for (size_t i = 0; i < rh_value_count(s->differences); i++)
            if (strcmp(rh_value_entry(s->differences, i)->key, e->key) != 0)
                rh_check_say(c, RH_CHECK_FAIL, "changing '%s' of '%s' changes '%s' as well", e->key,
                             state->title, rh_value_entry(s->differences, i)->key);
    rh_step_holds(s, state, over, "changed");
    rh_subject_converge(s, state, NULL, RH_CONVERGE_APPLY, false); /* back to where it was */
}

/* Tries what each state has of one kind, `name` in the fixture, entry by entry. */
static void
each_entry(struct rh_checker *c, const char *name,
           const struct rh_value *(*list_of)(const struct rh_fixture_state *state),
           void (*one)(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_entry *e))
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;
    size_t n = 0;

    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < rh_value_count(list_of(&f->states[i])); k++, n++)
            one(&s, &f->states[i], rh_value_entry(list_of(&f->states[i]), k));
    if (!n)
        rh_check_say(c, RH_CHECK_SKIP, "no state of the fixture has '%s'", name);
    rh_subject_close(&s);
}

static const struct rh_value *
updates_of(const struct rh_fixture_state *state)
{
    return state->updates;
}

void
rh_check_updates(struct rh_checker *c)
{
    each_entry(c, "updates", updates_of, update);
}

static const struct rh_value *
replaced_of(const struct rh_fixture_state *state)
{
    return state->replaced;
}

/* As with `replace: true` in a manifest: what can only be set when it is created. */
static void
replace(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_entry *e)
{
    struct rh_value *over = rh_step_only(s->checker, e);

    rh_subject_converge(s, state, over, RH_CONVERGE_REPLACE, false);
    if (!rh_step_ended(s, state, "replacing", RH_CHANGED))
        return;
    rh_step_holds(s, state, over, "replaced");
    rh_subject_converge(s, state, NULL, RH_CONVERGE_REPLACE, false);
}

void
rh_check_replaces(struct rh_checker *c)
{
    each_entry(c, "replaced", replaced_of, replace);
}

/* What must go is known by its name alone: a parameter that says where it is would not be heeded. */
static bool
has_parameters(const struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < rh_value_count(f->states[i].given); k++) {
            const struct rh_attr *attr = rh_type_attr(c->type, rh_value_entry(f->states[i].given, k)->key);

            if (attr && attr->behaviour & RH_PARAMETER)
                return true;
        }
    return false;
}

/* Removes each state, `again` and again or once, as an absent one or as one that must go. */
static void
remove_all(struct rh_checker *c, bool gone, bool again)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!c->type->ensure) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no 'ensure'");
        return;
    }
    if (gone && has_parameters(c)) {
        rh_check_say(c, RH_CHECK_SKIP, "the fixture has parameters, which do not reach what must go");
        return;
    }
    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = f->n; i-- > 0;) {
        const struct rh_fixture_state *state = &f->states[i];

        rh_subject_converge(&s, state, gone ? NULL : rh_step_absent(c), RH_CONVERGE_APPLY, gone);
        if (!rh_step_ended(&s, state, "removing", RH_CHANGED))
            continue;
        if (rh_step_is_there(&s, state))
            rh_check_say(c, RH_CHECK_FAIL, "removed, '%s' is still there", state->title);
        if (!again)
            continue;
        rh_subject_converge(&s, state, rh_step_absent(c), RH_CONVERGE_APPLY, false);
        (void)rh_step_ended(&s, state, "removing again", RH_UNCHANGED);
    }
    rh_subject_close(&s);
}

void
rh_check_removes(struct rh_checker *c)
{
    remove_all(c, false, false);
}

void
rh_check_removes_anyway(struct rh_checker *c)
{
    remove_all(c, true, false);
}

void
rh_check_removes_again(struct rh_checker *c)
{
    remove_all(c, false, true);
}

/* Everything under noop: `judge` says whether what is reported counts, or what is touched. */
static void
under_noop(struct rh_subject *s, bool judge)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    enum rh_status would = f->changes ? RH_WOULD_CHANGE : RH_UNCHANGED;

    for (size_t i = 0; i < f->n; i++) {
        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_NOOP, false);
        if (judge)
            (void)rh_step_ended(s, &f->states[i], "making under noop", would);
    }
}

static void
update_under_noop(struct rh_subject *s, bool judge)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        for (size_t k = 0; k < rh_value_count(state->updates); k++) {
            rh_subject_converge(s, state, rh_step_only(c, rh_value_entry(state->updates, k)),
                                RH_CONVERGE_NOOP, false);
            if (judge)
                (void)rh_step_ended(s, state, "changing under noop", RH_WOULD_CHANGE);
        }
        if (!c->type->ensure)
            continue;
        rh_subject_converge(s, state, rh_step_absent(c), RH_CONVERGE_NOOP, false);
        if (judge)
            (void)rh_step_ended(s, state, "removing under noop", RH_WOULD_CHANGE);
    }
}

static void
check_noop(struct rh_checker *c, bool judge)
{
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    struct rh_subject s;

    if (!rh_step_begin(&s, c, false) || !rh_step_list(c, &before))
        return;
    under_noop(&s, judge);
    if (!rh_subject_again(&s) || !rh_step_list(c, &after))
        return;
    if (!judge)
        rh_step_compare_trees(c, &before, &after, "making under noop");
    rh_subject_prepare(&s);
    rh_buf_clear(&before);
    rh_buf_clear(&after);
    if (!rh_subject_again(&s) || !rh_step_list(c, &before))
        return;
    update_under_noop(&s, judge);
    rh_subject_close(&s);
    if (!judge && rh_step_list(c, &after))
        rh_step_compare_trees(c, &before, &after, "changing and removing under noop");
}

void
rh_check_noop(struct rh_checker *c)
{
    check_noop(c, false);
}

void
rh_check_noop_tells(struct rh_checker *c)
{
    check_noop(c, true);
}

static const struct rh_value *
refused_of(const struct rh_fixture_state *state)
{
    return state->refused;
}

static void
refuse(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_entry *e)
{
    struct rh_checker *c = s->checker;

    rh_subject_converge(s, state, rh_step_only(c, e), RH_CONVERGE_APPLY, false);
    if (s->status != RH_FAILED)
        rh_check_say(c, RH_CHECK_FAIL, "'%s' takes a value for '%s' that it should refuse", state->title,
                     e->key);
    else if (!strstr(s->reason, e->key))
        rh_check_say(c, RH_CHECK_FAIL, "refusing '%s', the message does not name it: %s", e->key, s->reason);
}

void
rh_check_refuses(struct rh_checker *c)
{
    each_entry(c, "refused", refused_of, refuse);
}

void
rh_subject_judge_log(struct rh_subject *s)
{
    for (const char *line = rh_buf_text(&s->log); *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "host ", 5) != 0 && memmem(line, strcspn(line, "\n"), "[redacted]", 10))
            rh_check_say(s->checker, RH_CHECK_FAIL, "it printed a sensitive value: %.*s",
                         (int)strcspn(line, "\n"), line);
}

/* What the provider says is shown without its secrets, and so where there was one. */
void
rh_check_secret(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    rh_autobuf struct rh_buf said = { 0 };
    struct rh_subject s;

    if (!c->secrets || !*c->secrets) {
        rh_check_say(c, RH_CHECK_SKIP, "no state of the fixture has a sensitive text of six bytes or more");
        return;
    }
    if (!rh_step_begin(&s, c, false))
        return;
    for (size_t i = 0; i < f->n; i++) {
        rh_subject_converge(&s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        rh_buf_add(&said, s.reason);
        rh_subject_converge(&s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        rh_buf_add(&said, s.reason);
    }
    if (strstr(rh_buf_text(&said), "[redacted]"))
        rh_check_say(c, RH_CHECK_FAIL, "the message of a failure contains a sensitive value");
    rh_subject_judge_log(&s);
    rh_subject_close(&s);
}
