/* SPDX-License-Identifier: Apache-2.0 */
/* write - having the provider make the differences true, in whichever way it writes. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/extensions.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <errno.h>
#include <string.h>

/* A job that was written, and neither failed nor said otherwise. */
static void
conclude(struct rh_runtime *rt, struct rh_job *job, bool noop)
{
    if (!job->done) {
        job->done = true;
        job->status = noop ? RH_WOULD_CHANGE : RH_CHANGED;
    }
    if (job->creating && !job->n_differences && !job->reason)
        job->reason = rh_xstrdup("it did not exist");
    if (job->status == RH_CHANGED && rh_job_wants_gone(rt, job))
        rh_ext_private_drop(rt, rt->arena_of_batch, job->name);
    if (job->status == RH_CHANGED)
        rh_read_confirm(rt, job);
    else if (job->status == RH_FAILED)
        rh_read_drop(rt, job);
}

/* After a callback that was to change files only: where none was replaced, a job that failed changed nothing.
 */
static void
note_untouched(const struct rh_call *call, struct rh_job **jobs, size_t n)
{
    for (size_t i = 0; i < n && call->file_kept && !call->file_changed; i++)
        if (jobs[i]->status == RH_FAILED)
            jobs[i]->touched = false;
}

static rhost_change_fn *
callback_for(const struct rh_runtime *rt, const struct rh_job *job, int *doing, const char **what)
{
    if (rh_job_wants_gone(rt, job)) {
        *doing = RHOST_DELETING;
        *what = "remove";
        return rt->provider.remove;
    }
    if (job->creating) {
        *doing = RHOST_CREATING;
        *what = "create";
        return rt->provider.create;
    }
    *doing = RHOST_UPDATING;
    *what = "update";
    return rt->provider.update;
}

/* Whether create() has found something that was not there when it was read. It is read again once. */
static bool
has_appeared(const struct rh_call *call, const struct rh_job *job, int doing)
{
    return doing == RHOST_CREATING && call->last_number == EEXIST && !job->appeared && !job->replacing
           && call->rt->provider.features & RHOST_CREATES_NEW;
}

/* SimpleProvider: the host opens the block around each (S50 to S55). */
static void
write_simple(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, bool noop)
{
    static const char *const verbs[] = { "creating", "updating", "removing" };
    const char *what;
    int doing, rc;
    rhost_change_fn *fn = callback_for(rt, job, &doing, &what);
    struct rh_call call;
    uint64_t scope;

    if (!fn) {
        rh_job_fail(job, NULL, "provider '%s' %s cannot %s a resource of this type", rt->type->provider,
                    rt->type->version, what);
        return;
    }
    rh_call_begin(&call, rt, a, what, &job, 1);
    call.noop = noop;
    rh_runtime_doing(rt, job, verbs[doing]);
    rh_provider_debug(rt, job->want->title, "%s", what);
    scope = rh_scope_open(&call, job, doing);
    rc = rh_call_agree(&call, fn(call.ctx, &job->change));
    if (rc < 0 && has_appeared(&call, job, doing)) {
        rh_scope_drop(&call, scope);
        rh_discard(rh_call_end(&call, 0));
        job->appeared = true;
        job->touched = false;
        return;
    }
    if (rc > 0)
        (void)rh_scope_fail(
            &call, NULL,
            rh_arena_printf(a, "provider '%s' %s returned %d from %s, which is not a valid result",
                            rt->type->provider, rt->type->version, rc, what));
    else if (rc < 0 && !job->done)
        (void)rh_scope_fail(
            &call, NULL,
            rh_arena_printf(a, "provider '%s' %s failed in %s without a message: a bug in the provider",
                            rt->type->provider, rt->type->version, what));
    rh_scope_close(&call, scope);
    if (rh_call_end(&call, 0) < 0) {
        rh_job_fault(job, rh_call_fault(&call));
        rh_job_fail_call(job, NULL, &call);
    }
    note_untouched(&call, &job, 1);
    conclude(rt, job, noop);
}

enum { REPORT_EACH = 1 }; /* milliseconds: how often the host is sent what was reported */

/* The provider has reported what came of a job, and goes on with others: the host gets it now, and has it
 * should this process end. What is to be read again has to wait until nothing else is under way. */
static void
report(struct rh_call *call, struct rh_job *job)
{
    struct rh_runtime *rt = call->rt;
    double now = rh_now();

    if (job->replacing || job->want->watch || (job->want->verify && !job->done && !call->noop)) {
        rh_runtime_alive(rt);
        return;
    }
    note_untouched(call, &job, 1);
    conclude(rt, job, call->noop);
    rh_backup_conclude(rt, call->arena, job);
    rh_job_give(rt, job);
    if (now - rt->reported < REPORT_EACH / 1000.0) {
        rt->sink.doing(rt->sink.data, RH_NOBODY, "setting"); /* which keeps it in memory that the host has */
        return;
    }
    rt->reported = now;
    rt->sink.busy(rt->sink.data, 0);
}

/* A whole batch at once. On failure what has a definite status keeps it (S46). */
static void
write_set(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n, bool noop)
{
    const struct rhost_change **changes = rh_arena_alloc(a, n * sizeof *changes);
    struct rh_call call;
    bool failed, any_failed = false;
    int rc;

    for (size_t i = 0; i < n; i++)
        changes[i] = &jobs[i]->change;
    rh_call_begin(&call, rt, a, "set", jobs, n);
    call.noop = noop;
    call.definite = report;
    rh_runtime_doing(rt, n == 1 ? jobs[0] : NULL, "setting");
    rh_provider_debug(rt, NULL, "set, %zu changes%s", n, noop ? " (noop)" : "");
    rc = rt->provider.set(call.ctx, changes, n);
    failed = rh_call_end(&call, rc) < 0;
    /* Rules that were broken about single resources have failed those: the rest was done. */
    if (failed && rc == 0 && call.broken && !call.broken_for_all && !call.failed)
        failed = false;
    for (size_t i = 0; failed && i < n; i++) {
        if (!jobs[i]->definite || call.broken_for_all) {
            rh_job_fault(jobs[i], rh_call_fault(&call));
            rh_job_fail_call(jobs[i], NULL, &call);
        }
        any_failed |= jobs[i]->status == RH_FAILED;
    }
    if (failed && !any_failed && !rt->late) { /* nobody else has it */
        rt->late = rh_arena_strdup(rt->arena, call.message);
        rt->late_code = call.code;
    }
    note_untouched(&call, jobs, n);
    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->delivered)
            conclude(rt, jobs[i], noop);
}

static void
write_act(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    struct rh_call call;

    if (!rt->provider.act) {
        rh_job_fail(job, NULL, "provider '%s' does not implement action '%s'", rt->type->provider,
                    job->want->action);
        return;
    }
    rh_call_begin(&call, rt, a, "act", &job, 1);
    rh_runtime_doing(rt, job, rh_arena_printf(a, "doing '%s' to", job->want->action));
    rh_provider_debug(rt, job->want->title, "act, %s", job->want->action);
    if (rh_call_end(&call, rt->provider.act(call.ctx, &job->change, job->want->action)) < 0) {
        rh_job_fault(job, rh_call_fault(&call));
        rh_job_fail_call(job, NULL, &call);
    }
    conclude(rt, job, false);
}

void
rh_write_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n, bool noop)
{
    bool acting = n == 1 && strcmp(jobs[0]->want->action, "converge") != 0
                  && !rh_type_action(rt->type, jobs[0]->want->action)->overlay;

    if (noop && (acting || jobs[0]->want->trial || !(rt->type->features & RH_SUPPORTS_NOOP))) {
        for (size_t i = 0; i < n; i++)
            conclude(rt, jobs[i], true);
        return;
    }
    if (!noop && !acting) {
        jobs = rh_backup_before(rt, a, jobs, &n);
        if (!n)
            return;
    }
    for (size_t i = 0; i < n; i++)
        jobs[i]->touched = !noop;
    if (acting) {
        write_act(rt, a, jobs[0]);
        return;
    }
    if (rt->provider.set)
        write_set(rt, a, jobs, n, noop);
    else
        for (size_t i = 0; i < n; i++)
            write_simple(rt, a, jobs[i], noop);
    if (noop)
        return;
    rh_verify_jobs(rt, a, jobs, n);
    rh_backup_after(rt, a, jobs, n);
}

/* A name that is never compared would keep its group of work from ever being done. */
static bool
are_properties(struct rh_call *call, struct rh_job *job, const char *const *attributes, size_t n)
{
    const struct rh_type *t = call->rt->type;

    for (size_t i = 0; i < n; i++) {
        const char *name = attributes && attributes[i] ? attributes[i] : "(null)";
        const struct rh_attr *attr = rh_type_attr(t, name);

        if (attr && rh_attr_is_property(attr))
            continue;
        rh_call_break(call, job, "it called changed() for '%s', which is not a valid %s of type '%s'", name,
                      attr ? "property" : "attribute", t->type);
        return false;
    }
    return true;
}

/* changed(): the differences among these attributes, against the one snapshot. */
int32_t
rh_write_changed(struct rh_call *call, struct rh_job *job, const char *const *attributes, size_t n)
{
    struct rh_runtime *rt = call->rt;
    bool gone = rh_job_wants_gone(rt, job), differs;

    if (!are_properties(call, job, attributes, n))
        return 0;
    differs = gone && rh_compare_job(rt, call->arena, job);
    for (size_t i = 0; !gone && i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
        bool asked = n == 0;

        for (size_t k = 0; k < n && attributes && !asked; k++)
            asked = attributes[k] && strcmp(attributes[k], e->key) == 0;
        if (!asked || !attr || !rh_attr_is_property(attr))
            continue;
        if (!job->is) {
            rh_job_differs(rt, job, e->key, NULL, e->value, false, NULL);
            differs = true;
        } else {
            differs |= rh_compare_attr(rt, call->arena, job, attr, e->value);
        }
    }
    differs |= !job->is && !gone;
    if (job->done) /* the comparison found something that can't be */
        return 0;
    if (differs && !rh_expected_allows_change(rt, call->arena, job))
        return 0;
    if (differs && !call->noop && !rh_backup_known(rt, call->arena, job))
        return 0;
    job->differs |= differs;
    job->touched |= differs && !call->noop;
    return differs && !call->noop;
}

void
rh_write_converge(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    bool noop = job->want->noop;
    struct rh_call call;

    if (!rh_compare_prepare(rt, a, job)) {
        job->status = job->done ? job->status : RH_UNCHANGED;
        job->done = true;
        return;
    }
    rh_call_begin(&call, rt, a, "converge", &job, 1);
    call.noop = noop;
    rh_runtime_doing(rt, job, "converging");
    rh_provider_debug(rt, job->want->title, "converge");
    if (rh_call_end(&call, rt->provider.converge(call.ctx, &job->change)) < 0)
        rh_job_fail_call(job, NULL, &call);
    if (!job->done && !job->n_differences && !job->differs) {
        job->done = true;
        job->status = RH_UNCHANGED;
    }
    conclude(rt, job, noop);
    if (noop)
        return;
    rh_verify_jobs(rt, a, &job, 1);
    rh_backup_after(rt, a, &job, 1);
}
