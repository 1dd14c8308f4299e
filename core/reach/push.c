/* SPDX-License-Identifier: Apache-2.0 */
/* push - which target comes when: a canary first, then one batch after the other, some targets of it at once.
 */
#include "config.h"

#include "reach/push.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/status-line.h"
#include "base/wait.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TICK = 200,
    END_GRACE = 1000,
    STOP_SECONDS = 30, /* for runs to end after an interrupt */
};

int
rh_share_read(struct rh_share *share, const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || (*end && strcmp(end, "%") != 0) || n > (*end ? 100 : 1000000))
        return -1;
    *share = (struct rh_share){ .specified = true, .percent = *end == '%', .n = (unsigned)n };
    return 0;
}

/* Of so many targets; rounded down, with `least` at the least. */
static size_t
share_of(const struct rh_share *share, size_t total, size_t least)
{
    size_t n = share->percent ? total * share->n / 100 : share->n;

    return n < least ? least : n;
}

struct push {
    struct rh_host *hosts;
    size_t n;
    const struct rh_push_options *o;
    struct rh_push_result *result;
    struct pollfd *fds;
    size_t next; /* the first that was not started */
    size_t end;  /* of the batch */
    size_t active;
    bool closed;    /* no further target is started */
    char *why;      /* then: the reason */
    double stopped; /* when they were asked to end; 0: not yet */
    double shown;
};

static size_t
bad(const struct push *p)
{
    const size_t *by = p->result->by_outcome;

    return by[RH_PUSH_FAILED] + by[RH_PUSH_REFUSED] + by[RH_PUSH_UNREACHABLE];
}

static void
close_push(struct push *p, char *why)
{
    if (!p->closed)
        p->why = why;
    else
        free(why);
    p->closed = true;
}

static void
count(struct push *p, struct rh_host *h)
{
    p->result->by_outcome[h->outcome]++;
    p->active--;
    rh_discard(rh_push_keep_report(h));
    rh_host_forget(h);
    if (p->o->max_failures.specified && bad(p) > share_of(&p->o->max_failures, p->n, 0))
        close_push(p, rh_printf("%zu targets have failed, more than --max-failures allows", bad(p)));
}

/* The next batch, when the last one is over. */
static void
next_batch(struct push *p)
{
    size_t size = p->o->batch.specified ? share_of(&p->o->batch, p->n, 1) : p->n;

    if (p->next < p->end || p->active || p->end == p->n)
        return;
    if (!p->end && p->o->n_canary) {
        p->end = p->o->n_canary < p->n ? p->o->n_canary : p->n;
        return;
    }
    if (p->o->n_canary && p->end <= p->o->n_canary && bad(p)) {
        close_push(p, rh_xstrdup("a canary has failed"));
        return;
    }
    p->end = p->n - p->end < size ? p->n : p->end + size;
}

static void
start_some(struct push *p)
{
    next_batch(p);
    while (!p->closed && p->next < p->end && p->active < p->o->jobs) {
        struct rh_host *h = &p->hosts[p->next++];

        p->active++;
        rh_host_start(h);
        if (h->step == RH_HOST_DONE)
            count(p, h);
        next_batch(p);
    }
}

/* The first signal: nothing new is started, and what runs is asked to end. */
static void
check_signal(struct push *p)
{
    int signal = rh_interrupted();

    if (signal && !p->stopped) {
        p->stopped = rh_now();
        p->result->interrupted = signal;
        close_push(p, rh_xstrdup("interrupted"));
        for (size_t i = 0; i < p->next; i++) {
            struct rh_host *h = &p->hosts[i];

            if (rh_host_is_active(h)) {
                rh_host_stop(h);
                if (h->step == RH_HOST_DONE)
                    count(p, h);
            }
        }
        if (p->active) {
            rh_status_line_hide();
            rh_log(RH_WARNING,
                   "interrupted by %s: waiting for %zu run%s to end; send it again to end at once",
                   rh_interrupt_name(signal), p->active, p->active == 1 ? "" : "s");
        }
    }
}

/* A target that does not end is given up: what the others came to is to be told. */
static void
end_laggards(struct push *p)
{
    if (!p->stopped || rh_now() - p->stopped < STOP_SECONDS)
        return;
    for (size_t i = 0; i < p->next; i++)
        if (rh_host_is_active(&p->hosts[i])) {
            rh_host_end(&p->hosts[i], RH_PUSH_FAILED, "the next push reports its result",
                        "did not end within %d seconds after the interrupt", STOP_SECONDS);
            count(p, &p->hosts[i]);
        }
}

static void
show(struct push *p)
{
    if (!p->o->live || rh_push_output_waits_for() >= 0 || rh_now() - p->shown < TICK / 1000.0)
        return;
    p->shown = rh_now();
    rh_push_show_live(p->hosts, p->n);
}

/* The outcomes of the targets are shown in any case. */
static void
give_up(struct push *p, int why)
{
    close_push(p, rh_printf("cannot wait for the targets: %s", strerror(why)));
    for (size_t i = 0; i < p->next; i++)
        if (rh_host_is_active(&p->hosts[i])) {
            rh_host_end(&p->hosts[i], RH_PUSH_UNREACHABLE, "the next push reports its result", "%s", p->why);
            count(p, &p->hosts[i]);
        }
}

static void
wait_and_work(struct push *p)
{
    size_t n = 0;

    rh_push_pause(p->hosts, p->next);
    for (size_t i = 0; i < p->next; i++)
        if (rh_host_is_active(&p->hosts[i]))
            rh_host_poll(&p->hosts[i], p->fds + 3 * n++);
        else
            (void)rh_child_has_ended(&p->hosts[i].child);
    p->fds[3 * n] = (struct pollfd){ .fd = rh_push_output_waits_for(), .events = POLLOUT };
    if (rh_wait_poll(p->fds, 3 * n + 1, TICK) < 0 && errno != EINTR) {
        give_up(p, errno);
        return;
    }
    rh_push_output_flush(false);
    n = 0;
    for (size_t i = 0; i < p->next; i++) {
        struct rh_host *h = &p->hosts[i];

        if (!rh_host_is_active(h))
            continue;
        rh_host_work(h, p->fds + 3 * n++);
        if (h->step == RH_HOST_DONE)
            count(p, h);
    }
    check_signal(p);
    end_laggards(p);
    show(p);
}

static void
run(struct push *p)
{
    for (;;) {
        start_some(p);
        if (!p->active && (p->closed || p->next == p->n))
            return;
        wait_and_work(p);
    }
}

/* Those whose turn has not come say why. */
static void
name_the_rest(struct push *p)
{
    for (size_t i = p->next; i < p->n; i++) {
        rh_host_end(&p->hosts[i], RH_PUSH_NOT_STARTED, NULL, "%s", p->why ? p->why : "interrupted");
        p->result->by_outcome[RH_PUSH_NOT_STARTED]++;
        rh_discard(rh_push_keep_report(&p->hosts[i]));
    }
}

void
rh_push(struct rh_push_target *const *targets, size_t n, const struct rh_push_options *options,
        struct rh_push_result *result)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct push p = { .hosts = rh_arena_alloc(arena, n * sizeof *p.hosts),
                      .fds = rh_arena_alloc(arena, (3 * n + 1) * sizeof *p.fds),
                      .n = n,
                      .o = options,
                      .result = result };
    double began = rh_now();

    *result = (struct rh_push_result){ .n = n };
    for (size_t i = 0; i < n; i++)
        rh_host_init(&p.hosts[i], targets[i], options, arena);
    rh_interrupt_open(NULL, NULL);
    if (options->live)
        rh_status_line_open(STDERR_FILENO, options->colour);
    rh_push_pause_open();
    run(&p);
    rh_push_pause_close();
    rh_status_line_close();
    rh_interrupt_close(); /* a pager can take its time: a signal ends that */
    rh_push_output_flush(true);
    name_the_rest(&p);
    if (options->json)
        rh_push_print_json(p.hosts, n, result, options, rh_now() - began);
    else
        rh_push_show_summary(p.hosts, n, result, options, rh_now() - began);
    for (size_t i = 0; i < n; i++) {
        rh_child_end(&p.hosts[i].child, END_GRACE);
        rh_host_clear(&p.hosts[i]);
    }
    free(p.why);
}
