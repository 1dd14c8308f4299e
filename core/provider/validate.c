/* SPDX-License-Identifier: Apache-2.0 */
/* validate - having a provider say whether what a manifest says of a resource makes sense. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/type.h"

/* All that validate() failed for, the first first. */
static struct rh_refusal *
refusals_of(const struct rh_call *call, struct rh_arena *a)
{
    struct rh_refusal *list = NULL;

    for (const struct rh_fault *f = call->more; f; f = f->next) {
        struct rh_refusal *one = rh_arena_alloc(a, sizeof *one);

        *one = (struct rh_refusal){ .next = list, .path = f->path, .message = f->message };
        list = one;
    }
    return list;
}

static enum rh_error_kind
kind_of(const struct rh_call *call)
{
    if (call->broken || !call->failed)
        return RH_EPROVIDER;
    return call->passing ? RH_ESYSTEM : RH_EINPUT;
}

int
rh_provider_validate(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *resource,
                     struct rh_refusal *refusal, struct rh_error *err)
{
    struct rh_call call;
    int rc;

    if (!rt->provider.validate || rh_type_wants_gone(rt->type, resource))
        return 0;
    rh_secret_wanted(rt, resource);
    rh_call_begin(&call, rt, a, "validate", NULL, 0);
    call.noop = true;
    rc = rt->provider.validate(call.ctx, rh_outside(resource));
    if (rh_call_end(&call, rh_call_agree(&call, rc)) >= 0)
        return 0;
    refusal->path = rh_call_fault(&call);
    refusal->attribute = call.attribute;
    refusal->next = refusals_of(&call, a);
    return rh_call_error(&call, kind_of(&call), err);
}

int
rh_runtime_validate(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *resource, bool whole,
                    bool *fixed, struct rh_refusal *refusal, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    *refusal = (struct rh_refusal){ 0 };
    rt->asked_extension = false;
    if (rh_runtime_canonicalize(rt, a, resource, &refusal->path, &why) == 0) {
        if (!whole || rh_provider_validate(rt, a, resource, refusal, &why) == 0) {
            if (fixed)
                *fixed = rt->provider.features & RHOST_PURE_CANONICALIZE && !rt->asked_extension;
            return 0;
        }
    } else if (why.kind == RH_EINPUT && rt->options.sole && !rt->opened) {
        rh_autoerror struct rh_error not = { 0 };

        if (!rh_runtime_suits(rt, &not ))
            return rh_error_set_code(err, RH_ESYSTEM, rh_error_code(&not ), "%s", not .message);
        rt->options.sole = false; /* it is asked once */
    }
    rh_outgoing_error(rt, &why);
    rh_error_move(err, &why);
    return -1;
}
