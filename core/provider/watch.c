/* SPDX-License-Identifier: Apache-2.0 */
/* watch - attributes that somebody wants to know about, whether they are managed or not. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/value.h"
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

static struct rh_value *
observe(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, size_t i)
{
    const struct rh_watch *w = job->want->watch;
    const struct rh_value *v = rh_value_get(job->is, w->names[i]);
    bool secret;

    if (!job->is && rt->type->ensure && strcmp(w->names[i], "ensure") == 0)
        v = rh_value_string(a, "absent");
    secret =
        v
        && (w->secret[i] || rh_job_hides(rt, job, w->names[i], v, NULL) || rh_outgoing_value(rt, a, v) != v);
    return rh_observed_new(a, w->names[i], v, secret ? w->salt : NULL);
}

struct rh_value *
rh_watch_take(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_watch *w = job->want->watch;
    struct rh_value *all = rh_value_hash(a, w->n);

    for (size_t i = 0; i < w->n; i++)
        rh_value_put_ref(all, w->names[i], observe(rt, a, job, i));
    return all;
}

struct rh_value *
rh_watch_again(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    struct rh_job again = { .want = job->want, .name = job->name, .should = job->should, .key = job->key };
    struct rh_job *one = &again;
    struct rh_value *v;

    rh_read_jobs(rt, a, &one, 1);
    v = again.done ? NULL : rh_watch_take(rt, a, &again);
    free(again.differences);
    free(again.reason);
    return v;
}
