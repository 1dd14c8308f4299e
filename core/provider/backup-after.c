/* SPDX-License-Identifier: Apache-2.0 */
/* backup-after - the state of resources after they were changed, for the host to keep. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <string.h>

/* A record of each of these values that is kept; NULL stays NULL. */
static const struct rh_value *
records_of(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, const struct rh_value *values)
{
    const char *key = job->want->backup->key;
    struct rh_value *all = values ? rh_value_hash(a, rt->type->n_attrs) : NULL;

    for (size_t i = 0; values && i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];
        const struct rh_value *v = rh_attr_is_property(attr) ? rh_value_get(values, attr->name) : NULL;

        if (v && v->kind != RH_UNDEF)
            rh_value_put_ref(all, attr->name,
                             rh_observed_new(a, attr->name, rh_backup_form(a, attr, v),
                                             rh_backup_is_secret(rt, a, job, attr, v) ? key : NULL));
    }
    return all;
}

/* A new resource is what was desired, where its existence alone has no further meaning, such as a version. */
static bool
is_new(const struct rh_runtime *rt, const struct rh_job *job)
{
    const struct rh_attr *ensure = rt->type->ensure;

    return job->creating && !job->replacing && !(rt->type->features & RH_READ_BACK) && ensure
           && strcmp(ensure->type_text, "Enum[present, absent]") == 0;
}

/* Whether what load() would say now is what is desired. */
static bool
holds(const struct rh_runtime *rt, const struct rh_job *job)
{
    return !rt->provider.insync || rt->type->features & RH_FORGETS_WORLD || is_new(rt, job);
}

/* What is desired, and what else is not what it was. */
static const struct rh_value *
only_changed(const struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
             const struct rh_value *now)
{
    struct rh_value *all = rh_value_hash(a, rt->type->n_attrs);

    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_entry *e = rh_value_entry(now, i);
        const struct rh_value *was = rh_value_get(job->is, e->key);

        if (rh_value_get(job->should, e->key) || !was || !rh_value_equal(was, e->value))
            rh_value_put_ref(all, e->key, e->value);
    }
    return all;
}

/* What get() has said is known: what set() made true, or what was read to verify that. What load() says is
 * read again where the provider has a view of its own of what is in sync: then a value that is desired may
 * not be the one that is read. */
static const struct rh_value *
records_after(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_value *records;
    bool known;

    if (rh_job_wants_gone(rt, job))
        return NULL;
    if (!rt->provider.load && rt->provider.get) {
        if (rt->provider.insync && !job->want->verify)
            return rh_value_new(a, RH_UNKNOWN); /* what is desired, such as "1.*", is not what is there */
        records = rh_read_recall(rt, job->key, &known);
        return records_of(rt, a, job, records ? only_changed(rt, a, job, records) : job->should);
    }
    if (holds(rt, job))
        return records_of(rt, a, job, job->should);
    records = records_of(rt, a, job, rh_backup_read(rt, a, job, job->should, &known));
    return known ? records : rh_value_new(a, RH_UNKNOWN);
}

/* Whether each of these values can be recorded by who has them: a text, a number or a flag that is no secret.
 */
static bool
is_simple(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!attr || !rh_attr_is_property(attr) || e->value->kind == RH_UNDEF)
            continue;
        if (!rh_observed_is_simple(e->value) || rh_backup_is_secret(rt, a, job, attr, e->value))
            return false;
    }
    return true;
}

/* Whether each property has the desired value now, or, where none is desired, the value that it had before.
 */
static bool
says_as_desired(const struct rh_runtime *rt, const struct rh_job *job, const struct rh_value *now)
{
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
        const struct rh_value *v = rh_value_get(now, e->key);

        if (attr && rh_attr_is_property(attr) && (!v || !rh_value_equal(v, e->value)))
            return false;
    }
    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_entry *e = rh_value_entry(now, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
        const struct rh_value *was;

        if (!attr || !rh_attr_is_property(attr) || rh_value_get(job->should, e->key))
            continue;
        was = rh_value_get(job->is, e->key);
        if (!was || !rh_value_equal(was, e->value))
            return false;
    }
    return true;
}

static bool
is_as_desired(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_value *should = job->want->should, *now;
    bool known;

    if (!job->want->backup || !job->want->backup->brief || !job->backed || job->status != RH_CHANGED
        || job->edited || !should || rh_job_wants_gone(rt, job)
        || (job->should != should && !rh_value_equal(job->should, should)))
        return false;
    if (rt->provider.load || !rt->provider.get)
        return holds(rt, job) && is_simple(rt, a, job);
    if (rt->provider.insync && !job->want->verify)
        return false;
    now = rh_read_recall(rt, job->key, &known);
    return (!now || says_as_desired(rt, job, now)) && is_simple(rt, a, job);
}

void
rh_backup_conclude(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (!job->delivered && job->status == RH_CHANGED)
        job->as_desired = is_as_desired(rt, a, job);
}

void
rh_backup_after(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    struct rh_backup_state *states = NULL;
    size_t n_states = 0;

    for (size_t i = 0; i < n; i++) {
        if (!jobs[i]->backed || jobs[i]->status != RH_CHANGED)
            continue;
        rh_backup_conclude(rt, a, jobs[i]);
        if (jobs[i]->as_desired)
            continue;
        if (!states)
            states = rh_arena_alloc(a, n * sizeof *states);
        if (jobs[i]->edited && rh_backup_has_file(states, n_states, jobs[i]->edited))
            continue;
        states[n_states] =
            (struct rh_backup_state){ jobs[i]->want->id, RH_BACKUP_AFTER, NULL, jobs[i]->edited };
        if (!jobs[i]->edited)
            states[n_states].state = records_after(rt, a, jobs[i]);
        else if (!rh_backup_file(rt, a, jobs[i]->want->backup, jobs[i]->edited, RH_BACKUP_AFTER,
                                 rh_backup_wants_secret(rt, jobs[i]), &states[n_states].state))
            states[n_states].state = rh_value_new(a, RH_UNKNOWN);
        n_states++;
    }
    if (n_states)
        (void)rt->sink.backup(rt->sink.data, a, states, n_states, false, &(const char *){ NULL });
}
