/* SPDX-License-Identifier: Apache-2.0 */
/* judge - what success_when, until and changed_when make of what came of a resource. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/later.h"
#include "schema/type.h"

#include <stdlib.h>
#include <time.h>

/* 1, 0, or -1 with the reason. */
static int
ask(const struct rh_transaction *t, const struct rh_value *judgement, const char *word,
    const struct rh_value *own, struct rh_error *err)
{
    const struct rh_results results = { .find = NULL, .own = own };
    const struct rh_value *v = rh_catalog_resolve(t->c, judgement, &results, err);

    if (!v)
        return rh_error_prefix(err, "%s", word);
    if (v->kind != RH_BOOLEAN)
        return rh_error_set(err, RH_EINPUT, "'%s' must be a boolean, not %s", word,
                            v->kind == RH_UNDEF ? "nil" : rh_kind_name(v->kind));
    return v->u.integer != 0;
}

static void
fail(struct rh_outcome *o, char **reason, unsigned code, char *text)
{
    free(*reason);
    *reason = text;
    o->status = RH_FAILED;
    o->reason = text;
    o->code = code;
    o->attribute = NULL;
    o->touched = true;
    o->n_differences = 0;
}

/* Whether there is something to judge: it was applied, and what that gave is known. */
static bool
is_judged(const struct rh_conduct *c, const struct rh_resource *r, const struct rh_outcome *o)
{
    if (!o->result)
        return false;
    if (o->status == RH_UNCHANGED)
        return c->until && !(r->type->features & RH_FORGETS_WORLD);
    return o->status == RH_CHANGED || (o->status == RH_FAILED && c->success_when);
}

bool
rh_transaction_judge(const struct rh_transaction *t, const struct rh_resource *r, struct rh_outcome *o,
                     char **reason)
{
    static const char wording[] = RH_WORDING("'%s' is false");
    const struct rh_conduct *c = r->conduct;
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *own;
    int answer = 1;

    if (!rh_conduct_judges(c) || !is_judged(c, r, o))
        return true;
    own = rh_transaction_describe_result(t, r, o->result, true, o->status == RH_CHANGED, o->status);
    if (c->success_when && o->status != RH_UNCHANGED) {
        answer = ask(t, c->success_when, "success_when", own, &err);
        if (answer == 0)
            fail(o, reason, rh_message_code(wording), rh_printf(wording, "success_when"));
        else if (answer > 0 && o->status == RH_FAILED)
            *o = (struct rh_outcome){ .id = o->id,
                                      .status = RH_CHANGED,
                                      .blame = RH_NOBODY,
                                      .seconds = o->seconds,
                                      .result = o->result };
    }
    if (answer > 0 && c->until) {
        answer = ask(t, c->until, "until", own, &err);
        if (answer == 0)
            fail(o, reason, rh_message_code(wording), rh_printf(wording, "until"));
    }
    if (answer > 0 && c->changed_when && o->status == RH_CHANGED) {
        answer = ask(t, c->changed_when, "changed_when", own, &err);
        if (answer == 0) {
            o->status = RH_UNCHANGED;
            o->n_differences = 0;
        }
        return answer >= 0 || (fail(o, reason, rh_error_code(&err), rh_xstrdup(err.message)), false);
    }
    if (answer >= 0)
        return true;
    fail(o, reason, rh_error_code(&err), rh_xstrdup(err.message));
    return false;
}
