/* SPDX-License-Identifier: Apache-2.0 */
/* apply-entry - one execution by itself: a notification that is delivered, or an entry that has to be
 * looked at before it is executed, or again after it. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "run/delivery.h"
#include "run/transaction-parts.h"

#include <string.h>
#include <time.h>

enum rh_status
rh_transaction_notify_and_apply(struct rh_transaction *t, const struct rh_task *task)
{
    struct rh_outcome o = { .id = task->entry, .status = RH_SKIPPED, .blame = RH_NOBODY };
    const struct rh_resource *r = task->resource, *failed = NULL;
    struct rh_task trial = *task;
    bool begun = task->begun;

    trial.trial = true;
    /* An instance changes with its parts: they have told. */
    if (t->batching[r->index] & RH_NOTIFIES_BEFORE && !r->type->defined
        && rh_is_change((uint8_t)rh_transaction_apply(t, &trial))) {
        begun = true;
        failed = rh_deliver_before(t, r, task->noop);
    }
    trial.trial = false;
    trial.begun = begun;
    if (!failed)
        return rh_transaction_apply(t, &trial);
    rh_transaction_record(t, task, &o, failed);
    return o.status;
}

/* What is wanted of it is not known: that is all that can be said. */
static void
record_undecided(struct rh_transaction *t, const struct rh_task *task)
{
    struct rh_outcome o = { .id = task->entry, .status = RH_STATUS_UNKNOWN, .blame = RH_NOBODY };
    rh_autofree char *why = rh_printf("%s is not known before something has run", task->resource->undecided);

    o.reason = why;
    rh_transaction_record(t, task, &o, NULL);
}

void
rh_transaction_apply_entry(struct rh_transaction *t, const struct rh_task *task, bool depends)
{
    rh_autoerror struct rh_error err = { 0 };

    if (task->resource->undecided) {
        record_undecided(t, task);
        return;
    }
    if (rh_transaction_guards_agree(t, task, depends) <= 0)
        return;
    if (rh_transaction_stops(t))
        return;
    if (rh_deliveries_prepare_one(t, task->resource, &err) < 0)
        rh_transaction_refuse_unwritten(t, task, err.message);
    else
        rh_deliver_after_one(t, task, rh_transaction_notify_and_apply(t, task));
}
