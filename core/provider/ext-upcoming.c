/* SPDX-License-Identifier: Apache-2.0 */
/* ext-upcoming - the extension rhost.upcoming/1: the resources that a provider is going to be asked about, so
 * that it can handle many at once. They are put together only when it asks for them. */
#include "config.h"

#include "provider/extensions.h"

#include "base/arena.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"

#include <rhost/bridge.h>

static const rhost_value *
resources(rhost_ctx *ctx)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_runtime *rt = call->rt;
    const struct rh_upcoming *u = &rt->upcoming;
    struct rh_value *all;

    if (u->values) { /* before its time comes, something may be logged about it */
        for (size_t i = 0; i < rh_value_count(u->values); i++)
            rh_secret_wanted(rt, rh_value_at(u->values, i));
        return rh_outside(u->values);
    }
    all = rh_value_new(call->arena, RH_ARRAY);
    if (u->add)
        u->add(rt, call->arena, all);
    else if (u->what == RH_UPCOMING_START)
        for (size_t i = 0; i < u->n; i++)
            if (!u->jobs[i]->done)
                rh_value_append(all, u->jobs[i]->should ? u->jobs[i]->should : u->jobs[i]->name);
    return rh_outside(all);
}

/* Those whose state is known, and that are neither to go nor to be created. */
static const struct rhost_change *const *
changes(rhost_ctx *ctx, size_t *n)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_runtime *rt = call->rt;
    const struct rh_upcoming *u = &rt->upcoming;
    const struct rhost_change **all;

    *n = 0;
    if (u->what != RH_UPCOMING_COMPARE)
        return NULL;
    all = rh_arena_alloc(call->arena, u->n * sizeof(struct rhost_change *));
    for (size_t i = 0; i < u->n; i++) {
        struct rh_job *job = u->jobs[i];

        if (job->done || !job->is_read || !job->is || rh_job_wants_gone(rt, job))
            continue;
        rh_job_change(job);
        all[(*n)++] = &job->change;
    }
    return all;
}

const struct rhost_upcoming *
rh_ext_upcoming(void)
{
    static const struct rhost_upcoming extension = {
        .struct_size = sizeof extension,
        .resources = resources,
        .changes = changes,
    };

    return &extension;
}
