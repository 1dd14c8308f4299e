/* SPDX-License-Identifier: Apache-2.0 */
/* afresh - whether a new transaction sees what others have changed since the last one. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "base/wait.h"
#include "check/parts.h"
#include "check/subject.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the other makes of a state: its first update, or nothing at all; NULL: it leaves it alone. */
static struct rh_value *
turn_of(struct rh_checker *c, const struct rh_fixture_state *state)
{
    struct rh_value *over = rh_value_new(c->arena, RH_HASH);

    if (rh_value_count(state->updates)) {
        const struct rh_entry *e = rh_value_entry(state->updates, 0);

        rh_value_put(over, e->key, rh_value_copy(c->arena, e->value));
    } else if (c->type->ensure) {
        rh_value_put(over, "ensure", rh_value_string(c->arena, "absent"));
    } else {
        return NULL;
    }
    return over;
}

/* The other: a process that was there before the plugin was loaded, and so shares nothing with it.
 * Changes all once it is told to; the last state first, as it may be inside of the one before. */
static void
change_all(struct rh_checker *c, int told)
{
    struct rh_subject s;
    char byte;

    if (read(told, &byte, 1) != 1 || !rh_subject_open(&s, c))
        _exit(1);
    for (size_t i = c->fixture->n; i-- > 0;) {
        struct rh_value *over = turn_of(c, &c->fixture->states[i]);

        if (!over)
            continue;
        rh_subject_converge(&s, &c->fixture->states[i], over, RH_CONVERGE_APPLY, false);
        if (s.status != RH_CHANGED)
            _exit(1);
    }
    rh_subject_close(&s);
    _exit(0);
}

static bool
has_changed_all(pid_t other, int tell)
{
    int status = 0;

    if (write(tell, "", 1) != 1)
        return false;
    return rh_wait_child(other, &status) == 0 && status == 0;
}

static void
compare(struct rh_checker *c, pid_t other, int tell)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!rh_subject_open(&s, c))
        return;
    rh_subject_prepare(&s);
    if (!rh_subject_again(&s))
        return;
    for (size_t i = 0; i < f->n; i++)
        rh_subject_converge(&s, &f->states[i], NULL, RH_CONVERGE_TRIAL, false);
    if (!has_changed_all(other, tell)) {
        rh_check_say(c, RH_CHECK_SKIP, "nobody else can change it");
        return;
    }
    if (!rh_subject_again(&s))
        return;
    for (size_t i = 0; i < f->n; i++) {
        struct rh_value *over = turn_of(c, &f->states[i]);

        if (!over)
            continue;
        rh_subject_converge(&s, &f->states[i], over, RH_CONVERGE_TRIAL, false);
        if (s.status != RH_UNCHANGED)
            rh_check_say(c, RH_CHECK_FAIL, "a new transaction does not see that another process changed '%s'",
                         f->states[i].title);
    }
    rh_subject_close(&s);
}

void
rh_check_afresh(struct rh_checker *c)
{
    int tell[2];
    pid_t other;

    if (!c->fixture->changes) {
        rh_check_say(c, RH_CHECK_SKIP, "it has nothing that could change");
        return;
    }
    if (pipe2(tell, O_CLOEXEC) < 0 || (other = fork()) < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "there is no other process to change it");
        return;
    }
    if (other == 0) {
        (void)close(tell[1]);
        change_all(c, tell[0]);
    }
    compare(c, other, tell[1]);
    (void)close(tell[0]);
    (void)close(tell[1]);
}
