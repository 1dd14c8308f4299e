/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - notifications on their way: who changed, who is to be told, and when. */
#include "config.h"

#include "run/delivery.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/order.h"
#include "run/owed.h"
#include "run/transaction-parts.h"

#include <stdlib.h>
#include <string.h>

#define NO_DEBT SIZE_MAX
enum { DEEPEST = 500 }; /* notifications that cause each other immediately */

/* What can be asked of a target. */
struct slot {
    struct rh_resource *to;
    const char *action;
    size_t debt; /* in what is owed, or NO_DEBT */
    const struct rh_resource *by; /* who asked first; NULL: an earlier run */
    struct slot *next_due;        /* of the same target */
    uint8_t on_failure;
    bool due, queued; /* waits for the target's turn; for the end */
    bool spent;       /* was asked for with `delayed` in this run: once is enough */
    bool doubtful;    /* the notifier failed: what is owed stays */
    bool pretend;     /* those who asked are under noop: only say what would be done */
    bool fresh;       /* noted for the batch under way */
};

struct rh_deliveries {
    struct rh_arena *arena;
    struct rh_owed *owed;
    bool noop;
    struct slot *slots;
    size_t n_slots;
    struct slot **due;     /* of each resource: what waits for its turn */
    uint32_t *last_turn;   /* of each resource: one past the place in the order, 0: none */
    uint32_t *in_flight;   /* of each resource: the batch that has a notifier of it in hand */
    uint32_t batch;
    bool *told_before;     /* of each resource: its targets were told that it will change */
    struct slot **queue; /* what waits for the end, in order */
    size_t n_queue, cap_queue;
    struct slot **fresh; /* noted for this batch */
    size_t n_fresh, cap_fresh;
    struct slot **stack; /* being delivered right now, outermost first */
    size_t n_stack, cap_stack;
};

static const struct rh_notification *
first_of(const struct rh_transaction *t, const struct rh_resource *r)
{
    return t->c->notifications.v + t->c->notifications.start[r->index];
}

static const struct rh_notification *
end_of(const struct rh_transaction *t, const struct rh_resource *r)
{
    return t->c->notifications.v + t->c->notifications.start[r->index + 1];
}

/* Opening. */

static void
find_manners(struct rh_transaction *t)
{
    for (size_t i = 0; i < t->c->notifications.n; i++) {
        const struct rh_notification *n = &t->c->notifications.v[i];

        if (n->timing == RH_BEFOREHAND)
            t->manner[n->from] |= RH_ALONE | RH_TELLS_BEFORE;
        else if (n->timing == RH_IMMEDIATELY)
            t->manner[n->from] |= RH_ENDS_BATCH;
    }
    for (size_t i = 0; i < t->c->n_resources; i++) {
        const struct rh_resource *r = t->c->resources[i];

        if (r->type->defined || r->doubt)
            t->manner[i] |= RH_ALONE;
        for (; r; r = r->container) {
            if (rh_conduct_alone(r->conduct))
                t->manner[i] |= RH_ALONE;
            if (t->manner[r->index] & RH_TELLS_BEFORE)
                t->manner[i] |= RH_ALONE | RH_TELLS_BEFORE;
        }
    }
}

static void
enqueue(struct rh_deliveries *d, struct slot *s)
{
    if (s->queued)
        return;
    s->queued = true;
    d->queue = rh_xgrow(d->queue, &d->cap_queue, d->n_queue, sizeof(struct slot *));
    d->queue[d->n_queue++] = s;
}

/* For the target's turn, if one is still to come (or is the one that was just executed); else for
 * the end. */
static void
make_due(struct rh_transaction *t, struct slot *s)
{
    struct rh_deliveries *d = t->deliveries;
    struct slot **last = &d->due[s->to->index];

    if (s->due || s->queued)
        return;
    if (d->last_turn[s->to->index] <= t->at && t->last != s->to) {
        enqueue(d, s);
        return;
    }
    s->due = true;
    s->next_due = NULL;
    while (*last)
        last = &(*last)->next_due;
    *last = s;
}

static char *
slot_key(struct rh_arena *a, const struct rh_resource *to, const char *action)
{
    return rh_arena_printf(a, "%u %s", to->index, action);
}

/* The target of a debt of an earlier run; NULL when it is not here, or has no turn now. */
static struct rh_resource *
target_of(const struct rh_transaction *t, const struct rh_debt *debt)
{
    struct rh_resource *to = rh_catalog_find(t->c, debt->type, debt->title);

    if (!to
        || (!rh_type_action(to->type, debt->action) && strcmp(debt->action, "converge") != 0)) {
        rh_log(RH_INFO, "%s[%s] is not in this manifest: its '%s' stays owed (see 'rhost pending')",
               debt->type, debt->title, debt->action);
        return NULL;
    }
    if (to->first_entry != RH_NO_ENTRY && !t->deliveries->last_turn[to->index])
        return NULL; /* it is not looked at in this run */
    return to;
}

static void
take_debts(struct rh_transaction *t, size_t n)
{
    struct rh_deliveries *d = t->deliveries;
    rh_automap struct rh_map known = { 0 };

    for (size_t i = 0; n && i < d->n_slots; i++)
        rh_map_put(&known, slot_key(d->arena, d->slots[i].to, d->slots[i].action), &d->slots[i]);
    for (size_t i = 0; i < n; i++) {
        const struct rh_debt *debt = rh_owed_at(d->owed, i);
        struct rh_resource *to = debt->struck ? NULL : target_of(t, debt);
        const char *key = to ? slot_key(d->arena, to, debt->action) : NULL;
        struct slot *s = key ? rh_map_get(&known, key) : NULL;

        if (!to)
            continue;
        if (!s) {
            s = &d->slots[d->n_slots++];
            *s = (struct slot){ .to = to, .action = debt->action, .debt = NO_DEBT };
            rh_map_put(&known, key, s);
        }
        if (s->debt != NO_DEBT) {
            rh_owed_strike(d->owed, i); /* twice the same is one */
            continue;
        }
        s->debt = i;
        s->on_failure = (uint8_t)debt->on_failure;
        make_due(t, s);
    }
}

struct rh_deliveries *
rh_deliveries_open(struct rh_transaction *t, const char *run, const char *started,
                   struct rh_error *err)
{
    const struct rh_notifications *n = &t->c->notifications;
    struct rh_arena *arena = rh_arena_new(NULL);
    struct rh_deliveries *d = rh_arena_alloc(arena, sizeof *d);
    size_t old;

    d->arena = arena;
    d->noop = t->options->noop;
    d->owed = rh_owed_open(t->options->state_dir, d->noop ? NULL : run, started, err);
    if (!d->owed) {
        rh_arena_free(arena);
        return NULL;
    }
    old = rh_owed_count(d->owed);
    d->slots = rh_arena_alloc(arena, rh_xmul(n->n_slots + old + 1, sizeof *d->slots));
    d->n_slots = n->n_slots;
    d->due = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof(struct slot *)));
    d->last_turn = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->last_turn));
    d->told_before = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->told_before));
    d->in_flight = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->in_flight));
    for (size_t i = 0; i < n->n_slots; i++)
        d->slots[i] = (struct slot){
            .to = n->slots[i].to, .action = n->slots[i].action, .debt = NO_DEBT
        };
    for (size_t i = 0; i < t->order->n; i++)
        d->last_turn[t->c->list[t->order->entries[i]].resource->index] = (uint32_t)i + 1;
    t->deliveries = d;
    find_manners(t);
    take_debts(t, old);
    return d;
}

int
rh_deliveries_close(struct rh_deliveries *d, struct rh_error *err)
{
    int rc;

    if (!d)
        return 0;
    rc = rh_owed_close(d->owed, err);
    free(d->queue);
    free(d->fresh);
    free(d->stack);
    rh_arena_free(d->arena);
    return rc;
}

/* Noting what may come to be owed. */

static void
note(struct rh_transaction *t, const struct rh_resource *r, const struct rh_notification *n)
{
    struct rh_deliveries *d = t->deliveries;
    struct slot *s = &d->slots[n->slot];
    rh_autofree char *by = NULL;

    if (s->debt != NO_DEBT || n->timing == RH_BEFOREHAND)
        return;
    by = rh_printf("%s[%s]", r->type->type, r->title);
    s->debt = rh_owed_note(d->owed, &(struct rh_debt){
                                        .type = s->to->type->type,
                                        .title = s->to->title,
                                        .action = s->action,
                                        .by = by,
                                        .on_failure = (enum rh_on_failure)n->on_failure,
                                    });
    s->fresh = true;
    d->fresh = rh_xgrow(d->fresh, &d->cap_fresh, d->n_fresh, sizeof(struct slot *));
    d->fresh[d->n_fresh++] = s;
}

int
rh_deliveries_prepare_one(struct rh_transaction *t, const struct rh_resource *r,
                          struct rh_error *err)
{
    if (!rh_transaction_is_noop(t, r))
        for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++)
            note(t, r, n);
    return rh_owed_sync(t->deliveries->owed, err);
}

int
rh_deliveries_prepare(struct rh_transaction *t, struct rh_error *err)
{
    struct rh_deliveries *d = t->deliveries;
    bool last = false;

    d->batch++;
    for (t->upto = t->at; t->upto < t->order->n && !last; t->upto++) {
        const struct rh_resource *r = t->c->list[t->order->entries[t->upto]].resource;

        if (r->type != t->type || (t->upto > t->at && t->manner[r->index] & RH_ALONE))
            break;
        for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++) {
            if (!rh_transaction_is_noop(t, r))
                note(t, r, n);
            if (n->timing == RH_AT_TURN)
                d->in_flight[d->slots[n->slot].to->index] = d->batch;
        }
        last = t->manner[r->index] || d->due[r->index] || d->in_flight[r->index] == d->batch;
    }
    return rh_owed_sync(d->owed, err);
}

void
rh_deliveries_doubt(struct rh_transaction *t, const struct rh_resource *r)
{
    for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++)
        t->deliveries->slots[n->slot].doubtful = true;
}

/* What was noted for this batch, and did not come to be owed. */
static void
forget_fresh(struct rh_transaction *t)
{
    struct rh_deliveries *d = t->deliveries;
    rh_autoerror struct rh_error err = { 0 };

    for (size_t i = 0; i < d->n_fresh; i++) {
        struct slot *s = d->fresh[i];

        s->fresh = false;
        if (s->debt == NO_DEBT || s->doubtful || rh_owed_at(d->owed, s->debt)->certain)
            continue;
        rh_owed_strike(d->owed, s->debt);
        s->debt = NO_DEBT;
    }
    d->n_fresh = 0;
    if (rh_owed_flush(d->owed, &err) < 0)
        rh_transaction_trouble(t, &err);
}

/* Delivering. */

static void
strike(struct rh_deliveries *d, struct slot *s)
{
    if (d->noop || s->debt == NO_DEBT)
        return;
    rh_owed_strike(d->owed, s->debt);
    s->debt = NO_DEBT;
    s->doubtful = false;
}

/* "a.run → b.restart → a.run" when delivering `s` would go round in a circle, or too deep. */
static char *
find_circle(const struct rh_deliveries *d, const struct slot *s)
{
    struct rh_buf b = { 0 };
    size_t i = 0;

    while (i < d->n_stack && (d->stack[i]->to != s->to || strcmp(d->stack[i]->action, s->action) != 0))
        i++;
    if (i == d->n_stack && d->n_stack < DEEPEST)
        return NULL;
    if (i == d->n_stack)
        return rh_printf("more than %d notifications cause each other", DEEPEST);
    rh_buf_add(&b, "notifications go round in a circle: ");
    for (; i < d->n_stack; i++)
        rh_buf_addf(&b, "%s[%s] %s → ", d->stack[i]->to->type->type, d->stack[i]->to->title,
                    d->stack[i]->action);
    rh_buf_addf(&b, "%s[%s] %s", s->to->type->type, s->to->title, s->action);
    return rh_buf_take(&b);
}

static void tell(struct rh_transaction *t, struct rh_resource *r, bool pretend);

static void
push(struct rh_deliveries *d, struct slot *s)
{
    d->stack = rh_xgrow(d->stack, &d->cap_stack, d->n_stack, sizeof(struct slot *));
    d->stack[d->n_stack++] = s;
}

static void
deliver(struct rh_transaction *t, struct slot *s, const char *when, const struct rh_resource *from)
{
    struct rh_deliveries *d = t->deliveries;
    const struct rh_debt *debt = s->debt != NO_DEBT ? rh_owed_at(d->owed, s->debt) : NULL;
    rh_autofree char *by = from ? rh_resource_text(from) : NULL;
    const struct rh_turn turn = {
        .resource = s->to,
        .action = s->action,
        .entry = RH_NO_ENTRY,
        .notified = when,
        .by = by ? by : debt ? debt->by : "",
        .since = !from && debt ? debt->run : NULL,
        .noop = s->pretend,
    };
    rh_autofree char *circle = find_circle(d, s);
    const struct rh_resource *lost;
    rh_autoerror struct rh_error err = { 0 };
    enum rh_status status;
    int agreed;

    if (circle) {
        strike(d, s); /* or every run would go round again */
        rh_transaction_skip(t, &turn, circle);
        return;
    }
    if (!rh_transaction_is_time(t, &turn))
        return; /* it stays owed */
    lost = rh_transaction_blame(t, s->to);
    if (lost) {
        rh_autofree char *text = rh_resource_text(lost);
        rh_autofree char *why =
            rh_printf("%s%s %s; '%s' is kept for the next run", lost == s->to ? "" : "depends on ",
                      text, t->of[lost->index] == RH_FAILED ? "failed" : "was skipped", s->action);

        rh_transaction_skip(t, &turn, why);
        return;
    }
    if (!s->pretend && rh_deliveries_prepare_one(t, s->to, &err) < 0)
        rh_transaction_trouble(t, &err);
    push(d, s);
    agreed = rh_transaction_guards_agree(t, &turn, true);
    status = agreed > 0    ? rh_transaction_told_before(t, &turn)
             : agreed == 0 ? RH_UNCHANGED
                           : RH_FAILED;
    if (status == RH_REFRESHED || status == RH_UNCHANGED)
        strike(d, s);
    if (rh_is_change(status))
        tell(t, s->to, status == RH_WOULD_REFRESH);
    d->n_stack--;
}

/* Who changed tells: first those who are to know at once, then the others. */
static void
tell(struct rh_transaction *t, struct rh_resource *r, bool pretend)
{
    struct rh_deliveries *d = t->deliveries;

    for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++) {
        struct slot *s = &d->slots[n->slot];

        if (n->timing != RH_BEFOREHAND && s->debt != NO_DEBT && !pretend)
            rh_owed_certain(d->owed, s->debt);
    }
    for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++)
        if (n->timing == RH_IMMEDIATELY) {
            struct slot *s = &d->slots[n->slot];
            bool queued = s->pretend;

            s->pretend = pretend;
            deliver(t, s, rh_timing_name(RH_IMMEDIATELY), r);
            s->pretend = queued;
        }
    for (const struct rh_notification *n = first_of(t, r); n < end_of(t, r); n++) {
        struct slot *s = &d->slots[n->slot];

        if (n->timing != RH_DELAYED && n->timing != RH_AT_TURN)
            continue;
        if (!s->due && !s->queued) {
            s->by = r;
            s->on_failure = n->on_failure;
            s->pretend = pretend;
        }
        s->pretend &= pretend;
        if (n->timing == RH_AT_TURN)
            make_due(t, s);
        else if (!s->spent)
            enqueue(d, s);
        s->spent |= n->timing == RH_DELAYED;
    }
}

const struct rh_resource *
rh_deliver_before(struct rh_transaction *t, const struct rh_resource *r, bool pretend)
{
    struct rh_deliveries *d = t->deliveries;
    const struct rh_resource *lost = r->container ? rh_deliver_before(t, r->container, pretend) : NULL;
    bool again = r->type->defined && d->told_before[r->index];

    d->told_before[r->index] = true;
    for (const struct rh_notification *n = first_of(t, r); !lost && n < end_of(t, r); n++) {
        struct slot *s = &d->slots[n->slot];

        if (n->timing != RH_BEFOREHAND)
            continue;
        if (!again) {
            s->pretend = pretend || rh_transaction_is_noop(t, r);
            deliver(t, s, rh_timing_name(RH_BEFOREHAND), r);
        }
        if (rh_is_lost(t->of[s->to->index]))
            lost = s->to;
    }
    return lost;
}

/* Whether it is time for a debt whose notifier may or may not have changed something: when that is
 * as wanted now, the change was made then. */
static bool
is_settled(struct rh_transaction *t, const struct slot *s)
{
    const struct rh_debt *debt;
    struct rh_reference ref;
    const struct rh_resource *by;

    if (s->by || s->debt == NO_DEBT)
        return true;
    debt = rh_owed_at(t->deliveries->owed, s->debt);
    if (debt->certain || !rh_reference_parse(t->deliveries->arena, debt->by, &ref))
        return true;
    by = rh_catalog_find(t->c, ref.type, ref.title);
    return !by
           || (t->of[by->index] != RH_NOT_YET && t->of[by->index] != RH_FORGIVEN
               && !rh_is_lost(t->of[by->index]));
}

/* What is due for `r`, whose turn it was. */
static void
deliver_due(struct rh_transaction *t, const struct rh_resource *r)
{
    struct rh_deliveries *d = t->deliveries;
    struct slot *s = d->due[r->index];

    d->due[r->index] = NULL;
    for (struct slot *next; s; s = next) {
        next = s->next_due;
        s->due = false;
        if (is_settled(t, s) && !rh_is_lost(t->of[r->index]))
            deliver(t, s, rh_timing_name(RH_AT_TURN), s->by);
        else
            enqueue(d, s);
    }
}

/* One that had its turn tells; what it tells must not lead back to that. */
static void
tell_of_turn(struct rh_transaction *t, struct rh_resource *r, const char *action, uint8_t status)
{
    struct slot self = { .to = r, .action = action };

    push(t->deliveries, &self);
    tell(t, r, status == RH_WOULD_CHANGE);
    t->deliveries->n_stack--;
}

void
rh_deliver_after_batch(struct rh_transaction *t)
{
    struct rh_resource *last = t->last;

    for (size_t i = 0; i < t->n_notifiers; i++) {
        const struct rh_todo *todo = &t->c->list[t->notifiers[i]];

        tell_of_turn(t, todo->resource, todo->action, t->status[t->notifiers[i]]);
    }
    t->n_notifiers = 0;
    forget_fresh(t);
    if (last)
        deliver_due(t, last);
    t->last = NULL;
    forget_fresh(t);
}

void
rh_deliver_after_one(struct rh_transaction *t, const struct rh_turn *turn, enum rh_status status)
{
    t->last = turn->resource;
    if (rh_is_change((uint8_t)status))
        tell_of_turn(t, turn->resource, turn->action, (uint8_t)status);
    t->n_notifiers = 0;
    rh_deliver_after_batch(t);
}

/* Something failed: what waits for the end goes the way that its notification says. */
static bool
may_go(struct rh_transaction *t, struct slot *s)
{
    bool failed = t->end.counts.of[RH_FAILED] || t->end.counts.of[RH_SKIPPED];
    rh_autofree char *text = rh_resource_text(s->to);

    if (!is_settled(t, s))
        return false;
    if (!failed || s->on_failure == RH_RUN_ANYWAY)
        return true;
    if (s->on_failure == RH_DROP)
        strike(t->deliveries, s);
    rh_transaction_say(t, RH_NOTICE,
                       rh_arena_printf(t->deliveries->arena,
                                       "%s: '%s' is %s, since something has failed", text, s->action,
                                       s->on_failure == RH_DROP ? "dropped"
                                                                : "kept for the next run"));
    return false;
}

void
rh_deliver_rest(struct rh_transaction *t)
{
    struct rh_deliveries *d = t->deliveries;

    for (size_t i = 0; i < t->c->n_resources; i++)
        if (d->due[i])
            deliver_due(t, t->c->resources[i]);
    for (size_t i = 0; i < d->n_queue; i++) { /* delivering may add to it */
        struct slot *s = d->queue[i];

        s->queued = false;
        if (may_go(t, s))
            deliver(t, s, rh_timing_name(RH_DELAYED), s->by);
        forget_fresh(t);
    }
}
