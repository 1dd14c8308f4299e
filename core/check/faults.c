/* SPDX-License-Identifier: Apache-2.0 */
/* faults - what a provider does when the machine fails it: a program is missing or killed, a disk is full, a
 * server hangs up. It fails and says why, or gets along; it never says that something is done which is not;
 * and the next run, undisturbed, does it. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "check/fault-kinds.h"
#include "check/parts.h"
#include "check/scratch.h"
#include "check/subject.h"
#include "check/supervise.h"
#include "check/trial.h"
#include "sandbox/confinement.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shared with the process of one trial, which may not live to tell more. */
struct shared {
    struct rh_fault_plan plan;
    char text[RH_TRIAL_TEXT];
};

/* Who plans faults for a provider. */
struct planner {
    struct rh_checker *c;
    struct shared *shared;
    struct rh_confinement *runtime; /* what any process reads */
    bool judged;                    /* what came of the fault, in the process of the trial */
    bool seen[RH_FAULT_KINDS];
    unsigned tried, kinds;
};

static void
disturb(void *data, bool on)
{
    struct planner *p = data;

    p->shared->plan.paused = !on;
}

/* Of invalid output nobody can tell what it should have said. */
static bool
disturbed(void *data)
{
    const struct planner *p = data;

    return p->shared->plan.happened && p->shared->plan.fault->how != RH_FAULT_INVALID;
}

/* What it says that it did is held against what is there; and then it is done undisturbed. */
static void
judge_fault(struct rh_trial *t, const struct rh_fixture_state *state, const struct rh_value *over)
{
    struct rh_subject *s = &t->subject;
    bool done = s->status != RH_FAILED, changes = t->checker->fixture->changes;
    const char *what = over && rh_value_get(over, "ensure") ? "absent" : over ? "changed" : "made";

    if (!done)
        rh_trial_expect_reason(t, s->reason);
    if (done && changes && disturbed(t->data)) {
        if (rh_subject_again(s))
            rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
        if (s->status != RH_UNCHANGED)
            rh_trial_note(t, "it reports '%s' as %s, but it is not", state->title, what);
    }
    if (rh_subject_again(s))
        rh_subject_converge(s, state, over, RH_CONVERGE_APPLY, false);
    if (s->status == RH_FAILED && t->checker->fixture->stuck)
        return;
    if (s->status == RH_FAILED)
        rh_trial_note(t, "and '%s' fails after it, when all works again: %s", state->title, s->reason);
    if (!changes || !rh_subject_again(s))
        return;
    rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
    if (s->status != RH_UNCHANGED)
        rh_trial_note(t, "and '%s' is not in sync after it, when all works again", state->title);
}

static void
judge(struct rh_trial *t, const struct rh_fixture_state *state, const struct rh_value *over)
{
    struct planner *p = t->data;
    bool happened = p->shared->plan.happened;

    if (!happened && t->subject.status == RH_FAILED)
        rh_trial_note(t, "%s", t->subject.reason);
    if (!happened || p->judged)
        return;
    p->judged = true;
    judge_fault(t, state, over);
}

/* Seconds for one trial. */
static unsigned
limit_of(const struct rh_checker *c)
{
    return (rh_check_seconds(c->options) + 2) / 3;
}

/* In a process of its own. */
static void
attempt(void *data)
{
    struct planner *p = data;
    struct rh_trial t = {
        .checker = p->c,
        .text = p->shared->text,
        .data = p,
        .disturb = disturb,
        .disturbed = disturbed,
        .judge = judge,
    };

    (void)alarm(limit_of(p->c)); /* which ends it where it waits forever */
    rh_fault_exec_by(&p->shared->plan);
    p->c->exec = rh_fault_exec;
    if (!rh_subject_open(&t.subject, p->c))
        return;
    if (p->c->questions) {
        rh_trial_ask(&t);
    } else {
        rh_trial_read(&t);
        rh_trial_write(&t);
    }
    rh_subject_close(&t.subject);
}

static bool
is_within(const char *path, const char *top)
{
    size_t n = strlen(top);

    return strncmp(path, top, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* What the check itself uses, and what any process reads, does not fail; and of commands the start is no use
 * of the provider's. */
static int
fail_use(void *data, enum rh_check_use use, const char *value)
{
    const struct planner *p = data;
    const struct rh_fixture *fixture = p->c->fixture;
    const struct rh_check_fault *f;

    if (use == RH_USE_RUN || is_within(value, "/run/nscd") || is_within(value, "/proc"))
        return 0;
    if (*value == '/' && fixture && is_within(value, fixture->base) && !is_within(value, fixture->dir))
        return 0;
    if (use == RH_USE_READ && rh_confinement_covers(p->runtime, RH_ACCESS_READ, value))
        return 0;
    f = rh_fault_next(&p->shared->plan, use, value);
    return f ? f->number : 0;
}

/* Servers of a fixture may have files open; and what was prepared in private folders is still there. */
static bool
can_be_renewed(const struct rh_fixture *f)
{
    return !rh_value_count(f->serve) && !(rh_value_count(f->private) && rh_value_count(f->prepare));
}

/* False when it can't be gone on. */
static bool
try_one(struct planner *p, const struct rh_check_fault *fault, unsigned at)
{
    struct rh_checker *c = p->c;
    struct shared *shared = p->shared;
    rh_autoerror struct rh_error err = { 0 };
    char happened[RH_TRIAL_TEXT] = "";
    int status;

    if (c->fixture && can_be_renewed(c->fixture) && rh_scratch_renew(c->fixture, &err) < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "the fixture cannot be prepared again: %s", err.message);
        return false;
    }
    *shared = (struct shared){ .plan = { .fault = fault, .at = at, .paused = true } };
    if (rh_supervise(attempt, p, RH_USE_ALL, fail_use, p, &status, &err) < 0) {
        rh_check_say(c, RH_CHECK_SKIP, "%s", err.message);
        return false;
    }
    if (!fault) {
        if (status || *shared->text)
            rh_check_say(c, RH_CHECK_SKIP, "it fails even without a fault%s%s", *shared->text ? ": " : "",
                         shared->text);
        return !status && !*shared->text;
    }
    if (!shared->plan.happened)
        return true;
    p->tried++;
    p->kinds += !p->seen[fault - rh_faults];
    p->seen[fault - rh_faults] = true;
    rh_fault_text(&shared->plan, happened, sizeof happened);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        rh_check_say(c, RH_CHECK_FAIL, "where %s, it is not done within %u seconds, while %s", happened,
                     limit_of(c), c->doing);
    else if (WIFSIGNALED(status))
        rh_check_say(c, RH_CHECK_FAIL, "where %s, it crashes: %s, while %s", happened,
                     strsignal(WTERMSIG(status)), c->doing);
    else if (WEXITSTATUS(status) != 0)
        rh_check_say(c, RH_CHECK_FAIL, "where %s, it ends its process (exit status %d), while %s", happened,
                     WEXITSTATUS(status), c->doing);
    else if (*shared->text)
        rh_check_say(c, RH_CHECK_FAIL, "where %s: %s", happened, shared->text);
    return true;
}

/* Each kind of fault once, then each at another use, and so on: as many as there is time for. */
static void
try_all(struct planner *p)
{
    struct rh_checker *c = p->c;
    double until = rh_now() + (double)rh_check_seconds(c->options) * 3 / 5;
    unsigned most = c->options->faults ? c->options->faults : RH_CHECK_FAULTS, uses[RH_USES], left = 1;

    if (!try_one(p, NULL, 0))
        return;
    memcpy(uses, p->shared->plan.uses, sizeof uses);
    for (unsigned round = 0; left; round++) {
        left = 0;
        for (unsigned i = 0; i < RH_FAULT_KINDS; i++) {
            const struct rh_check_fault *f = &rh_faults[i];
            unsigned n = uses[f->use];

            if (round >= n)
                continue;
            if (p->tried >= most || rh_now() > until || c->verdict >= RH_CHECK_FAIL)
                return;
            if (!try_one(p, f,
                         1 + (unsigned)((c->options->seed + i + (uint64_t)round * rh_trial_stride(n)) % n)))
                return;
            left++;
        }
    }
}

void
rh_check_faults(struct rh_checker *c)
{
    struct planner p = { .c = c, .runtime = rh_confinement_new() };

    rh_confinement_runtime(p.runtime);
    p.shared = mmap(NULL, sizeof *p.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rh_check_is_program(c->options))
        rh_check_say(c, RH_CHECK_SKIP, "what its program uses is not supervised");
    else if (p.shared == MAP_FAILED)
        rh_check_say(c, RH_CHECK_SKIP, "no memory: %s", strerror(errno));
    else
        try_all(&p);
    if (c->verdict == RH_CHECK_PASS && p.tried)
        rh_buf_addf(&c->text, "%u faults of %u kinds", p.tried, p.kinds);
    if (p.shared != MAP_FAILED)
        (void)munmap(p.shared, sizeof *p.shared);
    rh_confinement_free(p.runtime);
}
