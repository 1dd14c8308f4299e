/* SPDX-License-Identifier: Apache-2.0 */
/* delivery-note - noting on disk what may become pending, before anything is begun that may cause
 * it. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "catalog/order.h"
#include "run/delivery-parts.h"
#include "run/delivery.h"
#include "run/pending.h"

static void
note(struct rh_transaction *t, const struct rh_resource *r, const struct rh_notification *n)
{
    struct rh_deliveries *d = t->deliveries;
    struct rh_delivery *s = &d->slots[n->slot];
    rh_autofree char *by = NULL;

    if (s->pending != RH_NOT_PENDING || n->timing == RH_BEFOREHAND)
        return;
    by = rh_printf("%s[%s]", r->type->type, r->title);
    s->pending = rh_pending_note(d->pending, &(struct rh_pending){
                                                 .type = s->to->type->type,
                                                 .title = s->to->title,
                                                 .action = s->action,
                                                 .by = by,
                                                 .on_failure = (enum rh_on_failure)n->on_failure,
                                             });
    s->fresh = true;
    d->fresh = rh_xgrow(d->fresh, &d->cap_fresh, d->n_fresh, sizeof(struct rh_delivery *));
    d->fresh[d->n_fresh++] = s;
}

int
rh_deliveries_prepare_one(struct rh_transaction *t, const struct rh_resource *r, struct rh_error *err)
{
    if (!rh_deliveries_may_notify(t, r))
        return 0;
    for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++)
        note(t, r, n);
    return rh_pending_sync(t->deliveries->pending, err);
}

int
rh_deliveries_prepare(struct rh_transaction *t, struct rh_error *err)
{
    struct rh_deliveries *d = t->deliveries;
    bool last = false, any = false;

    d->batch++;
    for (t->upto = t->at; t->upto < t->order->n && !last; t->upto++) {
        const struct rh_resource *r = t->c->list[t->order->entries[t->upto]].resource;

        if (r->type != t->type || (t->upto > t->at && t->batching[r->index] & RH_OWN_BATCH))
            break;
        any |= rh_deliveries_may_notify(t, r);
        for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++) {
            if (!rh_transaction_is_noop(t, r))
                note(t, r, n);
            if (n->timing == RH_IN_ORDER)
                d->in_flight[d->slots[n->slot].to->index] = d->batch;
        }
        last = t->batching[r->index] || d->due[r->index] || d->in_flight[r->index] == d->batch;
    }
    return any ? rh_pending_sync(d->pending, err) : 0;
}

void
rh_deliveries_forget_fresh(struct rh_transaction *t)
{
    struct rh_deliveries *d = t->deliveries;
    rh_autoerror struct rh_error err = { 0 };

    for (size_t i = 0; i < d->n_fresh; i++) {
        struct rh_delivery *s = d->fresh[i];

        s->fresh = false;
        if (s->pending == RH_NOT_PENDING || s->uncertain || rh_pending_at(d->pending, s->pending)->certain)
            continue;
        rh_pending_drop(d->pending, s->pending);
        s->pending = RH_NOT_PENDING;
    }
    d->n_fresh = 0;
    if (rh_pending_flush(d->pending, &err) < 0)
        rh_transaction_trouble(t, &err);
}
