/* SPDX-License-Identifier: Apache-2.0 */
/* delivery-table - whom a resource may notify. */
#include "config.h"

#include "run/delivery.h"

#include "run/delivery-parts.h"

bool
rh_deliveries_may_notify(const struct rh_transaction *t, const struct rh_resource *r)
{
    if (!rh_transaction_is_noop(t, r))
        for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++)
            if (n->timing != RH_BEFOREHAND)
                return true;
    return false;
}

void
rh_deliveries_mark_uncertain(struct rh_transaction *t, const struct rh_resource *r)
{
    for (const struct rh_notification *n = rh_first_of(t, r); n < rh_end_of(t, r); n++)
        t->deliveries->slots[n->slot].uncertain = true;
}
