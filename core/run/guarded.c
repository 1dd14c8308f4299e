/* SPDX-License-Identifier: Apache-2.0 */
/* guarded - what the guards of a resource, and of what it is part of, say. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "run/journal.h"

#include <string.h>
#include <time.h>

/* What the guards of one resource say; `o` is filled in when they don't let it go. */
static bool
ask_guards(struct rh_transaction *t, const struct rh_resource *r, bool depends, struct rh_outcome *o,
           char **why)
{
    const struct rh_conduct *c = r->conduct;
    rh_autoerror struct rh_error err = { 0 }, trouble = { 0 };
    int answer;

    if (!c || (!c->only_if && !c->not_if))
        return true;
    if (depends && t->options->noop) {
        o->status = RH_STATUS_UNKNOWN;
        *why = rh_xstrdup("its guard may look at what something that it depends on would change");
        return false;
    }
    if (t->journal && rh_journal_guard(t->journal, r, &trouble) < 0)
        rh_transaction_trouble(t, &trouble);
    t->hand = r;
    t->doing = "asking its guards";
    answer = rh_guards_ask(c, why, &err);
    t->doing = NULL;
    if (answer > 0)
        return true;
    o->status = answer < 0 ? RH_FAILED : RH_UNCHANGED;
    if (answer < 0 && err.kind == RH_EMISSING && t->options->noop)
        o->status = rh_transaction_missing(t, RH_STATUS_UNKNOWN);
    if (answer < 0 && rh_transaction_stops(t)) /* its guard was ended: it is not begun */
        o->status = RH_EXCLUDED;
    o->guarded = answer == 0;
    if (answer < 0) {
        o->code = rh_error_code(&err);
        *why = rh_take(&err.message);
    }
    return false;
}

enum { NOT_ASKED, AGREED, REFUSED };

/* The guards of an instance are asked once, before the first of its parts. */
static bool
instances_agree(struct rh_transaction *t, const struct rh_resource *r, bool depends, struct rh_outcome *o,
                char **why)
{
    uint8_t *guard = &t->guard[r->index];

    if (r->container && !instances_agree(t, r->container, depends, o, why))
        return false;
    if (!r->type->defined || *guard == AGREED)
        return true;
    if (*guard == NOT_ASKED && ask_guards(t, r, depends, o, why)) {
        *guard = AGREED;
        return true;
    }
    *guard = REFUSED;
    o->guarded = o->status == RH_UNCHANGED;
    if (!*why)
        *why = rh_printf("skipped by a guard of %s[%s], which contains it", r->type->type, r->title);
    return false;
}

int
rh_transaction_guards_agree(struct rh_transaction *t, const struct rh_task *task, bool depends)
{
    struct rh_outcome o = { .id = task->entry, .status = RH_UNCHANGED, .blame = RH_NOBODY };
    const struct rh_resource *r = task->resource;
    rh_autofree char *why = NULL;

    if (instances_agree(t, r, depends, &o, &why) && (r->type->defined || ask_guards(t, r, depends, &o, &why)))
        return 1;
    if (o.status == RH_EXCLUDED)
        return -1;
    o.reason = why;
    rh_transaction_record(t, task, &o, NULL);
    return o.guarded ? 0 : -1;
}
