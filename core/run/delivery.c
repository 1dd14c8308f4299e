/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - notifications on their way: who changed, who is to be told, and when. */
#include "config.h"

#include "run/delivery.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "run/delivery-parts.h"
#include "run/pending.h"

#include <string.h>

enum { DEEPEST = 500 }; /* deliveries within each other, before what they notify of */

static void
enqueue(struct rh_deliveries *d, struct rh_delivery *s)
{
    if (s->queued)
        return;
    s->queued = true;
    d->queue = rh_xgrow(d->queue, &d->cap_queue, d->n_queue, sizeof(struct rh_delivery *));
    d->queue[d->n_queue++] = s;
}

void
rh_delivery_due(struct rh_transaction *t, struct rh_delivery *s)
{
    struct rh_deliveries *d = t->deliveries;
    struct rh_delivery **last = &d->due[s->to->index];

    if (s->due || s->queued)
        return;
    if (d->last_task[s->to->index] <= t->at && t->last != s->to) {
        enqueue(d, s);
        return;
    }
    s->due = true;
    s->next_due = NULL;
    while (*last)
        last = &(*last)->next_due;
    *last = s;
}

static void
strike(struct rh_deliveries *d, struct rh_delivery *s)
{
    if (d->noop || s->pending == RH_NOT_PENDING)
        return;
    rh_pending_drop(d->pending, s->pending);
    s->pending = RH_NOT_PENDING;
    s->uncertain = false;
}

/* Whether it is being delivered already; at the bottom of the stack is what had its turn. */
static bool
is_under_way(const struct rh_deliveries *d, const struct rh_delivery *s)
{
    return s->active
           || (d->n_stack && d->stack[0]->to == s->to && strcmp(d->stack[0]->action, s->action) == 0);
}

/* "a.run → b.restart → a.run": delivering `s` would go round in a circle. */
static char *
show_circle(const struct rh_deliveries *d, const struct rh_delivery *s)
{
    struct rh_buf b = { 0 };
    size_t i = 0;

    while (d->stack[i]->to != s->to || strcmp(d->stack[i]->action, s->action) != 0)
        i++;
    rh_buf_add(&b, "notifications form a cycle: ");
    for (; i < d->n_stack; i++)
        rh_buf_addf(&b, "%s[%s] %s → ", d->stack[i]->to->type->type, d->stack[i]->to->title,
                    d->stack[i]->action);
    rh_buf_addf(&b, "%s[%s] %s", s->to->type->type, s->to->title, s->action);
    return rh_buf_take(&b);
}

static void
push(struct rh_deliveries *d, struct rh_delivery *s)
{
    d->stack = rh_xgrow(d->stack, &d->cap_stack, d->n_stack, sizeof(struct rh_delivery *));
    d->stack[d->n_stack++] = s;
    s->active = true;
}

static void
pop(struct rh_deliveries *d)
{
    d->stack[--d->n_stack]->active = false;
}

/* RH_SKIPPED when it could not be executed; otherwise it is on the stack until it has told. */
static enum rh_status
execute(struct rh_transaction *t, struct rh_delivery *s, const char *when, const struct rh_resource *from)
{
    struct rh_deliveries *d = t->deliveries;
    const struct rh_pending *pending =
        s->pending != RH_NOT_PENDING ? rh_pending_at(d->pending, s->pending) : NULL;
    rh_autofree char *by = from ? rh_resource_text(from) : NULL;
    const struct rh_task task = {
        .resource = s->to,
        .action = s->action,
        .entry = RH_NO_ENTRY,
        .notified = when,
        .by = by        ? by
              : pending ? pending->by
                        : "",
        .since = !from && pending ? pending->run : NULL,
        .noop = s->pretend,
        .begun = strcmp(when, rh_timing_name(RH_BEFOREHAND)) == 0,
    };
    const struct rh_resource *failure;
    rh_autoerror struct rh_error err = { 0 };
    enum rh_status status;
    int agreed;

    if (!task.begun && rh_transaction_stops(t))
        return RH_SKIPPED; /* it stays pending */
    if (is_under_way(d, s)) {
        rh_autofree char *circle = show_circle(d, s);

        strike(d, s); /* or every run would go round again */
        rh_transaction_skip(t, &task, circle);
        return RH_SKIPPED;
    }
    if (d->depth >= DEEPEST) { /* it stays pending */
        rh_autofree char *why = rh_printf("more than %d notifications depend on one another", DEEPEST);

        rh_transaction_skip(t, &task, why);
        return RH_SKIPPED;
    }
    if (!rh_transaction_is_time(t, &task))
        return RH_SKIPPED; /* it stays pending */
    failure = rh_transaction_blame(t, s->to);
    if (failure) {
        rh_autofree char *text = rh_resource_text(failure);
        rh_autofree char *why =
            rh_printf("%s%s %s; '%s' is kept for the next run", failure == s->to ? "" : "depends on ", text,
                      t->resource_status[failure->index] == RH_FAILED ? "failed" : "was skipped", s->action);

        rh_transaction_skip(t, &task, why);
        return RH_SKIPPED;
    }
    if (!s->pretend && rh_deliveries_prepare_one(t, s->to, &err) < 0) {
        rh_transaction_refuse_unwritten(t, &task, err.message);
        return RH_SKIPPED; /* it stays pending */
    }
    if (!rh_transaction_resolve(t, &task)) {
        rh_transaction_end_unknown(t);
        return RH_SKIPPED; /* it stays pending */
    }
    push(d, s);
    d->depth++;
    agreed = rh_transaction_guards_agree(t, &task, true);
    status = agreed > 0 ? rh_transaction_notify_and_apply(t, &task) : agreed == 0 ? RH_UNCHANGED : RH_FAILED;
    d->depth--;
    rh_transaction_end_unknown(t);
    if (status == RH_REFRESHED || status == RH_UNCHANGED)
        strike(d, s);
    if (rh_is_change(status))
        return status;
    pop(d);
    return RH_SKIPPED;
}

/* The pending notifications of `r` are certain: it was changed. */
static void
note_certain(struct rh_transaction *t, const struct rh_resource *r)
{
    for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++) {
        const struct rh_delivery *s = &t->deliveries->slots[n->slot];

        if (n->timing != RH_BEFOREHAND && s->pending != RH_NOT_PENDING)
            rh_pending_certain(t->deliveries->pending, s->pending);
    }
}

/* Those who are not told at once. */
static void
notify_later(struct rh_transaction *t, struct rh_resource *r, bool pretend)
{
    struct rh_deliveries *d = t->deliveries;

    for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++) {
        struct rh_delivery *s = &d->slots[n->slot];

        if (n->timing != RH_DELAYED && n->timing != RH_IN_ORDER)
            continue;
        if (!s->due && !s->queued) {
            s->by = r;
            s->on_failure = n->on_failure;
            s->pretend = pretend;
        }
        if (!s->queued)
            s->queued_by = r;
        s->pretend &= pretend;
        if (n->timing == RH_IN_ORDER)
            rh_delivery_due(t, s);
        else if (!s->spent)
            enqueue(d, s);
        s->spent |= n->timing == RH_DELAYED;
    }
}

/* `r`, which has changed, is to tell; `by` is the delivery that changed it, or NULL. */
static void
begin_telling(struct rh_transaction *t, struct rh_resource *r, bool pretend, struct rh_delivery *by,
              bool queued)
{
    struct rh_deliveries *d = t->deliveries;

    if (!pretend)
        note_certain(t, r);
    d->notifying = rh_xgrow(d->notifying, &d->cap_notifying, d->n_notifying, sizeof *d->notifying);
    d->notifying[d->n_notifying++] = (struct rh_notifying){
        .r = r, .pretend = pretend, .next = rh_first_of(t, r), .by = by, .queued = queued
    };
}

static void
end_notifying(struct rh_transaction *t)
{
    struct rh_deliveries *d = t->deliveries;
    const struct rh_notifying ended = d->notifying[--d->n_notifying];

    notify_later(t, ended.r, ended.pretend);
    if (!ended.by)
        return;
    pop(d);
    ended.by->pretend = ended.queued;
}

/* Who changed tells: first those who are to know at once, and what these tell, then the others. There
 * may be many in a row: they wait on a stack of their own. */
static void
notify(struct rh_transaction *t, struct rh_resource *r, bool pretend)
{
    struct rh_deliveries *d = t->deliveries;
    size_t base = d->n_notifying;

    begin_telling(t, r, pretend, NULL, false);
    while (d->n_notifying > base) {
        struct rh_notifying *telling = &d->notifying[d->n_notifying - 1];
        const struct rh_notification *n = telling->next++;
        struct rh_delivery *s;
        enum rh_status status;
        bool queued;

        if (n >= rh_end_of(t, telling->r)) {
            end_notifying(t);
            continue;
        }
        if (n->timing != RH_IMMEDIATELY)
            continue;
        s = &d->slots[n->slot];
        if (is_under_way(d, s)) { /* what is told there goes on as it was */
            (void)execute(t, s, rh_timing_name(RH_IMMEDIATELY), telling->r);
            continue;
        }
        queued = s->pretend;
        s->pretend = telling->pretend;
        status = execute(t, s, rh_timing_name(RH_IMMEDIATELY), telling->r);
        if (rh_is_change((uint8_t)status))
            begin_telling(t, s->to, status == RH_WOULD_REFRESH, s, queued);
        else
            s->pretend = queued;
    }
}

static void
deliver(struct rh_transaction *t, struct rh_delivery *s, const char *when, const struct rh_resource *from)
{
    enum rh_status status = execute(t, s, when, from);

    if (!rh_is_change((uint8_t)status))
        return;
    notify(t, s->to, status == RH_WOULD_REFRESH);
    pop(t->deliveries);
}

const struct rh_resource *
rh_deliver_before(struct rh_transaction *t, const struct rh_resource *r, bool pretend)
{
    struct rh_deliveries *d = t->deliveries;
    const struct rh_resource *failure = r->container ? rh_deliver_before(t, r->container, pretend) : NULL;
    bool again = r->type->defined && d->notified_before[r->index];

    d->notified_before[r->index] = true;
    for (const struct rh_notification *n = rh_first_of(t, r); !failure && n < rh_end_of(t, r); n++) {
        struct rh_delivery *s = &d->slots[n->slot];

        if (n->timing != RH_BEFOREHAND)
            continue;
        if (!again) {
            s->pretend = pretend || rh_transaction_is_noop(t, r);
            deliver(t, s, rh_timing_name(RH_BEFOREHAND), r);
        }
        if (rh_is_failure(t->resource_status[s->to->index]))
            failure = s->to;
    }
    return failure;
}

/* Whether it is time for a debt whose notifier may or may not have changed something: when that is
 * as wanted now, the change was made then. */
static bool
is_decided(struct rh_transaction *t, const struct rh_delivery *s)
{
    const struct rh_pending *pending;
    struct rh_reference ref;
    const struct rh_resource *by;

    if (s->by || s->pending == RH_NOT_PENDING)
        return true;
    pending = rh_pending_at(t->deliveries->pending, s->pending);
    if (pending->certain || !rh_reference_parse(t->deliveries->arena, pending->by, &ref))
        return true;
    by = rh_catalog_find(t->c, ref.type, ref.title);
    return !by
           || (t->resource_status[by->index] != RH_NOT_YET && t->resource_status[by->index] != RH_FORGIVEN
               && !rh_is_failure(t->resource_status[by->index]));
}

/* What is due for `r`, whose turn it was. */
static void
deliver_due(struct rh_transaction *t, const struct rh_resource *r)
{
    struct rh_deliveries *d = t->deliveries;
    struct rh_delivery *s = d->due[r->index];

    d->due[r->index] = NULL;
    for (struct rh_delivery *next; s; s = next) {
        next = s->next_due;
        s->due = false;
        if (is_decided(t, s) && !rh_is_failure(t->resource_status[r->index]))
            deliver(t, s, rh_timing_name(RH_IN_ORDER), s->by);
        else
            enqueue(d, s);
    }
}

/* One that had its turn tells; what it tells must not lead back to that. */
static void
notify_of_task(struct rh_transaction *t, struct rh_resource *r, const char *action, uint8_t status)
{
    struct rh_delivery self = { .to = r, .action = action };

    push(t->deliveries, &self);
    notify(t, r, status == RH_WOULD_CHANGE);
    pop(t->deliveries);
}

void
rh_deliver_after_batch(struct rh_transaction *t)
{
    struct rh_resource *last = t->last;

    for (size_t i = 0; i < t->n_notifiers; i++) {
        const struct rh_todo *todo = &t->c->list[t->notifiers[i]];

        notify_of_task(t, todo->resource, todo->action, t->status[t->notifiers[i]]);
    }
    t->n_notifiers = 0;
    rh_deliveries_forget_fresh(t);
    if (last)
        deliver_due(t, last);
    t->last = NULL;
    rh_deliveries_forget_fresh(t);
}

void
rh_deliver_after_one(struct rh_transaction *t, const struct rh_task *task, enum rh_status status)
{
    t->last = task->resource;
    if (rh_is_change((uint8_t)status))
        notify_of_task(t, task->resource, task->action, (uint8_t)status);
    t->n_notifiers = 0;
    rh_deliver_after_batch(t);
}

/* Something failed: what waits for the end goes the way that its notification says. */
static bool
may_go(struct rh_transaction *t, struct rh_delivery *s)
{
    bool failed = rh_transaction_has_failed(t);
    rh_autofree char *text = rh_resource_text(s->to);

    if (!is_decided(t, s))
        return false;
    if (!failed || s->on_failure == RH_RUN_ANYWAY)
        return true;
    if (s->on_failure == RH_DROP)
        strike(t->deliveries, s);
    rh_transaction_message(t, RH_NOTICE, 0,
                           rh_arena_printf(t->deliveries->arena, "%s: '%s' is %s, since something has failed",
                                           text, s->action,
                                           s->on_failure == RH_DROP ? "dropped" : "kept for the next run"));
    return false;
}

void
rh_deliver_rest(struct rh_transaction *t)
{
    struct rh_deliveries *d = t->deliveries;

    for (size_t i = 0; i < t->c->n_resources; i++)
        if (d->due[i])
            deliver_due(t, t->c->resources[i]);
    for (size_t i = 0; i < d->n_queue && !rh_transaction_stops(t); i++) { /* delivering may add to it */
        struct rh_delivery *s = d->queue[i];

        s->queued = false;
        if (may_go(t, s))
            deliver(t, s, rh_timing_name(RH_DELAYED), s->by ? s->by : s->queued_by);
        rh_deliveries_forget_fresh(t);
    }
}
