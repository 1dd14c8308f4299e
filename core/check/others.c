/* SPDX-License-Identifier: Apache-2.0 */
/* others - that creating, changing, acting on and removing one resource leaves the others as they are: the
 * other states of the fixture, and whatever else the provider lists. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>

/* All resources at one time. */
struct picture {
    const struct rh_value **states; /* what is read of each state of the fixture */
    const struct rh_value *listed;  /* what is listed beyond them; NULL: it can't be listed */
};

static bool
can_list(const struct rh_checker *c)
{
    return c->type->slots & RH_HAS_GET && !c->fixture->unlisted && !c->fixture->coupled;
}

/* Whether it is one of the states, by its title: what is listed is canonical, and a state may be spelled
 * otherwise. */
static bool
is_state(struct rh_subject *s, const char *title)
{
    struct rh_checker *c = s->checker;

    for (size_t i = 0; i < c->fixture->n; i++) {
        const struct rh_value *name = rh_subject_canonical_name(s, &c->fixture->states[i]);

        if (name && strcmp(rh_resource_title(c->arena, c->type, name), title) == 0)
            return true;
    }
    return false;
}

/* The resources that are listed beyond the states, by title; NULL when listing fails. */
static const struct rh_value *
list_rest(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    struct rh_value *rest = rh_value_new(c->arena, RH_HASH);
    rh_autoerror struct rh_error err = { 0 };

    if (!can_list(c) || !rh_subject_again(s) || rh_subject_read(s, NULL, &err) < 0)
        return NULL;
    for (size_t i = 0; i < rh_value_count(s->items); i++) {
        const struct rh_value *item = rh_value_at(s->items, i);
        const char *title = rh_resource_title(c->arena, c->type, item);

        if (!is_state(s, title))
            rh_value_put(rest, title, rh_value_copy(c->arena, item));
    }
    return rest;
}

static struct picture
look_at_all(struct rh_subject *s)
{
    const struct rh_fixture *f = s->checker->fixture;
    struct picture p = { .states = rh_arena_alloc(s->checker->arena, f->n * sizeof *p.states) };

    for (size_t i = 0; i < f->n && rh_subject_again(s); i++)
        p.states[i] = rh_subject_look(s, &f->states[i], NULL);
    p.listed = list_rest(s);
    return p;
}

/* Compares the first `n` states, but the i-th, and what else is listed. */
static void
compare(struct rh_subject *s, size_t i, size_t n, const struct picture *before, const char *doing)
{
    const struct rh_fixture *f = s->checker->fixture;
    const struct picture after = look_at_all(s);

    for (size_t k = 0; k < n; k++)
        if (k != i && before->states[k]
            && (!after.states[k] || !rh_value_equal(before->states[k], after.states[k])))
            rh_check_say(s->checker, RH_CHECK_FAIL, "%s '%s' changes '%s' as well", doing, f->states[i].title,
                         f->states[k].title);
    for (size_t k = 0; after.listed && k < rh_value_count(before->listed); k++) {
        const struct rh_entry *e = rh_value_entry(before->listed, k);
        const struct rh_value *now = rh_value_get(after.listed, e->key);

        if (!now || !rh_value_equal(e->value, now))
            rh_check_say(s->checker, RH_CHECK_FAIL, "%s '%s' changes '%s' as well, which is in no manifest",
                         doing, f->states[i].title, e->key);
    }
}

static void
create_each(struct rh_subject *s)
{
    const struct rh_fixture *f = s->checker->fixture;

    for (size_t i = 0; i < f->n; i++) {
        const struct picture before = look_at_all(s);

        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        compare(s, i, i, &before, "creating");
    }
}

static void
change_each(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; i < f->n; i++) {
        const struct rh_value *updates = f->states[i].updates;
        const struct picture before = look_at_all(s);

        for (size_t k = 0; k < rh_value_count(updates); k++)
            rh_subject_converge(s, &f->states[i], rh_step_only(c, rh_value_entry(updates, k)),
                                RH_CONVERGE_APPLY, false);
        compare(s, i, f->n, &before, "changing");
        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
    }
}

static void
act_on_each(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;

    for (size_t k = 0; k < c->type->n_actions; k++)
        for (size_t i = 0; i < f->n; i++) {
            const char *action = c->type->actions[k].name;
            const struct picture before = look_at_all(s);

            rh_subject_act(s, &f->states[i], action, false);
            compare(s, i, f->n, &before, rh_arena_printf(c->arena, "action '%s' of", action));
            rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
        }
}

/* What was made last may be inside of another. */
static void
remove_each(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    const struct picture before = look_at_all(s);

    for (size_t i = f->n; i-- > 0 && c->type->ensure;) {
        rh_subject_converge(s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
        compare(s, i, i, &before, "removing");
    }
}

void
rh_check_others(struct rh_checker *c)
{
    struct rh_subject s;

    if (c->fixture->n < 2 && !can_list(c)) {
        rh_check_say(c, RH_CHECK_SKIP, "the fixture has no second state");
        return;
    }
    if (!rh_step_begin(&s, c, false))
        return;
    create_each(&s);
    change_each(&s);
    act_on_each(&s);
    remove_each(&s);
    rh_subject_close(&s);
}
