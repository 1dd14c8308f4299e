/* SPDX-License-Identifier: Apache-2.0 */
/* ext-overlap - the extension rhost.overlap/1: blocks for work that goes on at the same time. */
#include "config.h"

#include "provider/extensions.h"

#include "base/clock.h"
#include "provider/call.h"
#include "provider/runtime-parts.h"

#include <rhost/overlap.h>
#include <string.h>

static uint64_t
overlap_begin(rhost_ctx *ctx, int32_t doing, const char *title, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_job *job;

    if (strcmp(call->what, "set") != 0) {
        rh_call_break(call, NULL, "it opened a block of rhost.overlap/1 outside of set()");
        return 0;
    }
    job = rh_scope_job(call, title ? title : "");
    if (!job)
        return 0;
    if (job->definite) {
        rh_call_break(call, job, "it opened a block for '%s' after it reported the result", job->want->title);
        return 0;
    }
    job->started = rh_now();
    return rh_scope_detach(call, job, doing, message);
}

static void
overlap_end(rhost_ctx *ctx, uint64_t block, const char *failure)
{
    struct rh_call *call = rh_call_of(ctx);

    if (!rh_scope_end_detached(call, block, failure))
        rh_call_break(call, NULL, "it ended a block of rhost.overlap/1 that is not open");
}

const struct rhost_overlap *
rh_ext_overlap(void)
{
    static const struct rhost_overlap extension = {
        .struct_size = sizeof extension,
        .begin = overlap_begin,
        .end = overlap_end,
    };

    return &extension;
}
