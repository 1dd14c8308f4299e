/* SPDX-License-Identifier: Apache-2.0 */
/* dependency - what a resource depends on: whether it can be done, and what its failure means for others. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/later.h"
#include "catalog/order.h"

#include <string.h>
#include <time.h>

/* What this batch still has in hand of `r` goes along as `after`. */
static void
wait_for(struct rh_transaction *t, const struct rh_resource *r, struct rh_want *want)
{
    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = t->c->list[e].next)
        if (t->status[e] == RH_SENT) {
            t->after = rh_xgrow(t->after, &t->cap_after, want->n_after, sizeof *t->after);
            t->after[want->n_after++] = e;
        }
}

static bool
is_within(const struct rh_resource *r, const struct rh_resource *instance)
{
    while (r && r != instance)
        r = r->container;
    return r != NULL;
}

const struct rh_resource *
rh_transaction_ignoring(const struct rh_resource *r, const struct rh_resource *blamed)
{
    while (r && !(r->conduct && r->conduct->ignore_failure && is_within(blamed, r)))
        r = r->container;
    return r;
}

/* Whether `r` goes on when `before` has failed. */
static bool
forgives(const struct rh_resource *r, const struct rh_resource *before)
{
    if (r->conditions && rh_catalog_watches(r, before))
        return true;
    for (; before; before = before->container)
        if (before->conduct && before->conduct->ignore_failure && !is_within(r, before))
            return true;
    return false;
}

const struct rh_resource *
rh_transaction_blame(const struct rh_transaction *t, const struct rh_resource *r)
{
    if (rh_is_failure(t->resource_status[r->index]))
        return r;
    for (uint32_t k = t->order->start[r->index]; k < t->order->start[r->index + 1]; k++) {
        const struct rh_resource *before = t->c->resources[t->order->dependencies[k]];

        if (rh_is_failure(t->resource_status[before->index]) && !forgives(r, before))
            return before;
    }
    return NULL;
}

const struct rh_resource *
rh_transaction_check_before(struct rh_transaction *t, const struct rh_resource *r, struct rh_want *want)
{
    const struct rh_resource *blamed = rh_transaction_blame(t, r);

    want->n_after = 0;
    if (blamed)
        return blamed;
    if (t->c->list[r->first_entry].next != RH_NO_ENTRY)
        wait_for(t, r, want);
    for (uint32_t k = t->order->start[r->index]; k < t->order->start[r->index + 1]; k++) {
        const struct rh_resource *before = t->c->resources[t->order->dependencies[k]];

        if (rh_is_change(t->resource_status[before->index]))
            want->stale = true;
        wait_for(t, before, want);
    }
    want->after = t->after;
    return NULL;
}

bool
rh_transaction_waits_for_forgiven(const struct rh_transaction *t, const struct rh_resource *r)
{
    for (uint32_t k = t->order->start[r->index]; k < t->order->start[r->index + 1]; k++) {
        const struct rh_resource *before = t->c->resources[t->order->dependencies[k]];

        for (uint32_t e = before->first_entry; e != RH_NO_ENTRY; e = t->c->list[e].next)
            if (t->status[e] == RH_SENT && forgives(r, before))
                return true;
    }
    return false;
}

bool
rh_transaction_is_noop(const struct rh_transaction *t, const struct rh_resource *r)
{
    if (t->options->noop)
        return true;
    for (; r; r = r->container)
        if (r->noop_specified)
            return r->noop;
    return false;
}
