/* SPDX-License-Identifier: Apache-2.0 */
/* remote - the transport of a runtime: the way to the device that its provider manages (S81 to S85). */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "provider/describe.h"
#include "provider/outgoing.h"
#include "schema/type.h"

int
rh_remote_take(struct rh_runtime *rt, const struct rh_remote *remote, struct rh_value **description,
               struct rh_error *err)
{
    if (!remote->plugin)
        return 0;
    rt->info = rh_value_copy(rt->arena, remote->info);
    rh_secrets_learn(&rt->secrets, rt->info, false);
    return rh_describe_transport(rt->arena, remote->plugin, remote->name, &rt->route, &rt->transport,
                                 description, err);
}

/* A call into the transport has the transport's state, not the provider's. */
static void
begin(struct rh_call *call, struct rh_runtime *rt, struct rh_arena *a, const char *what)
{
    rh_call_begin(call, rt, a, what, NULL, 0);
    call->state = &rt->transport_state;
}

int
rh_remote_open(struct rh_runtime *rt, struct rh_error *err)
{
    struct rh_call call;

    if (!rt->info || rt->connected)
        return 0;
    rh_runtime_doing(rt, NULL, "connecting");
    if (rt->transport.open) {
        begin(&call, rt, rt->arena, "open");
        if (rh_call_end(&call, rt->transport.open(call.ctx, rh_outside(rt->info))) < 0)
            return rh_call_error(&call, RH_EPROVIDER, err);
    }
    rt->connected = true;
    if (!rt->transport.verify)
        return 0;
    begin(&call, rt, rt->arena, "verify");
    return rh_call_end(&call, rt->transport.verify(call.ctx)) < 0 ? rh_call_error(&call, RH_EPROVIDER, err)
                                                                  : 0;
}

void
rh_remote_close(struct rh_runtime *rt)
{
    struct rh_call call;

    if (!rt->connected || !rt->transport.close)
        return;
    begin(&call, rt, rt->arena, "close");
    rh_runtime_doing(rt, NULL, "disconnecting");
    rt->transport.close(call.ctx);
    if (rh_call_end(&call, 0) < 0)
        rh_provider_log_code(rt, RH_WARNING, RH_NOBODY, NULL, call.code, "%s", call.message);
}

const void *
rh_remote_api(struct rh_runtime *rt, struct rh_arena *a, const char *id)
{
    struct rh_call call;
    const void *api;

    if (!rt->connected || !rt->transport.api || !id)
        return NULL;
    begin(&call, rt, a, "api");
    api = rt->transport.api(call.ctx, id);
    return rh_call_end(&call, 0) < 0 ? NULL : api;
}

int
rh_runtime_facts(struct rh_runtime *rt, struct rh_arena *a, struct rh_error *err)
{
    struct rh_call call;

    if (!rt->info || !rt->transport.facts)
        return rh_error_set(err, RH_EPROVIDER, "transport '%s' does not provide facts", rt->type->type);
    if (rh_remote_open(rt, err) < 0) {
        rh_outgoing_error(rt, err);
        return -1;
    }
    begin(&call, rt, a, "facts");
    call.facts = true;
    rh_runtime_doing(rt, NULL, "asking for facts");
    if (rh_call_end(&call, rt->transport.facts(call.ctx)) < 0) {
        (void)rh_call_error(&call, RH_EPROVIDER, err);
        rh_outgoing_error(rt, err);
        return -1;
    }
    return 0;
}
