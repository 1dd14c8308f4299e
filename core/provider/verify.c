/* SPDX-License-Identifier: Apache-2.0 */
/* verify - reading again what was changed, where that was asked for: a change that did not hold is none. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>

static bool
is_to_verify(const struct rh_job *job)
{
    return job->want->verify && job->status == RH_CHANGED;
}

/* The same job before it is read: what is wanted is canonical and edited already. */
static struct rh_job *
again(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    struct rh_job *copy = rh_arena_alloc(a, sizeof *copy);

    rh_read_drop(rt, job);
    *copy = (struct rh_job){
        .want = job->want,
        .name = job->name,
        .should = job->should,
        .key = job->key,
    };
    return copy;
}

/* "mode is still "0700""; what is not known can't be judged. */
static void
describe(struct rh_buf *b, struct rh_runtime *rt, const struct rh_job *job, const struct rh_job *now,
         const struct rh_difference *d)
{
    const struct rh_value *before = rh_value_get(job->is, d->attribute);
    const struct rh_value *after = rh_value_get(now->is, d->attribute);

    if (d->unknown && !d->message)
        return;
    rh_buf_add(b, b->n ? "; " : "");
    if (!now->is || rh_job_wants_gone(rt, now)) {
        rh_buf_add(b, now->is ? "it still exists" : "it does not exist");
        return;
    }
    rh_buf_add(b, d->attribute);
    if (d->message) {
        rh_buf_addf(b, ": %s", d->message);
    } else if (rh_value_sensitive(d->from) || rh_value_sensitive(d->to)) {
        rh_buf_add(b, " is not the desired value");
    } else if (rh_value_equal(before, after)) {
        rh_buf_add(b, " is still ");
        rh_outgoing_show(rt, b, d->from, 100);
    } else {
        rh_buf_add(b, " is ");
        rh_outgoing_show(rt, b, d->from, 100);
        rh_buf_add(b, " and not ");
        rh_outgoing_show(rt, b, d->to, 100);
    }
}

/* As the strict mode has it for a provider that does not do what it says. */
static void
judge(struct rh_runtime *rt, struct rh_job *job, const char *attribute, const char *text)
{
    if (rt->options.strict == RH_STRICT_ERROR) {
        free(job->reason);
        job->reason = NULL;
        job->code = 0;
        rh_job_fault(job, attribute);
        rh_job_fail(job, NULL, "the change did not take effect: %s", text);
    } else if (rt->options.strict == RH_STRICT_WARNING) {
        rh_provider_log(rt, RH_WARNING, job->want->id, job->want->title, "the change did not take effect: %s",
                        text);
    } else {
        rh_provider_debug(rt, job->want->title, "the change did not take effect: %s", text);
    }
}

static void
verify(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, struct rh_job *now)
{
    rh_autobuf struct rh_buf b = { 0 };
    bool differs;

    rh_job_change(now);
    differs = !now->done && rh_compare_job(rt, a, now);
    if (now->done) { /* it could not be read, or not be compared */
        judge(rt, job, now->attribute, now->reason ? now->reason : "it could not be read");
        free(now->reason);
        return;
    }
    for (size_t i = 0; differs && i < now->n_differences; i++)
        describe(&b, rt, job, now, &now->differences[i]);
    if (b.n)
        judge(rt, job, now->differences[0].attribute, rh_buf_text(&b));
}

void
rh_verify_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    struct rh_job **now = NULL;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (is_to_verify(jobs[i])) {
            if (!now)
                now = rh_arena_alloc(a, n * sizeof(struct rh_job *));
            now[k++] = again(rt, a, jobs[i]);
        }
    if (!k)
        return;
    rh_read_jobs(rt, a, now, k);
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (is_to_verify(jobs[i]))
            verify(rt, a, jobs[i], now[k++]);
}
