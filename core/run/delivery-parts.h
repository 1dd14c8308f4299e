/* SPDX-License-Identifier: Apache-2.0 */
/* delivery-parts - notifications on their way, for the files that share them. */
#ifndef RH_RUN_DELIVERY_PARTS_H
#define RH_RUN_DELIVERY_PARTS_H

#include "catalog/catalog.h"
#include "run/transaction-parts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_pending_list;

#define RH_NOT_PENDING SIZE_MAX

/* What can be asked of a target. */
struct rh_delivery {
    struct rh_resource *to;
    const char *action;
    size_t pending;                      /* its number in pending.h, or RH_NOT_PENDING */
    const struct rh_resource *by;        /* who asked first; NULL: an earlier run */
    const struct rh_resource *queued_by; /* the same, of the end of the run */
    struct rh_delivery *next_due;        /* of the same target */
    uint8_t on_failure;
    bool due, queued; /* waits for the target's turn; for the end */
    bool spent;       /* was asked for with `delayed` in this run: once is enough */
    bool uncertain;   /* the notifier failed: what is pending stays */
    bool pretend;     /* those who asked are under noop: only say what would be done */
    bool fresh;       /* noted for the batch under way */
    bool active;      /* on the stack */
};

/* A resource that has changed, and tells those who are to know at once. */
struct rh_notifying {
    struct rh_resource *r;
    const struct rh_notification *next;
    struct rh_delivery *by; /* what changed it, or NULL */
    bool pretend, queued;   /* it would change; what by->pretend was */
};

struct rh_deliveries {
    struct rh_arena *arena;
    struct rh_pending_list *pending;
    bool noop;
    struct rh_delivery *slots;
    size_t n_slots;
    struct rh_delivery **due; /* of each resource: what waits for it to be applied */
    uint32_t *last_task;      /* of each resource: one past the place in the order, 0: none */
    uint32_t *in_flight;      /* of each resource: the batch that has a notifier of it in hand */
    uint32_t batch;
    bool *notified_before;      /* of each resource: its targets were notified that it will change */
    struct rh_delivery **queue; /* what waits for the end, in order */
    size_t n_queue, cap_queue;
    struct rh_delivery **fresh; /* noted for this batch */
    size_t n_fresh, cap_fresh;
    struct rh_delivery **stack; /* being delivered right now, outermost first */
    size_t n_stack, cap_stack;
    struct rh_notifying *notifying; /* the same, for what is told at once */
    size_t n_notifying, cap_notifying;
    size_t depth; /* of deliveries that wait for one before them */
};

static inline const struct rh_notification *
rh_first_of(const struct rh_transaction *t, const struct rh_resource *r)
{
    return t->c->notifications.v + t->c->notifications.start[r->index];
}

static inline const struct rh_notification *
rh_end_of(const struct rh_transaction *t, const struct rh_resource *r)
{
    return t->c->notifications.v + t->c->notifications.start[r->index + 1];
}

/* For the target's turn, if one is still to come (or is the one that was just executed); else for
 * the end. */
void rh_delivery_due(struct rh_transaction *t, struct rh_delivery *s);

/* What was noted for this batch, and did not become pending. */
void rh_deliveries_forget_fresh(struct rh_transaction *t);

#endif
