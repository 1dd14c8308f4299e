/* SPDX-License-Identifier: Apache-2.0 */
/* memory - what a provider does when there is none left: it fails and says why, or gets along. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/wait.h"
#include "check/elf.h"
#include "check/parts.h"
#include "check/subject.h"
#include "check/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Told by the process of one trial, which may not live to tell more. */
struct told {
    uint64_t allocations;
    char text[RH_TRIAL_TEXT];
};

static void
disturb(void *data, bool on)
{
    (void)data;
    rh_alloc_pause(!on);
}

/* What it says that it did is held against what is there. */
static void
judge(struct rh_trial *t, const struct rh_fixture_state *state, const struct rh_value *over)
{
    struct rh_subject *s = &t->subject;

    if (s->status == RH_FAILED)
        rh_trial_expect_reason(t, s->reason);
    if ((s->status != RH_CHANGED && s->status != RH_UNCHANGED) || !t->checker->fixture->changes)
        return;
    if (rh_subject_again(s))
        rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
    if (s->status != RH_UNCHANGED)
        rh_trial_note(t, "it reports '%s' as in sync, but it is not", state->title);
}

/* In a process of its own. */
static void
attempt(struct rh_checker *c, struct told *told, uint64_t at, bool all_behind)
{
    struct rh_trial t = { .checker = c, .text = told->text, .disturb = disturb, .judge = judge };

    if (!rh_subject_open(&t.subject, c))
        return;
    (void)rh_alloc_fail(at, all_behind);
    rh_alloc_pause(true);
    if (c->questions) {
        rh_trial_ask(&t);
    } else {
        rh_trial_read(&t);
        rh_trial_write(&t);
    }
    rh_alloc_pause(false);
    rh_subject_close(&t.subject);
    told->allocations = rh_alloc_fail(0, false);
}

/* False when it can't be gone on. */
static bool
try_one(struct rh_checker *c, struct told *told, uint64_t at, bool all_behind)
{
    const char *which = all_behind ? "from allocation" : "with allocation";
    pid_t pid;
    int status = 0;

    *told = (struct told){ 0 };
    (void)fflush(NULL);
    pid = fork();
    if (pid == 0) {
        attempt(c, told, at, all_behind);
        _exit(0);
    }
    if (pid < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "cannot start a process: %s", strerror(errno));
        return false;
    }
    if (rh_wait_child(pid, &status) < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "cannot wait for a process: %s", strerror(errno));
        return false;
    }
    if (!at) { /* with all the memory that it wants */
        if (status || *told->text)
            rh_check_say(c, RH_CHECK_SKIP, "it fails even when memory is not limited");
        return !status && !*told->text;
    }
    /* To give up is allowed, and what languages do that have nothing better; to go on with rubbish is not. */
    if (c->fixture && c->fixture->aborts
        && ((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
            || (WIFEXITED(status) && WEXITSTATUS(status))))
        return true;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        rh_check_say(c, RH_CHECK_WARN, "%s %llu failing, it gives up: %s, while %s", which,
                     (unsigned long long)at, strsignal(WTERMSIG(status)), c->doing);
    else if (WIFSIGNALED(status))
        rh_check_say(c, c->fixture && c->fixture->crashes ? RH_CHECK_WARN : RH_CHECK_FAIL,
                     "%s %llu failing, it crashes: %s, while %s", which, (unsigned long long)at,
                     strsignal(WTERMSIG(status)), c->doing);
    else if (WEXITSTATUS(status) != 0)
        rh_check_say(c, RH_CHECK_FAIL, "%s %llu failing, it ends its process (exit status %d), while %s",
                     which, (unsigned long long)at, WEXITSTATUS(status), c->doing);
    else if (*told->text)
        rh_check_say(c, RH_CHECK_FAIL, "%s %llu failing: %s", which, (unsigned long long)at, told->text);
    return true;
}

/* Each allocation in turn; of many, as many as there is time for, spread evenly over all. */
static void
try_all(struct rh_checker *c, struct told *told, bool all_behind)
{
    double until = rh_now() + (double)rh_check_seconds(c->options) / 4;
    uint64_t most = c->options->allocations ? c->options->allocations : RH_CHECK_ALLOCATIONS;
    uint64_t n, step, at;

    if (!try_one(c, told, 0, false) || !told->allocations)
        return;
    n = told->allocations;
    step = rh_trial_stride(n);
    at = c->options->seed % n;
    for (uint64_t i = 0; i < n && i < most && c->verdict < RH_CHECK_FAIL && rh_now() < until; i++) {
        if (!try_one(c, told, at + 1, all_behind))
            return;
        at = (at + step) % n;
    }
}

static void
check_memory(struct rh_checker *c, bool all_behind)
{
    struct told *told;
    struct rh_subject s;

#ifdef RH_SANITIZERS
    rh_check_say(c, RH_CHECK_SKIP, "not possible with sanitizers");
    return;
#endif
    if (!rh_subject_open(&s, c))
        return;
    rh_subject_close(&s);
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED || !rh_alloc_hook(c->options->path))
        rh_check_say(c, RH_CHECK_SKIP, "allocations cannot be traced on this machine");
    else
        try_all(c, told, all_behind);
    if (told != MAP_FAILED)
        (void)munmap(told, sizeof *told);
}

void
rh_check_no_memory(struct rh_checker *c)
{
    check_memory(c, false);
}

void
rh_check_memory_limit(struct rh_checker *c)
{
    check_memory(c, true);
}
