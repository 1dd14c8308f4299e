/* SPDX-License-Identifier: Apache-2.0 */
/* steps - what the checks of writing do again and again, and how they judge it. */
#include "config.h"

#include "check/steps.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/scratch.h"
#include "check/subject.h"
#include "schema/type.h"

#include <string.h>

enum { SHOWN = 80 }; /* bytes of a value in a message */

/* One attribute as a hash to lay over a state. */
struct rh_value *
rh_step_only(struct rh_checker *c, const struct rh_entry *e)
{
    struct rh_value *v = rh_value_new(c->arena, RH_HASH);

    rh_value_put(v, e->key, rh_value_copy(c->arena, e->value));
    return v;
}

struct rh_value *
rh_step_absent(struct rh_checker *c)
{
    struct rh_value *v = rh_value_new(c->arena, RH_HASH);

    rh_value_put(v, "ensure", rh_value_string(c->arena, "absent"));
    return v;
}

/* Whether it ended as expected; says that it did not. */
bool
rh_step_ended(struct rh_subject *s, const struct rh_fixture_state *state, const char *doing,
              enum rh_status expected)
{
    if (s->status == expected)
        return true;
    if (s->status == RH_FAILED)
        rh_check_say(s->checker, RH_CHECK_FAIL, "%s '%s' fails: %s", doing, state->title, s->reason);
    else
        rh_check_say(s->checker, RH_CHECK_FAIL, "%s '%s' is reported as %s, expected %s", doing, state->title,
                     rh_status_name(s->status), rh_status_name(expected));
    return false;
}

/* What making a state is. */
enum rh_status
rh_step_made(const struct rh_subject *s)
{
    return s->checker->fixture->changes ? RH_CHANGED : RH_UNCHANGED;
}

/* A property that is not as it was made, with what is read and what was asked for. */
static void
tell_difference(struct rh_subject *s, const struct rh_fixture_state *state, const char *after)
{
    const struct rh_entry *e = rh_value_count(s->differences) ? rh_value_entry(s->differences, 0) : NULL;
    const struct rh_value *from = e ? rh_value_get(e->value, "from") : NULL;
    const struct rh_value *to = e ? rh_value_get(e->value, "to") : NULL;
    rh_autobuf struct rh_buf is = { 0 };
    rh_autobuf struct rh_buf should = { 0 };

    if (from)
        rh_value_show(&is, from, SHOWN);
    if (to)
        rh_value_show(&should, to, SHOWN);
    rh_check_say(s->checker, RH_CHECK_FAIL, "%s, '%s' of '%s' is not the desired value: %s%s, expected %s",
                 after, e ? e->key : "something", state->title, from ? "it is " : "nothing was read of it",
                 rh_buf_text(&is), to ? rh_buf_text(&should) : "none");
}

/* After writing, read afresh, nothing is left to do. */
void
rh_step_holds(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
              const char *after)
{
    if (!rh_subject_again(s))
        return;
    rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
    if (s->status == RH_FAILED)
        rh_check_say(s->checker, RH_CHECK_FAIL, "%s, '%s' cannot be compared: %s", after, state->title,
                     s->reason);
    else if (s->status != RH_UNCHANGED)
        tell_difference(s, state, after);
}

/* Looked at as what is to be absent: of what is in two places, that may mean one of them. */
bool
rh_step_is_there(struct rh_subject *s, const struct rh_fixture_state *state)
{
    const struct rh_value *was =
        rh_subject_again(s) ? rh_subject_look(s, state, rh_step_absent(s->checker)) : NULL;
    const struct rh_value *ensure = rh_value_get(was, "ensure");

    return strcmp(rh_value_get_str(ensure, "value", ""), "absent") != 0;
}

/* Opens; and makes the states, unless it is not wanted. */
bool
rh_step_begin(struct rh_subject *s, struct rh_checker *c, bool prepare)
{
    if (!rh_subject_open(s, c))
        return false;
    if (prepare)
        rh_subject_prepare(s);
    return rh_subject_again(s);
}

/* All that is the fixture's as text; false after saying that it can't be listed. */
bool
rh_step_list(struct rh_checker *c, struct rh_buf *b)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_scratch_list(b, c->fixture, &err) == 0)
        return true;
    rh_check_say(c, RH_CHECK_WARN, "%s", err.message);
    return false;
}

/* Says that something was touched, with the first line that is new. */
void
rh_step_compare_trees(struct rh_checker *c, const struct rh_buf *before, const struct rh_buf *after,
                      const char *when)
{
    const char *old = rh_buf_text(before), *new = rh_buf_text(after), *path;
    size_t same = 0, start;

    if (strcmp(old, new) == 0)
        return;
    while (old[same] && old[same] == new[same])
        same++;
    for (start = same; start && new[start - 1] != '\n'; start--)
        continue;
    path = new[start] ? new + start : old + start;
    for (path += strcspn(path, "\n"); path > rh_buf_text(after) && path[-1] != ' ' && path[-1] != '\n';)
        path--;
    rh_check_say(c, RH_CHECK_FAIL, "%s, it touched '%.*s'", when, (int)strcspn(path, "\n"), path);
}

void
rh_step_exercise(struct rh_subject *s)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    rh_autoerror struct rh_error err = { 0 };

    if (c->type->slots & RH_HAS_GET && !(f && f->unlisted))
        rh_discard(rh_subject_read(s, NULL, &err));
    for (size_t i = 0; f && i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        rh_subject_converge(s, state, NULL, RH_CONVERGE_NOOP, false);
        rh_subject_converge(s, state, NULL, RH_CONVERGE_APPLY, false);
        for (size_t k = 0; k < rh_value_count(state->updates); k++)
            rh_subject_converge(s, state, rh_step_only(c, rh_value_entry(state->updates, k)),
                                RH_CONVERGE_APPLY, false);
    }
    for (size_t i = f ? f->n : 0; i-- > 0 && c->type->ensure;)
        rh_subject_converge(s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
}
