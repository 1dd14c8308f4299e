/* SPDX-License-Identifier: Apache-2.0 */
/* runtime - one provider in one transaction: a batch from its wants to its outcomes. */
#include "config.h"

#include "provider/runtime.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/value.h"
#include "provider/describe.h"
#include "provider/extensions.h"
#include "provider/file-parts.h"
#include "provider/ids.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const strict_words[] = {
    [RH_STRICT_ERROR] = "error",
    [RH_STRICT_WARNING] = "warning",
    [RH_STRICT_OFF] = "off",
};

static int
describe(struct rh_runtime *rt, const struct rhost_plugin *plugin, const struct rh_value *types,
         const char *type, const char *provider, struct rh_error *err)
{
    if (rt->options.source)
        return rh_describe_source(rt->arena, plugin, types, &rt->plugin, &rt->description, err);
    if (rh_remote_take(rt, &rt->options.remote, &rt->description, err) < 0)
        return -1;
    if (rt->options.remote.facts_only)
        return 0;
    return rh_describe_provider(rt->arena, plugin, types, type, provider, &rt->provider, &rt->served,
                                &rt->description, err);
}

struct rh_runtime *
rh_runtime_new(const struct rhost_plugin *plugin, const struct rh_value *types, const char *type,
               const char *provider, const struct rh_runtime_options *options, const struct rh_sink *sink,
               struct rh_error *err)
{
    struct rh_arena *arena = rh_arena_new(&rh_host_table);
    struct rh_runtime *rt = rh_arena_alloc(arena, sizeof *rt);

    rt->arena = arena;
    rt->cache_arena = rh_arena_new(&rh_host_table);
    rt->options = *options;
    rt->origin = plugin;
    rh_ext_keep_open(rt);
    rt->run = (struct rhost_run){
        .struct_size = sizeof rt->run,
        .strict = strict_words[options->strict],
        .noop = options->noop,
        .debug = options->debug,
    };
    rt->sink = *sink;
    if (describe(rt, plugin, types, type, provider, err) == 0)
        rt->type = rh_type_read(arena, rt->description, err);
    if (!rt->type) {
        rh_outgoing_error(rt, err);
        rh_runtime_free(rt);
        return NULL;
    }
    for (size_t i = 0; i < rt->type->n_attrs; i++)
        rt->hides |= rt->type->attrs[i].sensitive || rt->type->attrs[i].sensitive_within;
    return rt;
}

void
rh_runtime_free(struct rh_runtime *rt)
{
    if (!rt)
        return;
    if (rt->opened && rt->provider.close) {
        struct rh_call call;

        rh_call_begin(&call, rt, rt->arena, "close", NULL, 0);
        rh_runtime_doing(rt, NULL, "closing");
        rt->provider.close(call.ctx);
        if (rh_call_end(&call, 0) < 0)
            rh_provider_log_code(rt, RH_WARNING, RH_NOBODY, NULL, call.code, "%s", call.message);
    }
    rh_remote_close(rt); /* its program may be the provider's */
    rh_ext_program_clear(rt);
    rh_ext_keep_clear(rt);
    rh_map_clear(&rt->cache);
    free(rt->listed);
    rh_map_clear(&rt->otherwise);
    rh_map_clear(&rt->unread);
    rh_ids_clear(&rt->failed);
    rh_ids_clear(&rt->changed);
    rh_ids_clear(&rt->pending);
    rh_secrets_clear(&rt->secrets);
    rh_arena_free(rt->cache_arena);
    rh_arena_free(rt->arena);
}

const struct rh_type *
rh_runtime_type(const struct rh_runtime *rt)
{
    return rt->type;
}

const struct rh_value *
rh_runtime_description(const struct rh_runtime *rt)
{
    return rt->description;
}

/* An action with an overlay is converging with these attributes laid over what is wanted. */
static void
lay_over(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_action *action = rh_type_action(rt->type, job->want->action);

    for (size_t i = 0; action && job->should && i < rh_value_count(action->overlay); i++) {
        const struct rh_entry *e = rh_value_entry(action->overlay, i);

        rh_value_put(rh_job_own_should(a, job), e->key, rh_value_copy(a, e->value));
    }
}

/* It was validated before the run, where all of it was known. */
static void
validate_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_refusal refusal = { 0 };

    rh_runtime_doing(rt, job, "validating");
    if (rh_provider_validate(rt, a, job->should, &refusal, &err) < 0)
        rh_job_fail_error(job, refusal.attribute, &err);
}

static void
start_job(struct rh_runtime *rt, struct rh_arena *a, const struct rh_want *want, struct rh_job *job)
{
    *job = (struct rh_job){ .want = want, .name = want->name, .should = want->should };
    rh_runtime_limit(rt, want->limit);
    if (strcmp(want->action, "converge") != 0 && !rh_type_action(rt->type, want->action)) {
        rh_job_fail(job, NULL, "unknown action '%s' for type '%s'", want->action, rt->type->type);
        job->key = rh_arena_strdup(a, "");
        return;
    }
    lay_over(rt, a, job);
}

static void
canonicalize_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_autoerror struct rh_error err = { 0 };

    rh_runtime_doing(rt, job, "canonicalizing");
    if (job->want->canonical && job->should) /* and was validated */
        ;
    else if (rt->provider.canonicalize && rh_canonical_job(rt, a, job, &err) < 0)
        rh_job_fail_error(job, NULL, &err);
    else if (rt->provider.validate && job->should)
        validate_job(rt, a, job);
    if (rt->provider.get && !rt->provider.load)
        job->key = rh_resource_title(a, rt->type, job->name);
}

/* What a job depends on decides whether it has its turn, and whether what is known of it holds. */
static bool
may_go(struct rh_runtime *rt, struct rh_job *job)
{
    bool stale = job->want->stale;

    job->blame = RH_NOBODY;
    for (size_t i = 0; i < job->want->n_after; i++) {
        uint32_t id = job->want->after[i];

        if (rh_ids_has(&rt->failed, id)) {
            job->blame = id;
            job->status = RH_SKIPPED;
            job->done = true;
            return false;
        }
        stale |= rh_ids_has(&rt->changed, id);
    }
    job->stale = stale;
    if (stale && job->key) {
        rh_read_drop(rt, job);
        job->is_read = false;
        job->is = NULL;
    }
    return true;
}

static bool
waits_for_pending(const struct rh_runtime *rt, const struct rh_job *job)
{
    for (size_t i = 0; i < job->want->n_after; i++)
        if (rh_ids_has(&rt->pending, job->want->after[i]))
            return true;
    return false;
}

/* Changes that are collected for one call of set. */
struct group {
    struct rh_job **jobs;
    size_t n;
    bool noop;
};

/* The run is to end: what was not begun is not begun any more. */
static bool
is_left(struct rh_job *job)
{
    if (job->want->begun || !rh_interrupted())
        return false;
    job->status = RH_EXCLUDED;
    job->done = true;
    return true;
}

static void
flush(struct rh_runtime *rt, struct rh_arena *a, struct group *g)
{
    size_t left = 0;

    while (left < g->n && is_left(g->jobs[left]))
        left++;
    if (g->n && !left)
        rh_write_jobs(rt, a, g->jobs, g->n, g->noop);
    for (size_t i = 0; i < g->n; i++)
        if (!g->jobs[i]->delivered)
            rh_job_give(rt, g->jobs[i]);
    g->n = 0;
    rh_ids_clear(&rt->pending);
}

/* An action that is the provider's own: not a matter of comparing. */
static bool
is_act(const struct rh_runtime *rt, const struct rh_job *job)
{
    const struct rh_action *action;

    if (job->want->action[0] == 'c' && strcmp(job->want->action, "converge") == 0)
        return false;
    action = rh_type_action(rt->type, job->want->action);
    return action && !action->overlay;
}

/* Whether it was read as absent a moment ago, when its state was kept, and create() would find what has come
 * to be there since. */
static bool
is_known_absent(const struct rh_runtime *rt, const struct rh_job *job)
{
    return job->foreseen && !job->seen && rt->provider.features & RHOST_CREATES_NEW && !job->want->watch;
}

/* What has come to be there since it was read is read, compared, and kept before it is changed. */
static void
start_again(struct rh_runtime *rt, struct rh_job *job)
{
    rh_read_drop(rt, job);
    job->is = NULL;
    job->seen = NULL;
    job->differences = NULL;
    job->n_differences = job->cap_differences = 0;
    job->is_read = job->creating = job->differs = job->backed = job->foreseen = false;
}

static void
go(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n, size_t i, struct group *g)
{
    struct rh_job *job = jobs[i];
    bool differs;

    if (!job->done && is_left(job)) {
        rh_job_give(rt, job);
        return;
    }
    if (waits_for_pending(rt, job) || (g->n && g->noop != job->want->noop))
        flush(rt, a, g);
    job->started = rh_now();
    if (!job->done && may_go(rt, job) && !job->is_read) {
        /* get() is asked for all that are still to come, once; load() for this one. */
        if (rt->provider.get && !rt->provider.load)
            rh_read_jobs(rt, a, jobs + i, n - i);
        else if (is_known_absent(rt, job))
            job->is_read = true;
        else
            rh_read_jobs(rt, a, &job, 1);
    }
    if (job->done) {
        rh_job_give(rt, job);
        return;
    }
    rh_job_change(job);
    if (job->want->watch)
        job->was = rh_watch_take(rt, a, job);
    if (job->want->expected && !is_act(rt, job) && !rh_expected_allows(rt, a, job)) {
        rh_job_give(rt, job);
        return;
    }
    if (job->want->watch && job->want->watch->only) {
        job->status = RH_UNCHANGED;
        job->done = true;
        rh_job_give(rt, job);
        return;
    }
    if (is_act(rt, job)) {
        flush(rt, a, g);
        rh_job_differs(rt, job, job->want->action, NULL, NULL, false, "done");
        rh_write_jobs(rt, a, &job, 1, job->want->noop);
        rh_job_give(rt, job);
        return;
    }
    if (rt->provider.converge) {
        if (rh_compare_replace(rt, a, job) && rh_expected_allows_change(rt, a, job))
            rh_replace_job(rt, a, job);
        else if (!job->done)
            rh_write_converge(rt, a, job);
        rh_job_give(rt, job);
        return;
    }
    rt->upcoming = (struct rh_upcoming){ .what = RH_UPCOMING_COMPARE, .jobs = jobs + i, .n = n - i };
    differs = rh_compare_job(rt, a, job);
    rt->upcoming = (struct rh_upcoming){ 0 };
    rh_job_change(job); /* creating or editing may have added to what is wanted */
    if (differs)
        (void)rh_expected_allows_change(rt, a, job);
    if (job->replacing && !job->done) {
        flush(rt, a, g);
        rh_replace_job(rt, a, job);
        rh_job_give(rt, job);
        return;
    }
    if (job->done || !differs) {
        job->status = job->done ? job->status : RH_UNCHANGED;
        job->done = true;
        rh_job_give(rt, job);
    } else if (rt->provider.set) {
        g->noop = job->want->noop;
        g->jobs[g->n++] = job;
        rh_ids_add(&rt->pending, job->want->id);
    } else {
        rh_write_jobs(rt, a, &job, 1, job->want->noop);
        if (job->appeared && !job->done) {
            start_again(rt, job);
            go(rt, a, jobs, n, i, g);
            return;
        }
        rh_job_give(rt, job);
    }
}

void
rh_runtime_converge(struct rh_runtime *rt, struct rh_arena *a, const struct rh_want *wants, size_t n)
{
    struct rh_job *all = rh_arena_alloc(a, n * sizeof *all);
    struct rh_job **jobs = rh_arena_alloc(a, n * sizeof(struct rh_job *));
    struct group g = { .jobs = rh_arena_alloc(a, n * sizeof(struct rh_job *)) };
    rh_autoerror struct rh_error why = { 0 };
    bool open;

    rt->running = true;
    rh_last_parent_batch(true);
    rh_read_trim(rt);
    rt->arena_of_batch = a;
    for (size_t i = 0; i < n; i++)
        rh_secret_wanted(rt, wants[i].should ? wants[i].should : wants[i].name);
    if (rt->secrets.n)
        rh_arena_keep_secret(a);
    open = !n || rh_read_open(rt, &why) == 0; /* nothing left to do needs no provider */
    for (size_t i = 0; i < n; i++) {
        jobs[i] = &all[i];
        start_job(rt, a, &wants[i], jobs[i]);
    }
    for (size_t i = 0; i < n; i++) {
        rt->upcoming = (struct rh_upcoming){ .what = RH_UPCOMING_START, .jobs = jobs + i, .n = n - i };
        if (!jobs[i]->key) /* it is converged, or has an action of the type */
            canonicalize_job(rt, a, jobs[i]);
        if (!open)
            rh_job_fail_error(jobs[i], NULL, &why);
    }
    rt->upcoming = (struct rh_upcoming){ 0 };
    for (size_t i = 0; i < n; i++) {
        rt->ahead = jobs + i + 1;
        rt->n_ahead = n - i - 1;
        go(rt, a, jobs, n, i, &g);
    }
    rt->n_ahead = 0;
    flush(rt, a, &g);
    rh_backup_take_grant(rt);
    rh_last_parent_batch(false);
    rt->running = false;
}

void
rh_runtime_upcoming(struct rh_runtime *rt, const struct rh_value *resources)
{
    rt->upcoming = (struct rh_upcoming){ .values = resources };
}

int
rh_runtime_sync(struct rh_runtime *rt, struct rh_error *err)
{
    char *late = rt->late;

    rt->late = NULL;
    rh_runtime_doing(rt, NULL, "bringing to disk what was changed");
    if (rh_durable_pending())
        rh_runtime_waits_for_disk(rt);
    if (rh_durable_sync(err) == 0 && !late)
        return 0;
    if (late)
        rh_error_set_code(err, RH_EPROVIDER, rt->late_code, "%s", late);
    rh_outgoing_error(rt, err);
    return -1;
}
