/* SPDX-License-Identifier: Apache-2.0 */
/* control - begins rollouts, stops them, and has them go on or back. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "collect/store.h"

#include <stdio.h>
#include <time.h>

enum { ALL = 100, WAIT = 3600, LASTS = 30 * 24 * 3600 };

static int
check_key(const struct rh_rollout_request *q, struct rh_error *err)
{
    return q->key ? 0 : rh_error_set(err, RH_EINPUT, "the channel must be signed: give --key=FILE");
}

/* The rules that were given; the others stay as they are. */
static int
take_rules(struct rh_rollout *r, const struct rh_rollout_request *q, struct rh_error *err)
{
    if (q->batches)
        r->batches = q->batches;
    if (q->wait >= 0)
        r->wait = q->wait;
    if (q->soak >= 0)
        r->soak = q->soak;
    if (q->lasts)
        r->lasts = q->lasts;
    if (q->failures)
        r->failures = *q->failures;
    if (q->silent)
        r->silent = *q->silent;
    return rh_stage_check_batches(r->batches, err);
}

/* Where all hosts have the same revision, it is the one that they can go back to. */
static int
check_channel(const struct rh_channel *c, int64_t to, struct rh_error *err)
{
    if (!c->serial) {
        (void)rh_error_set(err, RH_EINPUT, "missing channel: hosts could not go back to a revision");
        return rh_error_suggest(err, NULL, "make the first one: 'rhost bundle channel DIR --to=REVISION'");
    }
    if (c->percent != ALL && c->want != c->other) {
        (void)rh_error_set(err, RH_EINPUT,
                           "hosts have two revisions by the channel, %lld and %lld: a rollout begins where "
                           "all have the same",
                           (long long)c->want, (long long)c->other);
        return rh_error_suggest(err, NULL, "give all of them one: 'rhost bundle channel DIR --to=REVISION'");
    }
    if (c->want == to)
        return rh_error_set(err, RH_EINPUT, "all hosts have revision %lld by the channel already",
                            (long long)to);
    return 0;
}

static int
check_canaries(struct rh_arena *a, struct rh_store *s, const struct rh_rollout *r, const struct rh_channel *c,
               struct rh_error *err)
{
    struct rh_fleet fleet;
    struct rh_stage stage;

    return rh_fleet_read(&fleet, a, s, r, c, err) < 0 ? -1 : rh_stage_plan(a, r, &fleet, &stage, err);
}

int
rh_rollout_begin(const struct rh_rollout_request *q, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    enum rh_store_fault fault = RH_FAULT_REFUSED;
    rh_autostore struct rh_store *store = NULL;
    rh_autoclose int lock = rh_rollout_lock(q->directory, err);
    struct rh_rollout last, r = { .batches = "10%", .wait = WAIT, .lasts = LASTS, .to = q->to };
    struct rh_channel c;

    if (lock < 0 || check_key(q, err) < 0 || rh_rollout_load(&last, a, q->directory, err) < 0
        || rh_channel_recover(q->directory, q->signers, err) < 0 || rh_rollout_channel(&c, a, q, err) < 0)
        return -1;
    if ((last.stage.state == RH_ROLLOUT_RUNNING || last.stage.state == RH_ROLLOUT_STOPPED)
        && (last.stage.serial == c.serial || last.next.serial == c.serial)) {
        (void)rh_error_set(err, RH_EINPUT, "a rollout of revision %lld is %s", (long long)last.to,
                           last.stage.state == RH_ROLLOUT_RUNNING ? "under way" : "stopped");
        return rh_error_suggest(err, NULL, "end it with 'rhost fleet resume' or 'rhost fleet rollback'");
    }
    if (check_channel(&c, r.to, err) < 0 || take_rules(&r, q, err) < 0)
        return -1;
    r.from = c.want;
    r.canaries = rh_arena_alloc(a, (q->n_canaries + 1) * sizeof *r.canaries);
    for (size_t i = 0; i < q->n_canaries; i++)
        r.canaries[i] = q->canaries[i];
    r.n_canaries = q->n_canaries;
    r.began = time(NULL);
    r.stage = (struct rh_stage){ .serial = c.serial, .state = RH_ROLLOUT_RUNNING };
    store = rh_store_open(q->database, false, &fault, err);
    r.since = store ? rh_fleet_time(a, store, q->database, err) : NULL;
    if (!r.since || check_canaries(a, store, &r, &c, err) < 0)
        return -1;
    return rh_rollout_save(&r, q->directory, err);
}

int
rh_rollout_resume(const struct rh_rollout_request *q, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoclose int lock = rh_rollout_lock(q->directory, err);
    struct rh_rollout r;
    struct rh_channel c;

    if (lock < 0 || check_key(q, err) < 0 || rh_rollout_open(&r, &c, a, q, err) < 0)
        return -1;
    if (r.stage.state != RH_ROLLOUT_RUNNING && r.stage.state != RH_ROLLOUT_STOPPED)
        return rh_error_set(err, RH_EINPUT, "no rollout is under way in '%s'", q->directory);
    if (take_rules(&r, q, err) < 0)
        return -1;
    /* The stage in which it was stopped begins again. */
    if (r.stage.state == RH_ROLLOUT_STOPPED) {
        r.stage.number -= r.stage.number > 0;
        r.stage.began = 0;
        r.stage.reason = "";
    }
    r.stage.state = RH_ROLLOUT_RUNNING;
    return rh_rollout_save(&r, q->directory, err);
}

int
rh_rollout_stop(const struct rh_rollout_request *q, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    enum rh_store_fault fault = RH_FAULT_REFUSED;
    rh_autostore struct rh_store *store = NULL;
    rh_autoclose int lock = rh_rollout_lock(q->directory, err);
    rh_autoerror struct rh_error why = { 0 };
    struct rh_rollout r;
    struct rh_channel c;
    struct rh_fleet fleet;
    struct rh_stage next;

    if (lock < 0 || check_key(q, err) < 0 || rh_rollout_open(&r, &c, a, q, err) < 0)
        return -1;
    if (r.stage.state != RH_ROLLOUT_RUNNING)
        return rh_error_set(err, RH_EINPUT, "no rollout is under way in '%s'", q->directory);
    store = rh_store_open(q->database, false, &fault, &why);
    if (store && rh_fleet_read(&fleet, a, store, &r, &c, &why) == 0) {
        rh_stage_freeze(a, &r, &fleet, &next);
    } else {
        rh_log(RH_WARNING, "%s; which hosts have the revision is not known: all of this stage keep it",
               why.message);
        next = r.stage;
        next.state = RH_ROLLOUT_STOPPED;
    }
    next.reason = "by the operator";
    if (rh_rollout_publish(&r, &c, a, q, &next, err) < 0)
        return -1;
    if (!q->quiet)
        (void)printf("stopped: revision %lld stays where it is; channel %lld\n", (long long)r.to,
                     (long long)r.stage.serial);
    return 0;
}

int
rh_rollout_back(const struct rh_rollout_request *q, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoclose int lock = rh_rollout_lock(q->directory, err);
    struct rh_stage next = { .state = RH_ROLLOUT_BACK, .percent = ALL, .reason = "" };
    struct rh_rollout r;
    struct rh_channel c;

    if (lock < 0 || check_key(q, err) < 0 || rh_rollout_load(&r, a, q->directory, err) < 0
        || rh_channel_recover(q->directory, q->signers, err) < 0 || rh_rollout_channel(&c, a, q, err) < 0)
        return -1;
    if (r.stage.state == RH_ROLLOUT_NONE || (r.stage.state == RH_ROLLOUT_BACK && !q->to))
        return rh_error_set(err, RH_EINPUT, "no rollout is known in '%s' that could go back", q->directory);
    if (q->to)
        r.from = q->to;
    if (q->lasts)
        r.lasts = q->lasts;
    next.number = r.stage.number;
    if (rh_rollout_publish(&r, &c, a, q, &next, err) < 0)
        return -1;
    if (!q->quiet)
        (void)printf("rolled back: revision %lld for all hosts; channel %lld\n", (long long)r.from,
                     (long long)r.stage.serial);
    return 0;
}
