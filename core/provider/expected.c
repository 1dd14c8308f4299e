/* SPDX-License-Identifier: Apache-2.0 */
/* expected - holds the current state of a resource against the plan that is applied, or against what the run
 * has left that is undone. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 };

static void
observe(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, const struct rh_attr *attr,
        struct rh_value *all)
{
    const char *key = job->want->expected->key;
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

static void
show(struct rh_runtime *rt, struct rh_arena *a, struct rh_buf *b, const struct rh_value *observed)
{
    const struct rh_value *v = rh_observed_show(a, observed);

    if (v)
        rh_outgoing_show(rt, b, v, SHOWN);
    else
        rh_buf_add(b, "unset");
}

/* Fails the job, whose attribute is not what was expected. */
static void
refuse(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, const char *attribute,
       const struct rh_value *was, const struct rh_value *current)
{
    rh_autobuf struct rh_buf from = { 0 }, to = { 0 };

    show(rt, a, &from, was);
    show(rt, a, &to, current);
    if (job->want->expected->left)
        rh_job_fail(job, attribute, "it was changed after the run: it is %s, and the run left %s",
                    rh_buf_text(&to), rh_buf_text(&from));
    else
        rh_job_fail(job, attribute, "its state is not the planned one: '%s' is %s, and was %s in the plan",
                    attribute, rh_buf_text(&to), rh_buf_text(&from));
}

bool
rh_expected_allows(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_expected *expected = job->want->expected;
    const struct rh_value *current;

    if (expected->left)
        return true;
    job->current = current = take(rt, a, job);
    /* What the plan itself has changed before is not what it was when the plan was made. */
    if (!expected->state || job->stale || job->want->noop)
        return true;
    for (size_t i = 0; i < rh_value_count(current); i++) {
        const struct rh_entry *e = rh_value_entry(current, i);
        const struct rh_value *was = rh_value_get(expected->state, e->key);

        if (rh_observed_equal(was, e->value))
            continue;
        refuse(rt, a, job, e->key, was, e->value);
        return false;
    }
    return true;
}

bool
rh_expected_is_secret(const struct rh_job *job, const char *attribute)
{
    const struct rh_expected *expected = job->want->expected;

    return expected && rh_value_is(expected->state, RH_HASH)
           && rh_observed_is_secret(rh_value_get(expected->state, attribute));
}

/* What is there, with all that the run has left as far as the provider can say it. */
static const struct rh_value *
read_left(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_value *is;
    bool known;

    if (!rt->provider.load || rt->provider.converge)
        return job->is;
    is = rh_backup_read(rt, a, job, rh_observed_desired(a, rt->type, job->want->expected->state), &known);
    return is ? is : job->is;
}

/* Whether it is what the run has left, or already what is desired; else the job fails. */
static bool
is_left(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_expected *expected = job->want->expected;
    bool absent = rh_value_is(expected->state, RH_UNDEF);
    const struct rh_value *is;

    if (absent || !job->is) {
        if (absent == !job->is)
            return true;
        rh_job_fail(job, NULL,
                    job->is ? "it was created again after the run" : "it was removed after the run");
        return false;
    }
    is = read_left(rt, a, job);
    for (size_t i = 0; i < rh_value_count(expected->state); i++) {
        const struct rh_entry *e = rh_value_entry(expected->state, i);
        const struct rh_value *v = rh_value_get(is, e->key), *current;
        const struct rh_value *desired = rh_value_get(job->should, e->key);

        if (!v || v->kind == RH_UNDEF) /* the provider does not say */
            continue;
        current = rh_observed_new(a, e->key, rh_backup_form(a, rh_type_attr(rt->type, e->key), v),
                                  rh_observed_is_secret(e->value) ? expected->key : NULL);
        if (rh_observed_equal(current, e->value) || (desired && rh_value_equal(v, desired)))
            continue;
        refuse(rt, a, job, e->key, e->value, current);
        return false;
    }
    return true;
}

bool
rh_expected_allows_change(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_expected *expected = job->want->expected;

    if (!expected || job->done)
        return true;
    if (expected->left)
        return expected->any || !expected->state || is_left(rt, a, job);
    if (!expected->unchanged || job->want->noop)
        return true;
    rh_job_fail(job, job->n_differences ? job->differences[0].attribute : NULL,
                "it would be changed, and the plan does not change it");
    return false;
}
