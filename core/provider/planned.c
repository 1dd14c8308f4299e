/* SPDX-License-Identifier: Apache-2.0 */
/* planned - holds the current state of a resource against the plan that is applied. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <string.h>

enum { SHOWN = 60 };

static void
observe(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, const struct rh_attr *attr,
        struct rh_value *all)
{
    const char *key = job->want->planned->key;
    const struct rh_value *v = rh_value_get(job->is, attr->name);
    bool secret;

    if (!v && attr == rt->type->ensure)
        v = rh_value_string(a, job->is ? "present" : "absent");
    secret = v
             && (attr->sensitive_within || rh_job_hides(rt, job, attr->name, v, NULL)
                 || rh_outgoing_value(rt, a, v) != v);
    rh_value_put_ref(all, attr->name, rh_observed_new(a, attr->name, v, secret ? key : NULL));
}

/* Whether the resource is there, and what is desired of it: the rest may change by itself. */
static const struct rh_value *
take(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_value *should = job->want->should;
    struct rh_value *all = rh_value_hash(a, rh_value_count(should) + 1);

    if (rt->type->ensure)
        observe(rt, a, job, rt->type->ensure, all);
    for (size_t i = 0; i < rh_value_count(should); i++) {
        const struct rh_attr *attr = rh_type_attr(rt->type, rh_value_entry(should, i)->key);

        if (attr && attr != rt->type->ensure && rh_attr_is_property(attr))
            observe(rt, a, job, attr, all);
    }
    return all;
}

void
rh_planned_show(struct rh_runtime *rt, struct rh_arena *a, struct rh_buf *b, const struct rh_value *observed)
{
    const struct rh_value *v = rh_observed_show(a, observed);

    if (v)
        rh_outgoing_show(rt, b, v, SHOWN);
    else
        rh_buf_add(b, "unset");
}

bool
rh_planned_allows(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_value *planned = job->want->planned->state;
    const struct rh_value *current = take(rt, a, job);

    job->current = current;
    /* What the plan itself has changed before is not what it was when the plan was made. */
    if (!planned || job->stale || job->want->noop)
        return true;
    for (size_t i = 0; i < rh_value_count(current); i++) {
        const struct rh_entry *e = rh_value_entry(current, i);
        const struct rh_value *was = rh_value_get(planned, e->key);
        rh_autobuf struct rh_buf from = { 0 }, to = { 0 };

        if (rh_observed_equal(was, e->value))
            continue;
        rh_planned_show(rt, a, &from, was);
        rh_planned_show(rt, a, &to, e->value);
        rh_job_fail(job, e->key, "its state is not the planned one: '%s' is %s, and was %s in the plan",
                    e->key, rh_buf_text(&to), rh_buf_text(&from));
        return false;
    }
    return true;
}

bool
rh_planned_allows_change(struct rh_runtime *rt, struct rh_job *job)
{
    const struct rh_planned *planned = job->want->planned;

    (void)rt;
    if (!planned || !planned->unchanged || job->want->noop || job->done)
        return true;
    rh_job_fail(job, job->n_differences ? job->differences[0].attribute : NULL,
                "it would be changed, and the plan does not change it");
    return false;
}
