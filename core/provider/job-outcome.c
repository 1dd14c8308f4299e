/* SPDX-License-Identifier: Apache-2.0 */
/* job-outcome - what came of a job, given to the host. */
#include "config.h"

#include "base/clock.h"
#include "base/value.h"
#include "provider/ids.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>

/* How what is watched is left; NULL when the job did something, and nobody knows what. */
static const struct rh_value *
watched_now(struct rh_runtime *rt, const struct rh_job *job)
{
    if (!job->was)
        return NULL;
    if (job->status == RH_CHANGED)
        return rh_watch_again(rt, rt->arena_of_batch, job);
    return job->status == RH_UNCHANGED || job->status == RH_WOULD_CHANGE ? job->was : NULL;
}

/* In the order in which the type declares its attributes, whatever order they were found in. */
static void
sort_differences(const struct rh_runtime *rt, struct rh_job *job)
{
    struct rh_difference *d = job->differences;

    for (size_t i = 1; i < job->n_differences; i++)
        for (size_t k = i; k; k--) {
            const struct rh_attr *left = rh_type_attr(rt->type, d[k - 1].attribute);
            const struct rh_attr *right = rh_type_attr(rt->type, d[k].attribute);
            struct rh_difference moved = d[k];

            if (!left || !right || left <= right)
                break;
            d[k] = d[k - 1];
            d[k - 1] = moved;
        }
}

void
rh_job_give(struct rh_runtime *rt, struct rh_job *job)
{
    struct rh_outcome outcome = {
        .id = job->want->id,
        .status = job->status,
        .differences = job->differences,
        .n_differences = job->status == RH_FAILED || job->status == RH_UNCHANGED || job->status == RH_SKIPPED
                                 || job->status == RH_EXCLUDED
                             ? 0
                             : job->n_differences,
        .reason = job->reason,
        .code = job->code,
        .attribute = job->status == RH_FAILED ? job->attribute : NULL,
        .blame = job->blame,
        .was = job->was,
        .now = watched_now(rt, job),
        .current = job->current,
        .result = rh_result_take(rt, job),
        .seconds = rh_now() - job->started,
        .touched = job->touched,
        .as_desired = job->as_desired && job->status == RH_CHANGED,
    };

    if (rt->options.time_limit)
        rt->pace.until = rh_now() + rt->options.time_limit;
    sort_differences(rt, job);
    if (job->status == RH_FAILED || job->status == RH_SKIPPED)
        rh_ids_add(&rt->failed, job->want->id);
    else if (job->status == RH_CHANGED)
        rh_ids_add(&rt->changed, job->want->id);
    rh_outgoing_outcome(rt, &outcome);
    job->delivered = true;
    free(job->reason);
    job->reason = NULL;
}
