/* SPDX-License-Identifier: Apache-2.0 */
/* suits - whether a provider suits this machine. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/error.h"
#include "provider/outgoing.h"
#include "provider/runtime.h"

#include <string.h>
#include <time.h>

enum { LIMIT = 10 }; /* seconds, as <rhost/abi.h> says */

int
rh_runtime_suits(struct rh_runtime *rt, struct rh_error *err)
{
    struct rh_call call;
    int rc;

    if (!rt->provider.suits)
        return 1;
    rh_runtime_limit(rt, LIMIT);
    rh_call_begin(&call, rt, rt->arena, "suits", NULL, 0);
    call.noop = true;
    rh_runtime_doing(rt, NULL, "telling whether it suits");
    rh_provider_debug(rt, NULL, "suits");
    rc = rt->provider.suits(call.ctx);
    rh_runtime_limit(rt, 0);
    if (rh_call_end(&call, 0) < 0 || rc <= 0) {
        rh_call_error(&call, RH_EPROVIDER, err);
        rh_outgoing_error(rt, err);
        return 0;
    }
    return rc;
}
