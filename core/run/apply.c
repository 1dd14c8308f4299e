/* SPDX-License-Identifier: Apache-2.0 */
/* apply - one execution by itself, as often as it may be tried. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/message-code.h"
#include "base/wait.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "run/backup.h"
#include "run/pool.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PAUSE = 3600 }; /* seconds */

struct single {
    struct rh_transaction *t;
    const struct rh_task *task;
    bool sent, again;
    uint32_t tries_left;
    char *reason;  /* why the last try failed */
    unsigned code; /* of the reason */
    enum rh_status status;
};

static bool
next_single(void *data, struct rh_want *want)
{
    struct single *s = data;

    if (s->sent)
        return false;
    *want = rh_transaction_want(s->t, s->task);
    if (s->task->resource->conduct)
        want->limit = s->task->resource->conduct->timeout;
    s->sent = true;
    return true;
}

static const struct rh_value *
visible(void *data, const struct rh_type *asker, struct rh_arena *a, const char *type, const char *title)
{
    const struct single *s = data;

    return rh_visible(s->t->c, asker, a, type, title);
}

static const char *
title_of_single(void *data, uint32_t id)
{
    const struct single *s = data;

    (void)id;
    return s->task->resource->title;
}

/* It failed, and is to be tried again: that is no event yet. */
static void
report_try(const struct single *s, const char *reason)
{
    const struct rh_conduct *c = s->task->resource->conduct;
    rh_autofree char *name = rh_resource_text(s->task->resource);
    static const char wording[] = RH_WORDING("%s failed, and is tried again in %g s (%u of %u): %s");
    rh_autofree char *text = rh_printf(wording, name, c->retry_delay, c->retries - s->tries_left + 1,
                                       c->retries, reason ? reason : "");

    rh_transaction_message(s->t, RH_WARNING, rh_message_code(wording), text);
}

static void
on_single(void *data, const struct rh_outcome *outcome)
{
    struct single *s = data;
    struct rh_outcome adjusted = *outcome;
    rh_autofree char *reason = NULL;
    bool may_again = true;

    adjusted.status = rh_transaction_missing(s->t, adjusted.status);
    if (!s->task->trial)
        may_again = rh_transaction_judge(s->t, s->task->resource, &adjusted, &reason);
    s->status = adjusted.status;
    if (adjusted.status == RH_EXCLUDED) { /* the run is to end: it was not reached */
        s->again = false;
        return;
    }
    if (s->task->notified && adjusted.status == RH_CHANGED)
        adjusted.status = RH_REFRESHED;
    else if (s->task->notified && adjusted.status == RH_WOULD_CHANGE)
        adjusted.status = RH_WOULD_REFRESH;
    s->status = adjusted.status;
    s->again = adjusted.status == RH_FAILED && may_again && s->tries_left && !s->task->trial
               && !rh_transaction_stops(s->t);
    if (s->again) {
        report_try(s, adjusted.reason);
        free(s->reason);
        s->reason = adjusted.reason ? rh_xstrdup(adjusted.reason) : NULL;
        s->code = adjusted.code;
    } else if (!s->task->trial)
        rh_transaction_record(s->t, s->task, &adjusted, NULL);
}

static void
on_single_log(void *data, const struct rh_log_record *record)
{
    const struct single *s = data;

    rh_transaction_log(s->t, record);
}

static void
on_single_progress(void *data, const struct rh_progress *progress)
{
    const struct single *s = data;

    rh_transaction_progress(s->t, progress->id == RH_NOBODY ? NULL : s->task->resource, progress);
}

static bool
on_single_backup(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n, bool wait,
                 const char **why)
{
    const struct single *s = data;

    for (size_t i = 0; i < n; i++)
        if (!rh_backups_take(s->t->backups, s->task->resource, &states[i], wait && i + 1 == n, a, why))
            return false;
    return true;
}

/* False when the run is to end before. */
static bool
pause_for(struct rh_transaction *t, double seconds)
{
    double until = rh_now() + seconds, left;

    t->doing = "waiting to try it again";
    while (!rh_transaction_stops(t) && (left = until - rh_now()) > 0)
        (void)rh_wait_idle(NULL, 0, left > LONGEST_PAUSE ? LONGEST_PAUSE * 1000 : (int)(left * 1000) + 1);
    t->doing = NULL;
    return !rh_transaction_stops(t);
}

/* It was to be tried again, and is not: what it was the last time is what came of it. */
static void
give_up(struct single *s)
{
    const struct rh_outcome o = {
        .id = s->task->entry,
        .status = RH_FAILED,
        .reason = s->reason,
        .code = s->code,
        .blame = RH_NOBODY,
        .touched = true,
    };

    s->again = false;
    rh_transaction_record(s->t, s->task, &o, NULL);
}

/* Instances of definitions: what they are comes from what is part of them. */

static enum rh_status
record_instance(struct rh_transaction *t, const struct rh_task *task, enum rh_status status, char *reason)
{
    const struct rh_outcome o = { .id = task->entry, .status = status, .reason = reason, .blame = RH_NOBODY };

    rh_transaction_record(t, task, &o, NULL);
    return status;
}

static enum rh_status
converge_instance(struct rh_transaction *t, const struct rh_task *task)
{
    size_t n = 0, changed = 0, would = 0;
    rh_autofree char *reason = NULL;

    for (const struct rh_resource *m = task->resource->members; m; m = m->next_member, n++) {
        uint8_t status = t->resource_status[m->index];

        changed += status == RH_CHANGED || status == RH_REFRESHED;
        would += status == RH_WOULD_CHANGE || status == RH_WOULD_REFRESH;
    }
    if (!changed && !would)
        return record_instance(t, task, RH_UNCHANGED, NULL);
    reason = rh_printf("%zu of its %zu resource%s", changed ? changed : would, n, n == 1 ? "" : "s");
    return record_instance(t, task, changed ? RH_CHANGED : RH_WOULD_CHANGE, reason);
}

static enum rh_status
refresh_instance(struct rh_transaction *t, const struct rh_task *task)
{
    enum rh_status all = RH_UNCHANGED;

    for (struct rh_resource *m = task->resource->members; m; m = m->next_member) {
        struct rh_task part = *task;
        enum rh_status status;

        if (!m->type->refresh_action)
            continue;
        part.resource = m;
        part.action = m->type->refresh_action;
        status = rh_transaction_apply(t, &part);
        if (rh_is_failure((uint8_t)status) || (rh_is_change((uint8_t)status) && !rh_is_failure((uint8_t)all)))
            all = status;
    }
    return all;
}

/* Before it is done: a refresh that fails, or is cut short, may have changed the resource as well. */
static void
note_notified(struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_resource *r = task->resource;
    bool guarded = r->conduct && (r->conduct->only_if || r->conduct->not_if);

    if (task->notified && !task->trial && !task->noop && !rh_transaction_is_noop(t, r))
        rh_backups_note_notified(t->backups, r, task->by, task->action,
                                 t->resource_status[r->index] == RH_UNCHANGED && !guarded
                                     && !(r->meta && r->meta->only_audits));
}

enum rh_status
rh_transaction_apply(struct rh_transaction *t, const struct rh_task *task)
{
    static const struct rh_conduct usual = { 0 };
    const struct rh_conduct *c = task->resource->conduct ? task->resource->conduct : &usual;
    const struct rh_type *type = task->resource->type;
    struct single s = { .t = t, .task = task, .status = RH_FAILED, .tries_left = c->retries, .again = true };
    const struct rh_wants wants = {
        .data = &s, .next = next_single, .title_of = title_of_single, .visible = visible
    };
    const struct rh_sink sink = {
        .data = &s,
        .outcome = on_single,
        .log = on_single_log,
        .progress = on_single_progress,
        .backup = t->backups ? on_single_backup : NULL,
    };

    if (type->defined)
        return task->entry == RH_NO_ENTRY ? refresh_instance(t, task) : converge_instance(t, task);
    note_notified(t, task);
    while (s.again) {
        if (s.sent) {
            if (!pause_for(t, c->retry_delay)) {
                give_up(&s);
                break;
            }
            s.tries_left--;
            s.sent = false;
        }
        rh_worker_limit(rh_pool_worker(t->pool, type), c->timeout);
        rh_transaction_converge(t, type, task, &wants, &sink);
        rh_worker_limit(rh_pool_worker(t->pool, type), 0);
        if (s.again || c->timeout > 0)
            rh_pool_renew(t->pool, type);
    }
    free(s.reason);
    return s.status;
}
