/* SPDX-License-Identifier: Apache-2.0 */
/* validates - whether validate() is what the header says: it looks at the resource alone, and answers the
 * same each time. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "provider/runtime.h"
#include "schema/type.h"

#include <string.h>

enum { MADE_UP = 100, MOST = 1000 };

/* What the provider answers: "" when it takes the resource. */
static const char *
answer(struct rh_subject *s, const struct rh_value *resource)
{
    struct rh_arena *a = s->checker->arena;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_refusal refusal;

    if (rh_runtime_validate(s->rt, a, rh_value_copy(a, resource), true, NULL, &refusal, &err) == 0)
        return "";
    return rh_arena_strdup(a, err.message ? err.message : "no reason given");
}

/* Resources to ask about, with their titles (or ""), and what was answered first. */
struct list {
    const struct rh_value *resources[MOST];
    const char *titles[MOST];
    const char *answers[MOST];
    size_t n;
};

static void
add(struct list *list, const char *title, const struct rh_value *resource)
{
    if (list->n == MOST)
        return;
    list->titles[list->n] = title;
    list->resources[list->n++] = resource;
}

static void
add_states(struct rh_subject *s, struct list *list)
{
    struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    struct rh_want want;

    for (size_t i = 0; f && i < f->n; i++) {
        const struct rh_value *updates = f->states[i].updates;

        if (rh_subject_want(s, c->arena, &f->states[i], NULL, false, &want))
            add(list, f->states[i].title, want.should);
        for (size_t k = 0; k < rh_value_count(updates); k++)
            if (rh_subject_want(s, c->arena, &f->states[i], rh_step_only(c, rh_value_entry(updates, k)),
                                false, &want))
                add(list, f->states[i].title, want.should);
    }
}

/* Asks about all, and compares with what was answered before, if anything was. */
static void
ask_all(struct rh_subject *s, struct list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *now = answer(s, list->resources[i]), *before = list->answers[i];

        if (!before && *list->titles[i] && *now)
            rh_check_say(s->checker, RH_CHECK_FAIL, "validate() refuses '%s': %s", list->titles[i], now);
        if (before && strcmp(before, now) != 0)
            rh_check_say(s->checker, RH_CHECK_FAIL, "validate() answers '%s' once, and then '%s'",
                         *before ? before : "nothing", *now ? now : "nothing");
        list->answers[i] = now;
    }
}

void
rh_check_validates(struct rh_checker *c)
{
    struct list *list = rh_arena_alloc(c->arena, sizeof *list);
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    uint64_t seed = c->options->seed;
    struct rh_subject s;

    *list = (struct list){ 0 };
    if (!(c->type->slots & RH_HAS_VALIDATE)) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no validate");
        return;
    }
    if (!rh_subject_open(&s, c) || (c->fixture && !rh_step_list(c, &before)))
        return;
    add_states(&s, list);
    for (int i = 0; i < MADE_UP; i++)
        add(list, "", rh_sample_resource(c->arena, c->type, &seed));
    ask_all(&s, list);
    ask_all(&s, list);
    if (rh_subject_again(&s))
        ask_all(&s, list);
    rh_subject_close(&s);
    if (c->fixture && rh_step_list(c, &after))
        rh_step_compare_trees(c, &before, &after, "validating");
}
