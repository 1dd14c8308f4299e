/* SPDX-License-Identifier: Apache-2.0 */
/* compare - what is wanted against what is there. */
#include "config.h"

#include "base/text.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdarg.h>
#include <string.h>

/* What RHOST_DIFFERS was before it had a value of its own. */
enum { DIFFERED = 1 };

/* Asks the provider's own comparison. RHOST_DIFFERS, 0: in sync, RHOST_DEFAULT_COMPARISON: it has no opinion,
 * -1: failed. */
static int
ask_insync(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, const char *attribute, char **words)
{
    struct rh_call call;
    int rc;

    if (!rt->provider.insync)
        return RHOST_DEFAULT_COMPARISON;
    rh_call_begin(&call, rt, a, "insync", &job, 1);
    call.noop = job->want->noop;
    rh_runtime_doing(rt, job, "comparing");
    rc = rt->provider.insync(call.ctx, &job->change, attribute);
    rc = rh_call_end(&call, rh_call_agree(&call, rc));
    *words = call.words;
    if (rc < 0)
        rh_job_fail_call(job, *attribute ? attribute : NULL, &call);
    if (rc == DIFFERED)
        rc = RHOST_DIFFERS;
    return job->done ? -1 : rc;
}

/* A provider must report what is init-only. Of one that does not, the strict mode decides: what it does not
 * report cannot be compared. */
static void
unreported(struct rh_runtime *rt, struct rh_job *job, const struct rh_attr *attr)
{
    if (rt->options.strict == RH_STRICT_WARNING)
        rh_provider_log(rt, RH_WARNING, job->want->id, job->want->title,
                        "init-only attribute '%s' was not compared: the provider does not report it",
                        attr->name);
    else
        rh_provider_debug(rt, job->want->title,
                          "init-only attribute '%s' was not compared: the provider does not report it",
                          attr->name);
}

bool
rh_compare_attr(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, const struct rh_attr *attr,
                const struct rh_value *should)
{
    const struct rh_value *is = rh_value_get(job->is, attr->name);
    char *words = NULL;
    int rc = ask_insync(rt, a, job, attr->name, &words);
    bool same;

    if (rc < 0)
        return false;
    if (rc == RHOST_DEFAULT_COMPARISON)
        same = is
               && (attr->behaviour & RH_UNORDERED ? rh_value_equal_unordered(is, should)
                                                  : rh_value_equal(is, should));
    else
        same = rc == 0;
    if (same)
        return false;
    if (attr->behaviour & RH_INIT_ONLY && job->want->replace) {
        job->replacing = true;
    } else if (attr->behaviour & RH_INIT_ONLY && !is && rt->options.strict != RH_STRICT_ERROR) {
        unreported(rt, job, attr);
        return false;
    } else if (attr->behaviour & RH_INIT_ONLY) {
        rh_autobuf struct rh_buf b = { 0 };

        rh_buf_add(&b, "it can only be set when the resource is created; it is ");
        rh_outgoing_show(rt, &b, is, 100);
        rh_buf_add(&b, ", and ");
        rh_outgoing_show(rt, &b, should, 100);
        rh_buf_add(&b, " is wanted");
        if (!rh_type_attr(rt->type, "replace"))
            rh_buf_add(&b, "; 'replace: true' removes the resource and creates it again");
        rh_job_fail(job, attr->name, "%s", rh_buf_text(&b));
        return false;
    }
    rh_job_differs(rt, job, attr->name, is, should, !is, words);
    return true;
}

/* A provider with a comparison of its own may know more than properties say: where none is wanted but
 * existence, it is asked about the resource as a whole (I102). */
static bool
compare_whole(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    char *words = NULL;

    if (ask_insync(rt, a, job, "", &words) != RHOST_DIFFERS)
        return false;
    rh_job_differs(rt, job, "insync", NULL, NULL, false, words ? words : "the provider found it out of sync");
    return true;
}

/* What only creating asks for: initial values, and attributes that must be given. */
static bool
prepare_creation(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_autobuf struct rh_buf missing = { 0 };

    if (rh_edit_should(rt, a, job) < 0)
        return false;
    for (size_t i = 0; i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];
        bool needed = attr->initial || (attr->required && attr != rt->type->ensure);

        if (!needed || rh_value_get(job->should, attr->name))
            continue;
        if (attr->initial)
            rh_value_put_ref(rh_job_own_should(a, job), attr->name, rh_value_copy(a, attr->initial));
        else
            rh_buf_addf(&missing, "%s'%s'", missing.n ? ", " : "", attr->name);
    }
    if (missing.n && job->replacing)
        rh_job_fail(job, NULL, "it cannot be replaced: it cannot be created without %s",
                    rh_buf_text(&missing));
    else if (missing.n)
        rh_job_fail(job, NULL, "it does not exist, and cannot be created without %s", rh_buf_text(&missing));
    return !missing.n;
}

/* Every property that is wanted, against what is there. */
static bool
compare_present(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    bool differs = false, any = false;

    if (rh_edit_should(rt, a, job) < 0)
        return false;
    for (size_t i = 0; i < rh_value_count(job->should) && !job->done; i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!attr || !rh_attr_is_property(attr))
            continue;
        any |= attr != rt->type->ensure;
        differs |= rh_compare_attr(rt, a, job, attr, e->value);
    }
    if (!any && !job->done && rt->provider.insync)
        differs |= compare_whole(rt, a, job);
    if (job->replacing && !job->done)
        (void)prepare_creation(rt, a, job);
    return differs && !job->done;
}

/* What is absent is only created where that is wanted. */
static bool
may_create(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rt->type->ensure && !rh_value_get(job->should, "ensure")) {
        rh_provider_debug(rt, job->want->title,
                          "Nothing to manage: no ensure and the resource doesn't exist");
        rh_provider_log(rt, RH_WARNING, job->want->id, job->want->title,
                        "it is absent and is not created: add 'ensure: present' to create it");
        return false;
    }
    job->creating = prepare_creation(rt, a, job);
    return job->creating;
}

/* For a provider that compares itself: whether it has to be replaced first. */
bool
rh_compare_replace(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (!job->want->replace || !job->is || rh_job_wants_gone(rt, job))
        return false;
    for (size_t i = 0; i < rh_value_count(job->should) && !job->done; i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && attr->behaviour & RH_INIT_ONLY)
            (void)rh_compare_attr(rt, a, job, attr, e->value);
    }
    return job->replacing && !job->done && prepare_creation(rt, a, job);
}

bool
rh_compare_prepare(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rh_job_wants_gone(rt, job))
        return true;
    if (!job->is)
        return may_create(rt, a, job);
    return rh_edit_should(rt, a, job) == 0;
}

/* Absent and wanted: existence decides, not comparison. */
static bool
compare_absent(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_attr *ensure = rt->type->ensure;
    const struct rh_value *wanted = ensure ? rh_value_get(job->should, "ensure") : NULL;

    if (!may_create(rt, a, job))
        return false;
    if (ensure) {
        rh_job_differs(rt, job, "ensure", rh_value_string(a, "absent"), wanted, false, NULL);
        return true;
    }
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && rh_attr_is_property(attr))
            rh_job_differs(rt, job, e->key, NULL, e->value, false, NULL);
    }
    return true;
}

bool
rh_compare_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rh_job_wants_gone(rt, job)) {
        const struct rh_value *was = rh_value_get(job->is, "ensure");

        if (!job->is)
            return false;
        rh_job_differs(rt, job, "ensure", was ? was : rh_value_string(a, "present"),
                       rh_value_string(a, "absent"), false, NULL);
        return true;
    }
    return job->is ? compare_present(rt, a, job) : compare_absent(rt, a, job);
}
