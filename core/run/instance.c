/* SPDX-License-Identifier: Apache-2.0 */
/* instance - instances of definitions in a run: what they are comes from what is part of them. */
#include "config.h"

#include "run/instance.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "catalog/catalog.h"
#include "run/transaction-parts.h"

#include <string.h>

static enum rh_status
tell(struct rh_transaction *t, const struct rh_turn *turn, enum rh_status status, char *reason)
{
    const struct rh_outcome o = {
        .id = turn->entry, .status = status, .reason = reason, .blame = RH_NOBODY
    };

    rh_transaction_tell(t, turn, &o, NULL);
    return status;
}

enum rh_status
rh_instance_converge(struct rh_transaction *t, const struct rh_turn *turn)
{
    size_t n = 0, changed = 0, would = 0;
    rh_autofree char *reason = NULL;

    for (const struct rh_resource *m = turn->resource->members; m; m = m->next_member, n++) {
        uint8_t status = t->of[m->index];

        changed += status == RH_CHANGED || status == RH_REFRESHED;
        would += status == RH_WOULD_CHANGE || status == RH_WOULD_REFRESH;
    }
    if (!changed && !would)
        return tell(t, turn, RH_UNCHANGED, NULL);
    reason = rh_printf("%zu of its %zu resource%s", changed ? changed : would, n, n == 1 ? "" : "s");
    return tell(t, turn, changed ? RH_CHANGED : RH_WOULD_CHANGE, reason);
}

enum rh_status
rh_instance_refresh(struct rh_transaction *t, const struct rh_turn *turn)
{
    enum rh_status all = RH_UNCHANGED;

    for (struct rh_resource *m = turn->resource->members; m; m = m->next_member) {
        struct rh_turn part = *turn;
        enum rh_status status;

        if (!m->type->refresh_action)
            continue;
        part.resource = m;
        part.action = m->type->refresh_action;
        status = rh_transaction_single(t, &part);
        if (rh_is_lost((uint8_t)status) || (rh_is_change((uint8_t)status) && !rh_is_lost((uint8_t)all)))
            all = status;
    }
    return all;
}
