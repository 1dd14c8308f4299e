/* SPDX-License-Identifier: Apache-2.0 */
/* actions - each action of a type, tried with the fixture's first state; and memory over many calls. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RH_SANITIZERS
/* Of <sanitizer/allocator_interface.h>, which not every compiler installs. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

/* What no provider may answer, whatever happened. */
static bool
breaks_rules(const char *reason)
{
    return strstr(reason, "without a message") || strstr(reason, "is not a valid result")
           || strstr(reason, "violated the ABI contract");
}

void
rh_check_acts(struct rh_checker *c)
{
    const struct rh_fixture_state *state = &c->fixture->states[0];
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    struct rh_subject s;

    if (!c->type->n_actions) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no action");
        return;
    }
    if (!rh_step_begin(&s, c, true))
        return;
    for (size_t i = 0; i < c->type->n_actions; i++) {
        const char *action = c->type->actions[i].name;

        rh_buf_clear(&before);
        rh_buf_clear(&after);
        if (!rh_step_list(c, &before))
            break;
        rh_subject_act(&s, state, action, true);
        if (rh_step_list(c, &after))
            rh_step_compare_trees(c, &before, &after, "with an action under noop");
        rh_subject_act(&s, state, action, false);
        if (s.status == RH_FAILED && breaks_rules(s.reason))
            rh_check_say(c, RH_CHECK_FAIL, "action '%s' fails: %s", action, s.reason);
        rh_subject_converge(&s, state, NULL, RH_CONVERGE_APPLY, false);
    }
    rh_subject_close(&s);
}

/* --- grows ------------------------------------------------------------------------------------- */

enum {
    CALLS = 1000,
    LEAST = 60,            /* calls, however long they take */
    WARM = 20,             /* calls after which caches are filled */
    MOST_PER_CALL = 256,   /* bytes */
    MOST_IN_ALL = 1 << 18, /* below which nothing is told */
    ENOUGH = 64 << 20,     /* to tell it at once */
};

static size_t
used(void)
{
#ifdef RH_SANITIZERS
    /* Their allocator is not that of the C library. */
    return __sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__)
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
#else
    /* Pages are what can be told: the second number of statm. */
    rh_autofree char *text = rh_read_file("/proc/self/statm", 4096, NULL, NULL);
    const char *resident = text ? strchr(text, ' ') : NULL;

    return resident ? strtoul(resident, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
#endif
}

/* One transaction that reads one resource, in memory of its own. */
static void
read_once(struct rh_subject *s)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_arena *kept = s->checker->arena;
    const struct rh_fixture *f = s->checker->fixture;

    s->checker->arena = a;
    if (!rh_subject_again(s))
        return;
    if (s->checker->questions)
        rh_answers_ask_all(s);
    else
        (void)rh_subject_look(s, &f->states[0], NULL);
    rh_buf_clear(&s->log);
    s->differences = NULL;
    s->was = NULL;
    s->reason = "";
    s->checker->arena = kept;
}

void
rh_check_grows(struct rh_checker *c)
{
    double until = rh_now() + rh_check_seconds(c->options) / 40.0;
    bool can = c->questions ? c->questions->n != 0 : c->fixture && c->fixture->n;
    size_t at_first = 0, now, n = 0;
    struct rh_subject s;

    if (!can) {
        rh_check_say(c, RH_CHECK_SKIP, "it needs a fixture, with %s",
                     c->questions ? "questions to ask" : "states to try");
        return;
    }
    if (rh_check_is_program(c->options)) {
        rh_check_say(c, RH_CHECK_SKIP, "its memory is that of a program of its own");
        return;
    }
    if (!rh_subject_open(&s, c))
        return;
    for (; n < CALLS && (n < LEAST || rh_now() < until) && (n <= WARM || used() < at_first + ENOUGH); n++) {
        if (n == WARM)
            at_first = used();
        read_once(&s);
    }
    now = used();
    if (n > WARM && now > at_first + MOST_IN_ALL && (now - at_first) / (n - WARM) > MOST_PER_CALL)
        rh_check_say(c, RH_CHECK_FAIL, "its memory grows by %zu bytes with each call (%zu calls)",
                     (now - at_first) / (n - WARM), n - WARM);
    rh_subject_close(&s);
}
