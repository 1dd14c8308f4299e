/* SPDX-License-Identifier: Apache-2.0 */
/* watch - what a run is at while it waits, for who reports it. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wait.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "plugin/worker.h"
#include "run/transaction-parts.h"
#include "schema/type.h"

static const double moment = 0.1; /* seconds */

static void
on_wait(void *data)
{
    struct rh_transaction *t = data;
    double now = rh_now();
    uint32_t at = t->worker ? rh_worker_at(t->worker) : RH_NOBODY;
    rh_autofree char *verb = NULL;
    struct rh_hand hand = {
        .resource = t->hand, .done = t->n_done, .total = t->order->n, .ending = t->stopped
    };

    if (now - t->watched < moment) {
        t->reporter->wait(t->reporter->data, NULL);
        return;
    }
    t->watched = now;
    if (!hand.resource && at < t->c->n_list)
        hand.resource = t->c->list[at].resource;
    if (!hand.resource && t->worker)
        hand.type = t->type->type;
    if (t->worker && !t->doing)
        verb = rh_worker_verb(t->worker);
    hand.verb = t->doing ? t->doing : verb ? verb : "";
    t->reporter->wait(t->reporter->data, &hand);
}

void
rh_transaction_watch_waits(struct rh_transaction *t, bool on)
{
    if (t->reporter->wait)
        rh_wait_watch(on ? on_wait : NULL, t);
}
