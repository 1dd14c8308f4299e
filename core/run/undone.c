/* SPDX-License-Identifier: Apache-2.0 */
/* undone - at the end of a run: what a resource was brought to, and a later one has changed again. What is
 * certain is refused before a run (catalog/claims.h); this finds the rest, such as two lines of one file. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "catalog/catalog.h"
#include "catalog/claims.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "catalog/order.h"
#include "schema/type.h"

#include <string.h>

struct undoing {
    const struct rh_resource *by; /* the last one that changed the same, after it */
    const char *what;             /* "content" */
};

struct search {
    const struct rh_transaction *t;
    size_t *rank; /* of each resource: its place in the order, from 1; 0: it was not applied */
    struct undoing *found;
};

static bool
was_changed(const struct rh_transaction *t, const struct rh_resource *r)
{
    uint8_t status = t->resource_status[r->index];

    return r->type->n_claims && (status == RH_CHANGED || status == RH_REFRESHED);
}

/* One that guards or a schedule have left alone is not as declared, and is not meant to be. */
static bool
was_applied(const struct rh_transaction *t, const struct rh_resource *r)
{
    uint8_t status = t->resource_status[r->index];
    bool guarded = r->conduct && (r->conduct->only_if || r->conduct->not_if);

    return (status == RH_CHANGED || (status == RH_UNCHANGED && !guarded)) && !rh_transaction_is_noop(t, r)
           && !(r->meta && r->meta->only_audits);
}

static void
on_shared(void *data, const struct rh_resource *earlier, const struct rh_resource *by, const char *what)
{
    struct search *s = data;
    struct undoing *u = &s->found[earlier->index];

    if (!s->rank[earlier->index] || s->rank[by->index] <= s->rank[earlier->index]
        || !was_applied(s->t, earlier) || (u->by && s->rank[u->by->index] > s->rank[by->index]))
        return;
    *u = (struct undoing){ .by = by, .what = what };
}

/* Compares it again, and changes nothing. */
static void
check(struct rh_transaction *t, struct rh_resource *r, const struct undoing *u)
{
    static const char wording[] =
        RH_WORDING("%s is no longer as declared: %s, which was applied after it, changed the same %s");
    const struct rh_task task = {
        .resource = r, .action = "converge", .entry = RH_NO_ENTRY, .trial = true, .noop = true
    };
    rh_autofree char *name = NULL, *by = NULL, *text = NULL;

    if (!rh_is_change((uint8_t)rh_transaction_apply(t, &task)))
        return;
    name = rh_resource_text(r);
    by = rh_resource_text(u->by);
    text = rh_printf(wording, name, by, u->what);
    rh_transaction_message(t, RH_WARNING, rh_message_code(wording), text);
}

void
rh_transaction_check_undone(struct rh_transaction *t)
{
    size_t n = t->c->n_resources, n_changed = 0;
    rh_autofree size_t *rank = NULL, *changed = NULL; /* the latter: of those that were changed */
    rh_autofree struct undoing *found = NULL;
    struct search s;

    if (t->options->noop || !(t->end.counts.by_status[RH_CHANGED] + t->end.counts.by_status[RH_REFRESHED]))
        return;
    rank = rh_xalloc(rh_xmul(n, sizeof *rank));
    changed = rh_xalloc(rh_xmul(n, sizeof *changed));
    for (size_t i = 0; i < t->order->n; i++)
        rank[t->c->list[t->order->entries[i]].resource->index] = i + 1;
    for (size_t i = 0; i < n; i++)
        if (was_changed(t, t->c->resources[i]))
            n_changed += (changed[i] = rank[i]) > 0;
    if (!n_changed)
        return;
    found = rh_xalloc(rh_xmul(n, sizeof *found));
    s = (struct search){ .t = t, .rank = rank, .found = found };
    rh_claims_shared(t->c, changed, on_shared, &s);
    for (size_t i = 0; i < n && !rh_transaction_stops(t); i++)
        if (found[i].by)
            check(t, t->c->resources[i], &found[i]);
}
