/* SPDX-License-Identifier: Apache-2.0 */
/* delivery-open - what notifications there are, and what earlier runs left pending. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/map.h"
#include "catalog/conduct.h"
#include "catalog/order.h"
#include "run/delivery-parts.h"
#include "run/delivery.h"
#include "run/pending.h"

#include <stdlib.h>
#include <string.h>

static void
find_batching(struct rh_transaction *t)
{
    for (size_t i = 0; i < t->c->notifications.n; i++) {
        const struct rh_notification *n = &t->c->notifications.v[i];

        if (n->timing == RH_BEFOREHAND)
            t->batching[n->from] |= RH_OWN_BATCH | RH_NOTIFIES_BEFORE;
        else if (n->timing == RH_IMMEDIATELY)
            t->batching[n->from] |= RH_ENDS_BATCH;
    }
    for (size_t i = 0; i < t->c->n_resources; i++) {
        const struct rh_resource *r = t->c->resources[i];

        if (r->type->defined || r->undecided || r->later)
            t->batching[i] |= RH_OWN_BATCH;
        for (; r; r = r->container) {
            if (rh_conduct_needs_own_batch(r->conduct))
                t->batching[i] |= RH_OWN_BATCH;
            if (t->batching[r->index] & RH_NOTIFIES_BEFORE)
                t->batching[i] |= RH_OWN_BATCH | RH_NOTIFIES_BEFORE;
        }
    }
}

static char *
slot_key(struct rh_arena *a, const struct rh_resource *to, const char *action)
{
    return rh_arena_printf(a, "%u %s", to->index, action);
}

/* The target of a debt of an earlier run; NULL when it is not here, or has no turn now. */
static struct rh_resource *
target_of(const struct rh_transaction *t, const struct rh_pending *pending)
{
    struct rh_resource *to = rh_catalog_find(t->c, pending->type, pending->title);

    if (!to || (!rh_type_action(to->type, pending->action) && strcmp(pending->action, "converge") != 0)) {
        rh_log(RH_INFO, "%s[%s] is not in this manifest: its '%s' stays pending (see 'rhost pending')",
               pending->type, pending->title, pending->action);
        return NULL;
    }
    if (to->first_entry != RH_NO_ENTRY && !t->deliveries->last_task[to->index])
        return NULL; /* it is not looked at in this run */
    return to;
}

static void
take_pending(struct rh_transaction *t, size_t n)
{
    struct rh_deliveries *d = t->deliveries;
    rh_automap struct rh_map known = { 0 };

    for (size_t i = 0; n && i < d->n_slots; i++)
        rh_map_put(&known, slot_key(d->arena, d->slots[i].to, d->slots[i].action), &d->slots[i]);
    for (size_t i = 0; i < n; i++) {
        const struct rh_pending *pending = rh_pending_at(d->pending, i);
        struct rh_resource *to = pending->dropped ? NULL : target_of(t, pending);
        const char *key = to ? slot_key(d->arena, to, pending->action) : NULL;
        struct rh_delivery *s = key ? rh_map_get(&known, key) : NULL;

        if (!to)
            continue;
        if (!s) {
            s = &d->slots[d->n_slots++];
            *s = (struct rh_delivery){ .to = to, .action = pending->action, .pending = RH_NOT_PENDING };
            rh_map_put(&known, key, s);
        }
        if (s->pending != RH_NOT_PENDING) {
            rh_pending_drop(d->pending, i); /* twice the same is one */
            continue;
        }
        s->pending = i;
        s->on_failure = (uint8_t)pending->on_failure;
        rh_delivery_due(t, s);
    }
}

struct rh_deliveries *
rh_deliveries_open(struct rh_transaction *t, const char *run, const char *started, struct rh_error *err)
{
    const struct rh_notifications *n = &t->c->notifications;
    struct rh_arena *arena = rh_arena_new(NULL);
    struct rh_deliveries *d = rh_arena_alloc(arena, sizeof *d);
    size_t old;

    d->arena = arena;
    d->noop = t->options->noop;
    d->pending = rh_pending_open(t->options->state_dir, d->noop ? NULL : run, started, err);
    if (!d->pending) {
        rh_arena_free(arena);
        return NULL;
    }
    old = rh_pending_count(d->pending);
    d->slots = rh_arena_alloc(arena, rh_xmul(n->n_slots + old, sizeof *d->slots));
    d->n_slots = n->n_slots;
    d->due = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof(struct rh_delivery *)));
    d->last_task = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->last_task));
    d->notified_before = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->notified_before));
    d->in_flight = rh_arena_alloc(arena, rh_xmul(t->c->n_resources, sizeof *d->in_flight));
    for (size_t i = 0; i < n->n_slots; i++)
        d->slots[i] = (struct rh_delivery){ .to = n->slots[i].to,
                                            .action = n->slots[i].action,
                                            .pending = RH_NOT_PENDING };
    for (size_t i = 0; i < t->order->n; i++)
        d->last_task[t->c->list[t->order->entries[i]].resource->index] = (uint32_t)i + 1;
    t->deliveries = d;
    find_batching(t);
    take_pending(t, old);
    return d;
}

void
rh_deliveries_abandon(struct rh_deliveries *d)
{
    rh_pending_abandon(d->pending);
}

int
rh_deliveries_close(struct rh_deliveries *d, struct rh_error *err)
{
    int rc;

    if (!d)
        return 0;
    rc = rh_pending_close(d->pending, err);
    free(d->queue);
    free(d->fresh);
    free(d->stack);
    free(d->notifying);
    rh_arena_free(d->arena);
    return rc;
}
