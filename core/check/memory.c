/* SPDX-License-Identifier: Apache-2.0 */
/* memory - what a provider does when there is none left: it fails and says why, or gets along. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "base/wait.h"
#include "check/elf.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/subject.h"
#include "schema/type.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 512 };

/* Told by the process of one trial, which may not live to tell more. */
struct told {
    uint64_t allocations;
    char text[TEXT]; /* what is wrong, or empty */
};

struct trial {
    struct rh_subject subject;
    struct rh_checker *checker;
    struct told *told;
};

static void __attribute__((format(printf, 2, 3))) tell(struct trial *t, const char *fmt, ...)
{
    va_list ap;

    if (*t->told->text)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(t->told->text, TEXT, fmt, ap);
    va_end(ap);
}

/* All that is there, read twice: the second time with less memory. */
static void
read_all(struct trial *t)
{
    const struct rh_fixture *f = t->checker->fixture;
    struct rh_subject *s = &t->subject;
    rh_autoerror struct rh_error err = { 0 };
    size_t n;

    if (!(t->checker->type->slots & RH_HAS_GET) || (f && f->unlisted))
        return;
    rh_alloc_pause(true);
    if (rh_subject_read(s, NULL, &err) < 0 || !rh_subject_again(s))
        return;
    n = rh_value_count(s->items);
    rh_alloc_pause(false);
    if (rh_subject_read(s, NULL, &err) == 0 && rh_value_count(s->items) != n)
        tell(t, "it reads %zu of %zu resources, and does not fail", rh_value_count(s->items), n);
    if (err.message && strstr(err.message, "without a message"))
        tell(t, "%s", err.message);
}

/* What it says that it did is held against what is there. */
static void
judge(struct trial *t, const struct rh_fixture_state *state, const struct rh_value *over)
{
    struct rh_subject *s = &t->subject;
    bool done = s->status == RH_CHANGED || s->status == RH_UNCHANGED;

    if (s->status == RH_FAILED && strstr(s->reason, "without a message"))
        tell(t, "%s", s->reason);
    if (!done || !t->checker->fixture->changes)
        return;
    rh_alloc_pause(true);
    if (rh_subject_again(s))
        rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
    if (s->status != RH_UNCHANGED)
        tell(t, "it reports '%s' as in sync, but it is not", state->title);
    rh_alloc_pause(false);
}

static void
write_all(struct trial *t)
{
    struct rh_checker *c = t->checker;
    const struct rh_fixture *f = c->fixture;
    struct rh_value *absent = rh_value_new(c->arena, RH_HASH);

    for (size_t i = 0; f && i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        rh_subject_converge(&t->subject, state, NULL, RH_CONVERGE_APPLY, false);
        judge(t, state, NULL);
        for (size_t k = 0; k < rh_value_count(state->updates); k++) {
            const struct rh_entry *e = rh_value_entry(state->updates, k);
            struct rh_value *over = rh_value_new(c->arena, RH_HASH);

            rh_value_put(over, e->key, rh_value_copy(c->arena, e->value));
            rh_subject_converge(&t->subject, state, over, RH_CONVERGE_APPLY, false);
            judge(t, state, over);
        }
    }
    rh_value_put(absent, "ensure", rh_value_string(c->arena, "absent"));
    for (size_t i = f ? f->n : 0; i-- > 0 && c->type->ensure;) {
        rh_subject_converge(&t->subject, &f->states[i], absent, RH_CONVERGE_APPLY, false);
        judge(t, &f->states[i], absent);
    }
}

/* The answers with less memory are those with all of it, or failures. */
static void
ask_all(struct trial *t)
{
    const struct rh_questions *all = t->checker->questions;
    struct rh_subject *s = &t->subject;

    for (size_t i = 0; i < all->n; i++) {
        const struct rh_fixture_question *q = &all->list[i];
        rh_autoerror struct rh_error err = { 0 };
        rh_autoerror struct rh_error why = { 0 };
        const struct rh_value *full = NULL, *answer = NULL;

        rh_alloc_pause(true);
        if (rh_subject_ask(s, q, &full, &why) < 0 || !rh_subject_again(s))
            continue;
        rh_alloc_pause(false);
        if (rh_subject_ask(s, q, &answer, &err) < 0) {
            if (strstr(err.message, "without a message"))
                tell(t, "%s", err.message);
        } else if (!full != !answer || (full && !rh_value_equal(full, answer))) {
            tell(t, "%s has another answer, and does not fail", rh_question_name(t->checker->arena, q));
        }
    }
}

/* In a process of its own. */
static void
attempt(struct rh_checker *c, struct told *told, uint64_t at, bool all_behind)
{
    struct trial t = { .checker = c, .told = told };

    if (!rh_subject_open(&t.subject, c))
        return;
    (void)rh_alloc_fail(at, all_behind);
    if (c->questions) {
        ask_all(&t);
    } else {
        read_all(&t);
        rh_alloc_pause(true);
        if (!rh_subject_again(&t.subject))
            return;
        rh_alloc_pause(false);
        write_all(&t);
    }
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

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
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
    for (step = n * 5 / 8 + 1; common_divisor(step, n) != 1;)
        step++;
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
