/* SPDX-License-Identifier: Apache-2.0 */
/* run - takes the steps of a rollout. The lock is held for each step, and not while hosts are waited for: so
 * other commands can stop the rollout, and two programs do no more than one. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "collect/store.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ALL = 100, REMIND = 60 /* seconds */, SHORTEST = 200, LONGEST = 5000 /* ms between steps */ };

struct running {
    const struct rh_rollout_request *q;
    struct rh_store *store; /* NULL: not connected */
    double warned_at;       /* when it was said that the database is away; 0: it is not */
    size_t shown[RH_HEALTHS];
    int64_t shown_stage;
    int pause; /* ms */
};

static void
say_stage(struct running *g, const struct rh_rollout *r)
{
    if (g->q->quiet)
        return;
    (void)printf("stage %lld: ", (long long)r->stage.number);
    if (r->stage.percent == ALL)
        (void)printf("all hosts");
    else if (r->stage.percent)
        (void)printf("%lld %% of the hosts%s", (long long)r->stage.percent,
                     r->stage.n_hosts ? ", and those that are named" : "");
    else
        (void)printf("%zu named host%s", r->stage.n_hosts, r->stage.n_hosts == 1 ? "" : "s");
    (void)printf(" get revision %lld; channel %lld\n", (long long)r->to, (long long)r->stage.serial);
    (void)fflush(stdout);
}

/* When it has changed. */
static void
say_health(struct running *g, const struct rh_rollout *r, const struct rh_fleet *f)
{
    if (g->q->quiet
        || (g->shown_stage == r->stage.number && memcmp(g->shown, f->counts, sizeof g->shown) == 0))
        return;
    memcpy(g->shown, f->counts, sizeof g->shown);
    g->shown_stage = r->stage.number;
    (void)printf("stage %lld: %zu hosts: %zu ok, %zu failed, %zu waited for, %zu away; %zu not touched\n",
                 (long long)r->stage.number, f->chosen, f->counts[RH_HEALTH_OK], f->counts[RH_HEALTH_FAILED],
                 f->counts[RH_HEALTH_WAITING], f->counts[RH_HEALTH_AWAY], f->counts[RH_HEALTH_OTHER]);
    (void)fflush(stdout);
}

/* Why it must stop; NULL: it need not. */
static const char *
reason_to_stop(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *f, int64_t elapsed)
{
    size_t failed = f->counts[RH_HEALTH_FAILED], waiting = f->counts[RH_HEALTH_WAITING];

    if (rh_fleet_limit_is_exceeded(&r->failures, failed, f->chosen))
        return rh_arena_printf(a, "%zu of %zu hosts failed, more than --max-failures allows", failed,
                               f->chosen);
    if (elapsed >= r->wait && rh_fleet_limit_is_exceeded(&r->silent, waiting, f->chosen))
        return rh_arena_printf(a, "%zu of %zu hosts have not reported in time, more than --max-silent allows",
                               waiting, f->chosen);
    return NULL;
}

static int
halt(const struct running *g, struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
     const struct rh_fleet *f, const char *reason, struct rh_error *err)
{
    struct rh_stage next;

    rh_stage_freeze(a, r, f, &next);
    next.reason = reason;
    return rh_rollout_publish(r, c, a, g->q, &next, err);
}

static int
decide(struct running *g, struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
       struct rh_error *err)
{
    int64_t elapsed = (int64_t)time(NULL) - r->stage.began;
    struct rh_fleet f;
    struct rh_stage next;
    const char *reason;

    if (rh_fleet_read(&f, a, g->store, r, c, err) < 0)
        return 1;
    /* Without a time, it is the stage before the one that begins now. */
    if (r->stage.began) {
        say_health(g, r, &f);
        reason = reason_to_stop(a, r, &f, elapsed);
        if (reason)
            return halt(g, r, c, a, &f, reason, err);
        if (elapsed < r->soak || (f.counts[RH_HEALTH_WAITING] && elapsed < r->wait))
            return 0;
        if (r->stage.percent == ALL) {
            r->stage.state = RH_ROLLOUT_FINISHED;
            return rh_rollout_save(r, g->q->directory, err);
        }
    }
    if (rh_stage_plan(a, r, &f, &next, err) < 0 || rh_rollout_publish(r, c, a, g->q, &next, err) < 0)
        return -1;
    say_stage(g, r);
    return 0;
}

/* Nothing goes on while the database is away: what the hosts report is not known. */
static int
wait_for_database(struct running *g, struct rh_error *why, enum rh_store_fault fault, struct rh_error *err)
{
    double now = rh_now();

    rh_store_close(g->store);
    g->store = NULL;
    if (fault == RH_FAULT_REFUSED) {
        rh_error_move(err, why);
        return -1;
    }
    if (!g->warned_at || now - g->warned_at >= REMIND) {
        rh_log(RH_WARNING, "%s; the rollout stays at its stage, and it is tried again", why->message);
        g->warned_at = now;
    }
    return 0;
}

/* `state`: of the rollout afterwards. */
static int
step(struct running *g, struct rh_rollout *r, struct rh_arena *a, struct rh_error *err)
{
    rh_autoclose int lock = rh_rollout_lock(g->q->directory, err);
    rh_autoerror struct rh_error why = { 0 };
    enum rh_store_fault fault = RH_FAULT_AWAY;
    struct rh_channel c;
    int rc;

    if (lock < 0 || rh_rollout_open(r, &c, a, g->q, err) < 0)
        return -1;
    if (r->stage.state != RH_ROLLOUT_RUNNING)
        return 0;
    g->pause = (int)(r->wait * 20 < SHORTEST ? SHORTEST : r->wait * 20 > LONGEST ? LONGEST : r->wait * 20);
    if (!g->store)
        g->store = rh_store_open(g->q->database, false, &fault, &why);
    if (!g->store)
        return wait_for_database(g, &why, fault, err);
    rc = decide(g, r, &c, a, &why);
    if (rc > 0)
        return wait_for_database(g, &why, RH_FAULT_AWAY, err);
    g->warned_at = 0;
    rh_error_move(err, &why);
    return rc;
}

/* Until it is time for the next step, or a signal comes. */
static void
pause_for(int ms)
{
    double until = rh_now() + (double)ms / 1000, left;

    while (!rh_interrupted() && (left = until - rh_now()) > 0)
        (void)poll(NULL, 0, left > 0.2 ? 200 : (int)(left * 1000) + 1);
}

static void
say_end(const struct running *g, const struct rh_rollout *r)
{
    rh_autofree char *reason = rh_safe_text(r->stage.reason);

    if (r->stage.state == RH_ROLLOUT_STOPPED)
        rh_log(RH_ERR, "the rollout was stopped: %s", reason);
    if (g->q->quiet)
        return;
    if (r->stage.state == RH_ROLLOUT_STOPPED)
        (void)printf("stopped at stage %lld: revision %lld stays where it is, on no further host; channel "
                     "%lld\n",
                     (long long)r->stage.number, (long long)r->to, (long long)r->stage.serial);
    else
        (void)printf("%s: revision %lld\n", rh_rollout_state_name(r->stage.state),
                     (long long)(r->stage.state == RH_ROLLOUT_BACK ? r->from : r->to));
}

int
rh_rollout_run(const struct rh_rollout_request *q, enum rh_rollout_end *end, struct rh_error *err)
{
    struct running g = { .q = q, .shown_stage = -1 };
    int rc = 0;

    rh_interrupt_open(NULL, NULL);
    *end = RH_ROLLOUT_INTERRUPTED;
    while (!rh_interrupted()) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        struct rh_rollout r;

        rc = step(&g, &r, a, err);
        if (rc < 0)
            break;
        if (r.stage.state != RH_ROLLOUT_RUNNING) {
            *end = r.stage.state == RH_ROLLOUT_FINISHED ? RH_ROLLOUT_DONE : RH_ROLLOUT_HALTED;
            say_end(&g, &r);
            break;
        }
        pause_for(g.pause);
    }
    rh_store_close(g.store);
    rh_interrupt_close();
    return rc;
}
