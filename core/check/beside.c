/* SPDX-License-Identifier: Apache-2.0 */
/* beside - what changing one thing does beside it: to other attributes, and in a batch. Other resources:
 * others.c. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"

#include <string.h>

/* --- alone: what a manifest does not name keeps its value. ------------------------------------- */

/* The state with nothing asked for but what says which resource it is, and whether it is there. */
static struct rh_fixture_state
bare(struct rh_checker *c, const struct rh_fixture_state *state)
{
    struct rh_fixture_state only = *state;

    only.given = rh_value_new(c->arena, RH_HASH);
    for (size_t i = 0; i < rh_value_count(state->given); i++) {
        const struct rh_entry *e = rh_value_entry(state->given, i);
        const struct rh_attr *attr = rh_type_attr(c->type, e->key);

        if (attr && (!rh_attr_is_property(attr) || attr == c->type->ensure))
            rh_value_put(only.given, e->key, rh_value_copy(c->arena, e->value));
    }
    return only;
}

/* An attribute that the state has set, that has no default, and that reads another value now; or NULL. */
static const char *
reset_attribute(const struct rh_checker *c, const struct rh_fixture_state *state, const char *but,
                const struct rh_value *before, const struct rh_value *after)
{
    for (size_t i = 0; i < rh_value_count(state->given); i++) {
        const char *key = rh_value_entry(state->given, i)->key;
        const struct rh_attr *attr = rh_type_attr(c->type, key);
        const struct rh_value *was = rh_value_get(before, key), *is = rh_value_get(after, key);

        if (strcmp(key, but) == 0 || !attr || !rh_attr_is_property(attr) || attr->default_value || !was)
            continue;
        if (!is || !rh_value_equal(was, is))
            return key;
    }
    return NULL;
}

static void
change_alone(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_entry *e)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture_state only = bare(c, state);
    const struct rh_value *before, *after;
    const char *key;

    before = rh_subject_again(s) ? rh_subject_look(s, state, NULL) : NULL;
    rh_subject_converge(s, &only, rh_step_only(c, e), RH_CONVERGE_APPLY, false);
    if (before && s->status == RH_FAILED)
        rh_check_say(
            c, RH_CHECK_WARN,
            "'%s' of '%s' cannot be changed by a manifest that does not name the others, and so not by an "
            "undo: %s",
            e->key, state->title, s->reason);
    if (before && s->status == RH_CHANGED && rh_subject_again(s)) {
        after = rh_subject_look(s, state, NULL);
        key = after ? reset_attribute(c, state, e->key, before, after) : NULL;
        if (key)
            rh_check_say(c, RH_CHECK_FAIL,
                         "changing '%s' of '%s', where the manifest does not name '%s', changes '%s' as well",
                         e->key, state->title, key, key);
    }
    rh_subject_converge(s, state, NULL, RH_CONVERGE_APPLY, false); /* back to where it was */
}

void
rh_check_alone(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;
    size_t n = 0;

    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < rh_value_count(f->states[i].updates); k++, n++)
            change_alone(&s, &f->states[i], rh_value_entry(f->states[i].updates, k));
    if (!n)
        rh_check_say(c, RH_CHECK_SKIP, "no state of the fixture has 'updates'");
    rh_subject_close(&s);
}

/* --- batch: all at once. ----------------------------------------------------------------------- */

static struct rh_value *
first_update(struct rh_checker *c, const struct rh_fixture_state *state)
{
    if (!rh_value_count(state->updates))
        return NULL;
    return rh_step_only(c, rh_value_entry(state->updates, 0));
}

static struct rh_value *
first_update_or_none(struct rh_checker *c, const struct rh_fixture_state *state)
{
    struct rh_value *over = first_update(c, state);

    return over ? over : rh_value_new(c->arena, RH_HASH);
}

void
rh_check_batch(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (f->n < 2 || !f->changes) {
        rh_check_say(c, RH_CHECK_SKIP, "the fixture has no second state");
        return;
    }
    if (!rh_step_begin(&s, c, false))
        return;
    rh_subject_converge_all(&s, NULL);
    for (size_t i = 0; i < f->n; i++)
        rh_step_holds(&s, &f->states[i], NULL, "made with others at once");
    rh_subject_converge_all(&s, first_update_or_none);
    for (size_t i = 0; i < f->n; i++)
        rh_step_holds(&s, &f->states[i], first_update(c, &f->states[i]), "changed with others at once");
    rh_subject_close(&s);
}
