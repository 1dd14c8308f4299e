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
#include "catalog/schedule.h"
#include "run/audit.h"
#include "run/journal.h"
#include "run/look.h"
#include "run/pool.h"
#include "run/purge.h"
#include "run/timetable.h"
#include "schema/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NOT_YET = 255, SENT = 254 };

struct transaction {
    const struct rh_catalog *c;
    const struct rh_order *order;
    const struct rh_transaction_options *options;
    const struct rh_reporter *reporter;
    struct rh_journal *journal;
    struct rh_timetable *timetable;
    struct rh_audit *audit;
    struct rh_run_end end;
    uint8_t *status; /* of each list entry: enum rh_status, or above */
    size_t at;       /* in the order */
    /* the batch under way */
    const struct rh_type *type;
    bool changed;
    uint32_t next_id; /* of a want that is not in the list */
    uint32_t *after;  /* of the want that is given out */
    size_t cap_after;
};

static bool
is_purge(const struct rh_resource *r)
{
    return r->meta && r->meta->purge;
}

static bool
is_noop(const struct transaction *t, const struct rh_resource *r)
{
    return t->options->noop || (r->noop_given && r->noop);
}

static void
tell_event(void *data, const struct rh_event *event)
{
    struct transaction *t = data;
    enum rh_status status = event->outcome->status;

    if (status == RH_LEFT_OUT) {
        t->end.counts.left_out++;
    } else {
        t->end.counts.of[status]++;
        t->end.counts.total++;
    }
    t->changed |= status == RH_CHANGED || status == RH_REFRESHED;
    if (t->journal)
        rh_journal_event(t->journal, event);
    t->reporter->event(t->reporter->data, event);
}

static void
tell(struct transaction *t, uint32_t entry, const struct rh_outcome *outcome,
     const struct rh_resource *blamed)
{
    struct rh_event event = {
        .resource = t->c->list[entry].resource,
        .action = t->c->list[entry].action,
        .outcome = outcome,
        .blamed = blamed,
        .blamed_failed = blamed && t->status[blamed->first_entry] == RH_FAILED,
    };

    t->status[entry] = (uint8_t)outcome->status;
    if (!is_noop(t, event.resource)
        && (outcome->status == RH_UNCHANGED || outcome->status == RH_CHANGED
            || outcome->status == RH_REFRESHED))
        rh_timetable_had_turn(t->timetable, event.resource);
    event.n_findings = rh_audit_compare(t->audit, event.resource, outcome,
                                        !is_noop(t, event.resource), &event.findings);
    t->end.counts.audited += rh_findings_tell(event.findings, event.n_findings);
    tell_event(t, &event);
}

static void
on_outcome(void *data, const struct rh_outcome *outcome)
{
    struct transaction *t = data;
    const struct rh_resource *blamed =
        outcome->blame < t->c->n_list ? t->c->list[outcome->blame].resource : NULL;

    tell(t, outcome->id, outcome, blamed);
}

static void
on_log(void *data, enum rh_level level, bool generated, const char *text)
{
    const struct transaction *t = data;

    t->reporter->log(t->reporter->data, level, generated, text);
}

static const char *
title_of(void *data, uint32_t id)
{
    const struct transaction *t = data;

    return id < t->c->n_list ? t->c->list[id].resource->title : NULL;
}

static const struct rh_value *
look(void *data, const struct rh_type *asker, struct rh_arena *a, const char *type, const char *title)
{
    const struct transaction *t = data;

    return rh_look(t->c, asker, a, type, title);
}

/* Looks at what this entry's resource depends on. What is done decides now; what this batch still
 * has in hand goes along as `after`. Returns who is to blame when it can't be done. */
static const struct rh_resource *
look_before(struct transaction *t, const struct rh_resource *r, struct rh_want *want)
{
    want->n_after = 0;
    for (uint32_t k = t->order->start[r->index]; k < t->order->start[r->index + 1]; k++) {
        const struct rh_resource *before = t->c->resources[t->order->of[k]];
        uint32_t entry = before->first_entry;

        if (entry == RH_NO_ENTRY)
            continue;
        if (t->status[entry] == RH_FAILED || t->status[entry] == RH_SKIPPED)
            return before;
        if (t->status[entry] == RH_CHANGED || t->status[entry] == RH_REFRESHED)
            want->stale = true;
        if (t->status[entry] == SENT) {
            t->after = rh_xgrow(t->after, &t->cap_after, want->n_after, sizeof *t->after);
            t->after[want->n_after++] = entry;
        }
    }
    want->after = t->after;
    return NULL;
}

static void
skip(struct transaction *t, uint32_t entry, const struct rh_resource *blamed)
{
    const struct rh_outcome outcome = { .id = entry, .status = RH_SKIPPED, .blame = RH_NOBODY };

    tell(t, entry, &outcome, blamed);
}

/* Whether its schedule lets it have its turn; what depends on it goes on if not. */
static bool
is_time(struct transaction *t, uint32_t entry)
{
    const struct rh_resource *r = t->c->list[entry].resource;
    rh_autofree char *reason = NULL;

    if (rh_timetable_allows(t->timetable, r))
        return true;
    reason = r->meta->schedule->name ? rh_printf("not now: schedule '%s'", r->meta->schedule->name)
                                     : rh_xstrdup("not now: its schedule");
    const struct rh_outcome outcome = {
        .id = entry, .status = RH_LEFT_OUT, .blame = RH_NOBODY, .reason = reason
    };

    tell(t, entry, &outcome, NULL);
    return false;
}

/* The next entry of this batch's provider; what can't be done any more is skipped on the way. */
static bool
next_want(void *data, struct rh_want *want)
{
    struct transaction *t = data;

    for (; t->at < t->order->n; t->at++) {
        uint32_t entry = t->order->entries[t->at];
        const struct rh_todo *todo = &t->c->list[entry];
        const struct rh_resource *r = todo->resource, *blamed;

        if (r->type != t->type)
            return false;
        if (!is_time(t, entry))
            continue;
        *want = (struct rh_want){
            .id = entry,
            .noop = is_noop(t, r),
            .title = r->title,
            .action = todo->action,
            .name = r->name,
            .should = r->should,
            .watch = rh_audit_watch(t->audit, r),
        };
        blamed = look_before(t, r, want);
        if (blamed) {
            skip(t, entry, blamed);
            continue;
        }
        t->status[entry] = SENT;
        t->at++;
        return true;
    }
    return false;
}

static void
tell_trouble(struct transaction *t, struct rh_error *err)
{
    if (!err->message)
        return;
    t->reporter->log(t->reporter->data, RH_ERR, false, err->message);
    t->end.exit |= 4;
    rh_error_clear(err);
}

/* `purge: TYPE` at its turn. What goes is not in the list; its wants have numbers behind it. */
static void
run_purge(struct transaction *t, struct rh_pool *pool)
{
    uint32_t entry = t->order->entries[t->at];
    const struct rh_resource *r = t->c->list[entry].resource, *blamed;
    const struct rh_type *type = r->meta->purge->type;
    const struct rh_purging purging = {
        .catalog = t->c,
        .pool = pool,
        .resource = r,
        .next_id = &t->next_id,
        .noop = is_noop(t, r),
        .data = t,
        .event = tell_event,
        .log = on_log,
    };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_want want = { 0 };
    struct rh_outcome done;

    if (!is_time(t, entry)) {
        t->at++;
        return;
    }
    blamed = look_before(t, r, &want);
    t->changed = false;
    if (t->journal && rh_journal_batch(t->journal, type->provider, t->at, &err) < 0)
        tell_trouble(t, &err);
    t->at++;
    if (blamed) {
        skip(t, entry, blamed);
        return;
    }
    rh_purge_run(&purging, a, &done);
    tell(t, entry, &done, NULL);
    if (t->journal && rh_journal_batch_done(t->journal, t->changed, &err) < 0)
        tell_trouble(t, &err);
    if (t->changed && type->features & RH_FORGETS_WORLD)
        rh_pool_forget(pool, type);
}

static void
run_batch(struct transaction *t, struct rh_pool *pool)
{
    const struct rh_wants wants = {
        .data = t, .next = next_want, .title_of = title_of, .look = look
    };
    const struct rh_sink sink = { .data = t, .outcome = on_outcome, .log = on_log };
    rh_autoerror struct rh_error err = { 0 };
    size_t from = t->at;

    if (is_purge(t->c->list[t->order->entries[t->at]].resource)) {
        run_purge(t, pool);
        return;
    }
    t->type = t->c->list[t->order->entries[t->at]].resource->type;
    t->changed = false;
    if (t->journal && rh_journal_batch(t->journal, t->type->provider, from, &err) < 0)
        tell_trouble(t, &err);
    (void)rh_worker_converge(rh_pool_worker(pool, t->type), &wants, &sink, &err);
    tell_trouble(t, &err);
    if (t->journal && rh_journal_batch_done(t->journal, t->changed, &err) < 0)
        tell_trouble(t, &err);
    if (t->changed && t->type->features & RH_FORGETS_WORLD)
        rh_pool_forget(pool, t->type);
}

static void
set_exit(struct transaction *t)
{
    const size_t *of = t->end.counts.of;
    bool failed = of[RH_FAILED] || of[RH_SKIPPED] || t->end.exit & 4;
    bool changed = of[RH_CHANGED] || of[RH_WOULD_CHANGE] || of[RH_REFRESHED] || of[RH_WOULD_REFRESH];

    t->end.exit = (failed ? 4 : 0) | (changed && t->options->detailed ? 2 : 0);
}

/* Workers take a moment to start; they can do so side by side, while the first has work already. */
static void
start_workers(struct transaction *t, struct rh_pool *pool)
{
    const struct rh_type *last = NULL;

    if (pool->options.isolation != RH_ISOLATION_WORKER)
        return;
    for (size_t i = 0; i < t->order->n; i++) {
        const struct rh_resource *r = t->c->list[t->order->entries[i]].resource;
        const struct rh_type *type = is_purge(r) ? r->meta->purge->type : r->type;

        if (type != last)
            (void)rh_pool_worker(pool, type);
        last = type;
    }
}

static void
make_id(char *id, size_t n, char *started, size_t n_started)
{
    struct timespec ts = { 0 };
    struct tm tm = { 0 };
    char text[32];

    if (clock_gettime(CLOCK_REALTIME, &ts) < 0 || !gmtime_r(&ts.tv_sec, &tm))
        tm = (struct tm){ .tm_year = 70, .tm_mday = 1 };
    if (!strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm))
        text[0] = '\0';
    (void)snprintf(id, n, "%s.%03ld-%d", text, ts.tv_nsec / 1000000, (int)getpid());
    if (!strftime(started, n_started, "%Y-%m-%dT%H:%M:%SZ", &tm))
        started[0] = '\0';
}

/* What is remembered of resources from run to run. */
static int
open_state(struct transaction *t, struct rh_error *err)
{
    if (rh_timetable_open(&t->timetable, t->c, t->options->state_dir, err) < 0)
        return -1;
    return rh_audit_open(&t->audit, t->c, t->options->state_dir, err);
}

static void
save_state(struct transaction *t)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_timetable_save(t->timetable, &err) < 0)
        tell_trouble(t, &err);
    if (rh_audit_save(t->audit, &err) < 0)
        tell_trouble(t, &err);
}

static void
close_state(struct transaction *t)
{
    rh_timetable_free(t->timetable);
    rh_audit_free(t->audit);
}

int
rh_transaction_run(const struct rh_catalog *c, const struct rh_order *order, struct rh_pool *pool,
                   const struct rh_transaction_options *options, const struct rh_reporter *reporter,
                   struct rh_error *err)
{
    rh_autofree uint8_t *status = rh_xalloc(c->n_list);
    struct transaction t = {
        .c = c, .order = order, .options = options, .reporter = reporter, .status = status
    };
    rh_autoerror struct rh_error trouble = { 0 };
    char id[64], started[40];
    double start = rh_now();

    memset(status, NOT_YET, c->n_list);
    t.next_id = (uint32_t)c->n_list;
    t.end.counts.left_out = c->n_list - order->n;
    make_id(id, sizeof id, started, sizeof started);
    t.end.run = id;
    if (open_state(&t, err) < 0) {
        close_state(&t);
        return -1;
    }
    if (!options->noop && order->n) {
        t.journal = rh_journal_open(options->state_dir, id, started, err);
        if (!t.journal) {
            close_state(&t);
            return -1;
        }
    }
    reporter->begin(reporter->data, id, started, options->noop);
    start_workers(&t, pool);
    while (t.at < order->n)
        run_batch(&t, pool);
    save_state(&t);
    set_exit(&t);
    t.end.seconds = rh_now() - start;
    if (rh_journal_close(t.journal, &t.end, &trouble) < 0) {
        tell_trouble(&t, &trouble);
        set_exit(&t);
    }
    reporter->end(reporter->data, &t.end);
    close_state(&t);
    free(t.after);
    return t.end.exit;
}
