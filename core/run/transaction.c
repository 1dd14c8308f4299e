/* SPDX-License-Identifier: Apache-2.0 */
/* transaction - walks the action list in order; neighbours of one provider go as one batch. */
#include "config.h"

#include "run/transaction.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "catalog/order.h"
#include "catalog/purge.h"
#include "run/backup.h"
#include "run/delivery.h"
#include "run/expect.h"
#include "run/identity.h"
#include "run/journal.h"
#include "run/lock.h"
#include "run/pool.h"
#include "run/transaction-parts.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

static struct rh_task
task_of(const struct rh_transaction *t, uint32_t entry)
{
    const struct rh_todo *todo = &t->c->list[entry];

    return (struct rh_task){ .resource = todo->resource, .action = todo->action, .entry = entry };
}

static void
on_outcome(void *data, const struct rh_outcome *outcome)
{
    struct rh_transaction *t = data;
    const struct rh_resource *blamed =
        outcome->blame < t->c->n_list ? t->c->list[outcome->blame].resource : NULL;
    const struct rh_task task = task_of(t, outcome->id);
    uint32_t from = task.resource->index;
    struct rh_outcome adjusted = *outcome;

    adjusted.status = rh_transaction_missing(t, adjusted.status);
    if (outcome->status == RH_EXCLUDED) { /* the run is to end */
        t->status[outcome->id] = RH_NOT_YET;
        return;
    }
    if (rh_is_change((uint8_t)outcome->status)
        && t->c->notifications.start[from] < t->c->notifications.start[from + 1]) {
        t->notifiers = rh_xgrow(t->notifiers, &t->cap_notifiers, t->n_notifiers, sizeof *t->notifiers);
        t->notifiers[t->n_notifiers++] = outcome->id;
    }
    rh_transaction_record(t, &task, &adjusted, blamed);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    rh_transaction_log(data, record);
}

static const struct rh_value *
visible(void *data, const struct rh_type *asker, struct rh_arena *a, const char *type, const char *title)
{
    const struct rh_transaction *t = data;

    return rh_visible(t->c, asker, a, type, title);
}

/* A provider will be silent for a while. */
static void
on_busy(void *data, uint32_t milliseconds)
{
    const struct rh_transaction *t = data;

    (void)milliseconds;
    if (t->journal)
        rh_journal_pause(t->journal);
}

static void
on_progress(void *data, const struct rh_progress *progress)
{
    const struct rh_transaction *t = data;

    rh_transaction_progress(t, progress->id < t->c->n_list ? t->c->list[progress->id].resource : NULL,
                            progress);
}

static bool
on_backup(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n, bool wait,
          const char **why)
{
    struct rh_transaction *t = data;

    for (size_t i = 0; i < n; i++)
        if (states[i].id < t->c->n_list
            && !rh_backups_take(t->backups, t->c->list[states[i].id].resource, &states[i], wait && i + 1 == n,
                                a, why))
            return false;
    return true;
}

static const char *
title_of(void *data, uint32_t id)
{
    const struct rh_transaction *t = data;

    return id < t->c->n_list ? t->c->list[id].resource->title : NULL;
}

static void
skip_entry(struct rh_transaction *t, uint32_t entry, const struct rh_resource *blamed)
{
    const struct rh_outcome outcome = { .id = entry, .status = RH_SKIPPED, .blame = RH_NOBODY };
    const struct rh_task task = task_of(t, entry);

    rh_transaction_record(t, &task, &outcome, blamed);
}

/* Batches. */

/* The next entry of this batch's provider; what can't be done any more is skipped on the way. */
static bool
next_want(void *data, struct rh_want *want)
{
    struct rh_transaction *t = data;

    for (; t->at < t->upto && !rh_transaction_stops(t); t->at++) {
        uint32_t entry = t->order->entries[t->at];
        const struct rh_task task = task_of(t, entry);
        const struct rh_resource *blamed;

        if (!rh_transaction_is_time(t, &task))
            continue;
        if (rh_transaction_waits_for_forgiven(t, task.resource)) {
            t->upto = t->at;
            break;
        }
        *want = rh_transaction_want(t, &task);
        blamed = rh_transaction_check_before(t, task.resource, want);
        if (blamed) {
            skip_entry(t, entry, blamed);
            continue;
        }
        if (t->unwritten && rh_deliveries_may_notify(t, task.resource)) {
            rh_transaction_refuse_unwritten(t, &task, t->unwritten);
            continue;
        }
        t->status[entry] = RH_SENT;
        t->last = task.resource;
        t->at++;
        return true;
    }
    return false;
}

/* The same for one that was sent to a worker which has timed out. */
static bool
want_again(void *data, uint32_t entry, struct rh_want *want)
{
    struct rh_transaction *t = data;
    const struct rh_task task = task_of(t, entry);
    const struct rh_resource *blamed;

    *want = rh_transaction_want(t, &task);
    blamed = rh_transaction_check_before(t, task.resource, want);
    if (!blamed)
        return true;
    skip_entry(t, entry, blamed);
    return false;
}

static void
run_batch(struct rh_transaction *t)
{
    const struct rh_wants wants = {
        .data = t, .next = next_want, .title_of = title_of, .visible = visible, .again = want_again
    };
    const struct rh_sink sink = {
        .data = t,
        .outcome = on_outcome,
        .log = on_log,
        .busy = on_busy,
        .progress = on_progress,
        .backup = t->backups ? on_backup : NULL,
    };
    rh_autoerror struct rh_error err = { 0 };

    t->type = t->c->list[t->order->entries[t->at]].resource->type;
    t->last = NULL;
    if (rh_deliveries_prepare(t, &err) < 0)
        t->unwritten = err.message;
    rh_transaction_converge(t, t->type, NULL, &wants, &sink);
    t->unwritten = NULL;
    rh_deliver_after_batch(t);
}

static bool
is_purge(const struct rh_resource *r)
{
    return r->meta && r->meta->purge;
}

static void
on_purged(void *data, const struct rh_event *event)
{
    rh_transaction_event(data, event);
}

/* `purge: TYPE` at its turn. What goes is not in the list; its wants have numbers behind it. */
static enum rh_status
purge(struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_type *type = task->resource->meta->purge->type;
    const struct rh_purging purging = {
        .catalog = t->c,
        .pool = t->pool,
        .resource = task->resource,
        .next_id = &t->next_id,
        .noop = rh_transaction_is_noop(t, task->resource),
        .verify = rh_transaction_verifies(t, task->resource, type),
        .planning = t->options->planning,
        .backups = t->backups,
        .data = t,
        .event = on_purged,
        .log = on_log,
    };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_outcome done;

    t->changed = false;
    if (t->journal && rh_journal_batch(t->journal, task->resource, task->entry, task, &err) < 0)
        rh_transaction_trouble(t, &err);
    t->hand = task->resource;
    rh_purge_run(&purging, a, &done);
    done.id = task->entry;
    if (done.status != RH_EXCLUDED) /* the run is to end: it was not reached */
        rh_transaction_record(t, task, &done, NULL);
    if (t->journal && rh_journal_batch_done(t->journal, t->changed, &err) < 0)
        rh_transaction_trouble(t, &err);
    t->disturbed |= t->changed && type->features & RH_FORGETS_WORLD;
    if (t->changed && type->features & RH_FORGETS_WORLD)
        rh_pool_forget(t->pool, type);
    return done.status;
}

static void
ignore_event(void *data, const struct rh_event *event)
{
    (void)data;
    (void)event;
}

static void
ignore_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

/* Whether something would go. */
static bool
would_purge(struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_purging trial = {
        .catalog = t->c,
        .pool = t->pool,
        .resource = task->resource,
        .next_id = &t->next_id,
        .noop = true,
        .planning = t->options->planning,
        .event = ignore_event,
        .log = ignore_log,
    };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_outcome done;

    rh_purge_run(&trial, a, &done);
    return done.status == RH_WOULD_CHANGE;
}

/* Tells those who are to be told before it changes. NULL, or who has failed over it. */
static const struct rh_resource *
notify_before_purge(struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_resource *r = task->resource;

    return t->batching[r->index] & RH_NOTIFIES_BEFORE && would_purge(t, task)
               ? rh_deliver_before(t, r, rh_transaction_is_noop(t, r))
               : NULL;
}

static void
run_purge(struct rh_transaction *t, const struct rh_task *task, bool depends)
{
    struct rh_outcome skipped = { .id = task->entry, .status = RH_SKIPPED, .blame = RH_NOBODY };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_resource *failed;

    if (rh_transaction_guards_agree(t, task, depends) <= 0 || rh_transaction_stops(t))
        return;
    if (rh_deliveries_prepare_one(t, task->resource, &err) < 0) {
        rh_transaction_refuse_unwritten(t, task, err.message);
        return;
    }
    failed = notify_before_purge(t, task);
    if (failed)
        rh_transaction_record(t, task, &skipped, failed);
    rh_deliver_after_one(t, task, failed ? RH_SKIPPED : purge(t, task));
}

static void
run_next(struct rh_transaction *t)
{
    uint32_t entry = t->order->entries[t->at];
    const struct rh_task task = task_of(t, entry);
    const struct rh_resource *blamed;
    struct rh_want want = { 0 };

    /* Of a batch, the next one may have begun when the host learns that one has failed. */
    if (!(t->batching[task.resource->index] & RH_OWN_BATCH) && !t->options->fail_fast
        && !is_purge(task.resource)) {
        run_batch(t);
        return;
    }
    t->at++;
    if (!rh_transaction_is_time(t, &task))
        return;
    blamed = rh_transaction_check_before(t, task.resource, &want);
    if (blamed) {
        skip_entry(t, entry, blamed);
    } else if (!rh_transaction_resolve(t, &task)) {
        rh_deliver_after_one(t, &task, RH_UNCHANGED);
    } else if (is_purge(task.resource)) {
        if (want.stale) /* what it lists may have been changed by what it depends on */
            rh_worker_forget(rh_pool_worker(t->pool, task.resource->meta->purge->type));
        run_purge(t, &task, want.stale);
    } else {
        rh_transaction_apply_entry(t, &task, want.stale);
    }
    rh_transaction_end_unknown(t);
}

/* Workers take a moment to start; they can do so side by side, while the first has work already. */
static void
start_workers(struct rh_transaction *t)
{
    const struct rh_type *last = NULL;

    if (t->pool->options.isolation != RH_ISOLATION_WORKER)
        return;
    for (size_t i = 0; i < t->order->n; i++) {
        const struct rh_resource *r = t->c->list[t->order->entries[i]].resource;
        const struct rh_type *type = is_purge(r) ? r->meta->purge->type : r->type;

        if (type != last && !type->defined)
            (void)rh_pool_worker(t->pool, type);
        last = type;
    }
}

/* Whether the next batch may begin. */
static bool
goes_on(struct rh_transaction *t)
{
    rh_autoerror struct rh_error err = { 0 };

    if (!rh_transaction_stops(t) && t->options->lock && rh_lock_check(t->options->lock, &err) < 0) {
        t->stopped = t->lock_gone = true;
        rh_transaction_trouble(t, &err);
    }
    return !t->stopped;
}

int
rh_transaction_run(const struct rh_catalog *c, const struct rh_order *order, struct rh_pool *pool,
                   const struct rh_transaction_options *options, const struct rh_reporter *reporter,
                   struct rh_error *err)
{
    rh_autofree uint8_t *status = rh_xalloc(c->n_list);
    rh_autofree uint8_t *resource_status = rh_xalloc(c->n_resources);
    rh_autofree uint8_t *batching = rh_xalloc(c->n_resources);
    rh_autofree uint8_t *guard = rh_xalloc(c->n_resources);
    rh_autofree struct rh_result *results = rh_xalloc(rh_xmul(c->n_resources, sizeof *results));
    struct rh_transaction t = {
        .c = c,
        .order = order,
        .pool = pool,
        .options = options,
        .reporter = reporter,
        .status = status,
        .resource_status = resource_status,
        .batching = batching,
        .guard = guard,
        .results = results,
        .start = rh_now(),
    };
    char id[RH_RUN_ID], started[RH_RUN_TIME];
    const struct rh_identity *who = options->identity;

    if (options->expected)
        t.expectations = rh_expectations_new(options->expected, c->n_list);
    memset(status, RH_NOT_YET, c->n_list);
    memset(resource_status, RH_NOT_YET, c->n_resources);
    t.next_id = (uint32_t)c->n_list + 1; /* one is for notifications that are delivered */
    t.end.counts.by_status[RH_EXCLUDED] = c->n_list - order->n;
    rh_identity_new_run(id, started);
    t.end.run = id;
    if (options->run)
        memcpy(options->run, id, RH_RUN_ID);
    if (rh_transaction_open_state(&t, id, started, err) < 0) {
        rh_transaction_clear(&t);
        return -1;
    }
    reporter->begin(reporter->data, &(struct rh_run_begin){
                                        .run = id,
                                        .started = started,
                                        .noop = options->noop,
                                        .host = who && *who->host ? who->host : NULL,
                                        .name = who ? who->name : NULL,
                                        .seq = who ? who->seq : 0,
                                        .revision = options->revision,
                                        .undoes = options->undoes,
                                        .total = order->n,
                                    });
    rh_transaction_watch(&t);
    start_workers(&t);
    rh_transaction_check_expected(&t); /* nothing is in hand yet */
    rh_transaction_watch_waits(&t, true);
    while (t.at < order->n && goes_on(&t))
        run_next(&t);
    if (goes_on(&t))
        rh_deliver_rest(&t);
    if (goes_on(&t))
        rh_transaction_check_undone(&t);
    rh_transaction_report_stop(&t);
    rh_transaction_save_state(&t);
    rh_transaction_watch_waits(&t, false);
    reporter->end(reporter->data, &t.end);
    rh_transaction_clear(&t);
    return t.end.exit;
}
