/* SPDX-License-Identifier: Apache-2.0 */
/* borrowed - whether what a callback was given is used when it has returned.
 *
 * Each call has memory of its own, pages that nobody else has; when the next one begins they can't be
 * accessed any more, and nothing is ever put in their place. Who kept a pointer is caught by the first use of
 * it. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "schema/type.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PIECES = 4096, STACK = 64 << 10 };

static struct {
    char *at;
    size_t n;
    unsigned call;
    bool gone;
} pieces[MOST_PIECES];
static size_t n_pieces;
static struct rh_subject *subject;

static void *
get(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        _exit(70);
    if (n_pieces < MOST_PIECES) {
        pieces[n_pieces].at = p;
        pieces[n_pieces].n = n;
        pieces[n_pieces++].call = subject->calls;
    }
    return p;
}

/* What is not in the list any more is given back. */
static void
lock(void *p, size_t n)
{
    for (size_t i = n_pieces; i-- > 0;)
        if (pieces[i].at == p) {
            pieces[i].gone = mprotect(p, n, PROT_NONE) == 0;
            return;
        }
    (void)munmap(p, n);
}

static const struct rh_arena_source pages = { .get = get, .release = lock };

static void
on_access(int number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr;

    (void)context;
    for (size_t i = 0; i < n_pieces; i++)
        if (pieces[i].gone && at >= pieces[i].at && at < pieces[i].at + pieces[i].n)
            rh_check_end_now("uses what it was given in an earlier call, which had returned");
    (void)signal(number, SIG_DFL); /* another fault: it happens again, and ends the process */
}

void
rh_borrowed_watch(struct rh_subject *s)
{
    static char stack[STACK];
    const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
    struct sigaction on = { .sa_sigaction = on_access, .sa_flags = SA_SIGINFO | SA_ONSTACK };

    subject = s;
    s->memory = &pages;
    if (sigaltstack(&other, NULL) < 0 || sigaction(SIGSEGV, &on, NULL) < 0)
        rh_check_say(s->checker, RH_CHECK_SKIP, "memory cannot be watched here");
}

static bool any; /* was changed */

static void
do_one(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over)
{
    rh_subject_converge(s, state, over, RH_CONVERGE_APPLY, false);
    any |= s->status == RH_CHANGED;
    rh_subject_converge(s, state, over, RH_CONVERGE_TRIAL, false);
}

/* Each is looked at after it was made, and after each change, without closing the provider. Whether that
 * works is for other checks to tell: who reads what it has kept fails them, too. */
void
rh_check_borrowed(struct rh_checker *c)
{
    const struct rh_fixture *f = c->fixture;
    struct rh_subject s;

    if (!rh_step_begin(&s, c, false))
        return;
    rh_borrowed_watch(&s);
    for (size_t i = 0; i < f->n; i++) {
        const struct rh_fixture_state *state = &f->states[i];

        do_one(&s, state, NULL);
        for (size_t k = 0; k < rh_value_count(state->updates); k++)
            do_one(&s, state, rh_step_only(c, rh_value_entry(state->updates, k)));
    }
    for (size_t i = f->n; i-- > 0 && c->type->ensure;)
        rh_subject_converge(&s, &f->states[i], rh_step_absent(c), RH_CONVERGE_APPLY, false);
    rh_subject_close(&s);
    if (!any && f->changes)
        rh_check_say(c, RH_CHECK_SKIP, "it cannot write");
}
