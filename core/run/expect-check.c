/* SPDX-License-Identifier: Apache-2.0 */
/* expect-check - before the first change of a run: which resources are as they are expected. */
#include "config.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "provider/outcome.h"
#include "run/expect.h"
#include "run/pool.h"
#include "run/transaction-parts.h"

/* Neighbours of one type go as one batch. */
struct check {
    struct rh_transaction *t;
    const struct rh_type *type;
    size_t at; /* in the order */
};

static bool
want(struct rh_transaction *t, uint32_t entry, struct rh_want *to)
{
    const struct rh_todo *todo = &t->c->list[entry];
    const struct rh_task task = {
        .resource = todo->resource, .action = todo->action, .entry = entry, .trial = true, .noop = true
    };

    *to = rh_transaction_want(t, &task);
    to->expected = rh_expectations_want(t->expectations, todo->resource->type, entry);
    to->watch = NULL;
    return true;
}

static bool
next(void *data, struct rh_want *to)
{
    struct check *c = data;
    struct rh_transaction *t = c->t;
    uint32_t entry;

    if (c->at >= t->order->n || rh_transaction_stops(t))
        return false;
    entry = t->order->entries[c->at];
    if (t->c->list[entry].resource->type != c->type)
        return false;
    c->at++;
    return want(t, entry, to);
}

static bool
again(void *data, uint32_t entry, struct rh_want *to)
{
    struct check *c = data;

    return want(c->t, entry, to);
}

static const char *
title_of(void *data, uint32_t entry)
{
    const struct check *c = data;

    return entry < c->t->c->n_list ? c->t->c->list[entry].resource->title : NULL;
}

static void
on_outcome(void *data, const struct rh_outcome *o)
{
    struct check *c = data;

    if (o->status == RH_UNCHANGED || o->status == RH_WOULD_CHANGE)
        rh_expectations_note_kept(c->t->expectations, o->id);
}

/* All of it is said at the turn of each. */
static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

void
rh_transaction_check_expected(struct rh_transaction *t)
{
    struct check c = { .t = t };
    const struct rh_wants wants = { .data = &c, .next = next, .again = again, .title_of = title_of };
    const struct rh_sink sink = { .data = &c, .outcome = on_outcome, .log = on_log };

    if (!t->expectations || t->options->noop)
        return;
    while (c.at < t->order->n && !rh_transaction_stops(t)) {
        rh_autoerror struct rh_error ignored = { 0 }; /* it happens again at the turn of each */

        c.type = t->c->list[t->order->entries[c.at]].resource->type;
        t->worker = rh_pool_worker(t->pool, c.type);
        rh_discard(rh_worker_converge(rh_pool_worker(t->pool, c.type), &wants, &sink, &ignored));
        t->worker = NULL;
    }
    rh_pool_forget(t->pool, NULL);
}
