/* SPDX-License-Identifier: Apache-2.0 */
/* names - resources with names that need quoting, and whether a list has what is read by name. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "datatype/datatype.h"
#include "provider/runtime.h"
#include "schema/type.h"

#include <string.h>

/* What is put into a name, one at a time. */
static const char *const signs[] = { " b", "'b", "\"b", ";b", "$b", "\\b", "*b", "%sb", "\xc3\xa4" };

static bool
can_be_listed(const struct rh_checker *c)
{
    return c->type->slots & RH_HAS_GET && !c->fixture->unlisted;
}

/* Whether the list, which is s->items, has a resource of this name. */
static bool
is_listed(const struct rh_subject *s, const struct rh_value *name)
{
    for (size_t i = 0; i < rh_value_count(s->items); i++) {
        const struct rh_value *item = rh_value_at(s->items, i);
        size_t k = 0, n = rh_value_count(name);

        while (k < n && rh_value_get(item, rh_value_entry(name, k)->key)
               && rh_value_equal(rh_value_get(item, rh_value_entry(name, k)->key),
                                 rh_value_entry(name, k)->value))
            k++;
        if (n && k == n)
            return true;
    }
    return false;
}

/* Reads everything, and says whether this state is there. */
static bool
lists(struct rh_subject *s, const struct rh_fixture_state *state)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *name = rh_subject_canonical_name(s, state);

    return name && rh_subject_again(s) && rh_subject_read(s, NULL, &err) == 0 && is_listed(s, name);
}

void
rh_check_listed(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    const struct rh_fixture_state *one = NULL;
    struct rh_subject s;

    if (!can_be_listed(c)) {
        rh_check_say(c, RH_CHECK_SKIP, "it cannot be listed");
        return;
    }
    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = 0; i < f->n; i++)
        if (lists(&s, &f->states[i]))
            one = &f->states[i];
    for (size_t i = 0; i < f->n && one; i++)
        if (!lists(&s, &f->states[i]) && rh_step_is_there(&s, &f->states[i]))
            rh_check_say(c, RH_CHECK_FAIL, "'%s' is read by its name, but is not in the list that has '%s'",
                         f->states[i].title, one->title);
    if (!one)
        rh_check_say(c, RH_CHECK_SKIP, "its list has no state of the fixture");
    rh_subject_close(&s);
}

/* Makes one, reads it and removes it. A name that is refused is not managed, which is as good. */
static void
try_name(struct rh_subject *s, const struct rh_fixture_state *state, bool listed)
{
    struct rh_checker *c = s->checker;

    rh_subject_converge(s, state, NULL, RH_CONVERGE_APPLY, false);
    if (s->status == RH_FAILED && strstr(s->reason, "without a message"))
        rh_check_say(c, RH_CHECK_FAIL, "making '%s' fails: %s", state->title, s->reason);
    if (s->status != RH_CHANGED)
        return;
    if (!rh_step_is_there(s, state))
        rh_check_say(c, RH_CHECK_FAIL, "made, '%s' is not found by its name", state->title);
    else if (listed && !lists(s, state))
        rh_check_say(c, RH_CHECK_FAIL, "made, '%s' is not in the list", state->title);
    rh_step_holds(s, state, NULL, "made");
    rh_subject_converge(s, state, rh_step_absent(c), RH_CONVERGE_APPLY, false);
    if (s->status != RH_CHANGED)
        rh_check_say(c, RH_CHECK_FAIL, "removing '%s' is reported as %s: %s", state->title,
                     rh_status_name(s->status), s->reason);
    else if (rh_step_is_there(s, state))
        rh_check_say(c, RH_CHECK_FAIL, "removed, '%s' is still there", state->title);
}

/* Behind the first letter of its last part: what is before and behind may mean something. */
static const char *
with_sign(struct rh_arena *a, const char *name, const char *sign)
{
    const char *slash = strrchr(name, '/');
    size_t at = slash ? (size_t)(slash - name) + 1 : 0;

    at += name[at] != '\0';
    return rh_arena_printf(a, "%.*s%s%s", (int)at, name, sign, name + at);
}

void
rh_check_names(struct rh_checker *c)
{
    const struct rh_attr *namevar = c->type->n_namevars == 1 ? c->type->namevars[0] : NULL;
    double until = rh_now() + rh_check_seconds(c->options) / 20.0;
    struct rh_fixture_state state;
    const char *name = NULL;
    struct rh_subject s;
    bool listed;
    size_t n = 0;

    if (!namevar || !c->type->ensure || !c->fixture->changes) {
        rh_check_say(c, RH_CHECK_SKIP, "its names cannot be made up");
        return;
    }
    if (!rh_step_begin(&s, c, true))
        return;
    state = c->fixture->states[0];
    name = rh_value_get_str(rh_subject_name(&s, &state), namevar->name, NULL);
    listed = can_be_listed(c) && lists(&s, &state);
    for (size_t i = 0; name && (!n || rh_now() < until) && i < sizeof signs / sizeof signs[0]; i++) {
        struct rh_value *other = rh_value_string(c->arena, with_sign(c->arena, name, signs[i]));

        if (!rh_datatype_match(namevar->type, other))
            continue;
        state.title = rh_value_str(other, "");
        state.given = rh_value_copy(c->arena, c->fixture->states[0].given);
        rh_value_put(state.given, namevar->name, other);
        try_name(&s, &state, listed);
        n++;
    }
    if (!n)
        rh_check_say(c, RH_CHECK_SKIP, "its type takes no name that needs quoting");
    rh_subject_close(&s);
}
