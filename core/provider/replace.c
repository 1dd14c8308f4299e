/* SPDX-License-Identifier: Apache-2.0 */
/* replace - removes a resource and creates it again, for what can only be set when it is created. The
 * manifest has asked for that with `replace: true`. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "schema/type.h"

#include <stdlib.h>

/* What removing looks like: the namevars and parameters, and `ensure: absent` where the type has it. */
static const struct rh_value *
gone(const struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *should)
{
    struct rh_value *v;

    if (!rt->type->ensure)
        return NULL;
    v = rh_value_new(a, RH_HASH);
    for (size_t i = 0; i < rh_value_count(should); i++) {
        const struct rh_entry *e = rh_value_entry(should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && attr->behaviour & (RH_NAMEVAR | RH_PARAMETER))
            rh_value_put_ref(v, attr->name, e->value);
    }
    rh_value_put_ref(v, "ensure", rh_value_string(a, "absent"));
    return v;
}

static void
write_once(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_job_change(job);
    if (rt->provider.converge)
        rh_write_converge(rt, a, job);
    else
        rh_write_jobs(rt, a, &job, 1, false);
}

static void
fail(struct rh_job *job, const char *what)
{
    rh_autofree char *why = job->reason;

    job->reason = rh_printf("%s: %s", what, why ? why : "no reason given");
    job->status = RH_FAILED;
    job->done = true;
}

void
rh_replace_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_value *should = job->should;
    struct rh_value *own = job->own_should;

    if (job->want->noop) {
        job->done = true;
        job->status = RH_WOULD_CHANGE;
        free(job->reason);
        job->reason = rh_xstrdup("it would be replaced: removed, and created again");
        return;
    }
    job->should = gone(rt, a, should);
    job->own_should = NULL;
    job->creating = false;
    write_once(rt, a, job);
    if (job->status != RH_CHANGED) {
        fail(job, "it cannot be removed to be replaced");
        return;
    }
    job->should = should;
    job->own_should = own;
    job->is = NULL;
    job->creating = true;
    job->done = job->definite = job->differs = false;
    free(job->reason);
    job->reason = NULL;
    write_once(rt, a, job);
    if (job->status != RH_CHANGED) {
        fail(job, "it was removed to be replaced, and could not be created again");
        job->touched = true; /* whatever the second half says of itself */
    } else if (!job->reason) {
        job->reason = rh_xstrdup("it was replaced: removed, and created again");
    }
}
