/* SPDX-License-Identifier: Apache-2.0 */
/* alone - one execution by itself: a notification that is delivered, or an entry that has to be
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
rh_transaction_told_before(struct rh_transaction *t, const struct rh_turn *turn)
{
    struct rh_outcome o = { .id = turn->entry, .status = RH_SKIPPED, .blame = RH_NOBODY };
    const struct rh_resource *r = turn->resource, *lost = NULL;
    struct rh_turn trial = *turn;
    bool told = turn->begun;

    trial.trial = true;
    /* An instance changes with its parts: they have told. */
    if (t->manner[r->index] & RH_TELLS_BEFORE && !r->type->defined
        && rh_is_change((uint8_t)rh_transaction_single(t, &trial))) {
        told = true;
        lost = rh_deliver_before(t, r, turn->noop);
    }
    trial.trial = false;
    trial.begun = told;
    if (!lost)
        return rh_transaction_single(t, &trial);
    rh_transaction_tell(t, turn, &o, lost);
    return o.status;
}

/* What is wanted of it is not known: that is all that can be said. */
static void
tell_doubt(struct rh_transaction *t, const struct rh_turn *turn)
{
    struct rh_outcome o = { .id = turn->entry, .status = RH_STATUS_UNKNOWN, .blame = RH_NOBODY };
    rh_autofree char *why =
        rh_printf("%s is not known before something has run", turn->resource->doubt);

    o.reason = why;
    rh_transaction_tell(t, turn, &o, NULL);
}

void
rh_transaction_alone(struct rh_transaction *t, const struct rh_turn *turn, bool depends)
{
    rh_autoerror struct rh_error err = { 0 };

    if (turn->resource->doubt) {
        tell_doubt(t, turn);
        return;
    }
    if (rh_transaction_guards_agree(t, turn, depends) <= 0)
        return;
    if (rh_transaction_stops(t))
        return;
    if (rh_deliveries_prepare_one(t, turn->resource, &err) < 0)
        rh_transaction_refuse_unwritten(t, turn, err.message);
    else
        rh_deliver_after_one(t, turn, rh_transaction_told_before(t, turn));
}
