/* SPDX-License-Identifier: Apache-2.0 */
/* stops - whether long work ends when the run is to end, and whether what is reported then is so.
 *
 * A process beside this one asks each call to end when it has gone on for a moment, as the host does by a
 * signal. What takes less time than that is never asked. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "provider/runtime.h"
#include "schema/type.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOMENT = 100 }; /* milliseconds */

/* What both processes see. Whoever looks at the call, or ends it, has the lock: a call is never asked to end
 * for the one before it. */
struct request {
    uint32_t locked;
    double begun; /* of the call; 0: there is none */
    double asked; /* to end; 0: it was not */
    uint32_t interrupted;
};

static struct request *shared;
static pid_t asker;

static void
lock(void)
{
    while (__atomic_exchange_n(&shared->locked, 1, __ATOMIC_ACQUIRE))
        (void)usleep(100);
}

static void
unlock(void)
{
    __atomic_store_n(&shared->locked, 0, __ATOMIC_RELEASE);
}

static void __attribute__((noreturn)) ask_in_time(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
        lock();
        if (shared->begun > 0 && shared->asked <= 0 && rh_now() - shared->begun >= MOMENT / 1000.0) {
            shared->asked = rh_now();
            __atomic_store_n(&shared->interrupted, SIGTERM, __ATOMIC_RELEASE);
        }
        unlock();
        (void)usleep(MOMENT * 1000 / 10);
    }
    _exit(0);
}

static bool
start_asker(void)
{
    pid_t parent = getpid();

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    asker = fork();
    if (asker == 0)
        ask_in_time(parent);
    rh_interrupt_watch(&shared->interrupted);
    return asker > 0;
}

static void
end_asker(void)
{
    rh_interrupt_watch(NULL);
    if (asker > 0 && kill(asker, SIGKILL) == 0)
        (void)waitpid(asker, NULL, 0);
}

static void
begin(void)
{
    lock();
    __atomic_store_n(&shared->interrupted, 0, __ATOMIC_RELEASE);
    shared->begun = rh_now();
    shared->asked = 0;
    unlock();
}

/* Seconds that the call went on after it was asked to end; 0: it was not. */
static double
end(void)
{
    double asked, now;

    lock();
    now = rh_now();
    asked = shared->asked;
    shared->begun = 0;
    __atomic_store_n(&shared->interrupted, 0, __ATOMIC_RELEASE);
    unlock();
    return asked <= 0 ? 0 : now > asked ? now - asked : 1e-9;
}

/* How long a call may go on: finishing what can't be left takes time. */
static double
grace(const struct rh_checker *c)
{
    return rh_check_seconds(c->options) / 4.0;
}

static void
judge(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
      const char *doing)
{
    struct rh_checker *c = s->checker;
    double after = end();

    if (after > grace(c))
        rh_check_say(c, RH_CHECK_FAIL, "asked to end while %s '%s', it goes on for %.1f seconds", doing,
                     state->title, after);
    if (after > 0 && s->status == RH_CHANGED && c->fixture->changes)
        rh_step_holds(
            s, state, over,
            rh_arena_printf(c->arena, "reported as done after it was asked to end while %s", doing));
}

static void
converge(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
         const char *doing)
{
    begin();
    rh_subject_converge(s, state, over, RH_CONVERGE_APPLY, false);
    judge(s, state, over, doing);
}

static void
act(struct rh_subject *s, const struct rh_fixture_state *state, const char *action)
{
    struct rh_checker *c = s->checker;
    double after;

    begin();
    rh_subject_act(s, state, action, false);
    after = end();
    if (after > grace(c))
        rh_check_say(c, RH_CHECK_FAIL, "asked to end in action '%s', it goes on for %.1f seconds", action,
                     after);
}

void
rh_check_stops(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;
    double after;

    if (!start_asker()) {
        end_asker();
        rh_check_say(c, RH_CHECK_SKIP, "a process that asks it to end cannot be started");
        return;
    }
    if (rh_step_begin(&s, c, false)) {
        if (c->type->slots & RH_HAS_GET && !f->unlisted) {
            begin();
            rh_discard(rh_subject_read(&s, NULL, &err));
            after = end();
            if (after > grace(c))
                rh_check_say(c, RH_CHECK_FAIL, "asked to end while reading, it goes on for %.1f seconds",
                             after);
        }
        for (size_t i = 0; i < f->n && c->verdict < RH_CHECK_FAIL; i++) {
            const struct rh_fixture_state *state = &f->states[i];

            converge(&s, state, NULL, "making");
            for (size_t k = 0; k < rh_value_count(state->updates); k++)
                converge(&s, state, rh_step_only(c, rh_value_entry(state->updates, k)), "changing");
        }
        for (size_t k = 0; k < c->type->n_actions && c->verdict < RH_CHECK_FAIL; k++)
            act(&s, &f->states[0], c->type->actions[k].name);
        for (size_t i = f->n; i-- > 0 && c->type->ensure && c->verdict < RH_CHECK_FAIL;)
            converge(&s, &f->states[i], rh_step_absent(c), "removing");
        rh_subject_close(&s);
    }
    end_asker();
}
