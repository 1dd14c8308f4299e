/* SPDX-License-Identifier: Apache-2.0 */
/* result - what a resource is after its turn, where other resources use that. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "provider/runtime-parts.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20 }; /* bytes of an attribute; what is larger is unknown */

/* The resource that is meant: the only one of the call, or the one of this name. */
static struct rh_job *
find_job(const struct rh_call *call, const struct rh_value *resource)
{
    const struct rh_type *t = call->rt->type;

    for (size_t i = 0; i < call->n_jobs; i++) {
        bool same = true;

        for (size_t k = 0; k < t->n_namevars && call->n_jobs > 1; k++)
            same &= rh_value_equal(rh_value_get(resource, t->namevars[k]->name),
                                   rh_value_get(call->jobs[i]->name, t->namevars[k]->name));
        if (same)
            return call->jobs[i];
    }
    return NULL;
}

int32_t
rh_result_emit(struct rh_call *call, const struct rh_value *resource)
{
    struct rh_job *job = find_job(call, resource);
    struct rh_arena *a = call->rt->arena_of_batch;
    struct rh_value *result;

    if (!job) {
        rh_call_break(call, NULL, "it emitted a resource that this call is not about");
        return -1;
    }
    result = rh_value_hash(a, resource->count);
    for (size_t i = 0; i < resource->count; i++) {
        const struct rh_entry *e = rh_value_entry(resource, i);
        const struct rh_attr *attr = rh_type_attr(call->rt->type, e->key);

        if (attr && attr->behaviour & RH_NAMEVAR)
            continue;
        if (!attr || !(attr->behaviour & RH_READ_ONLY)) {
            rh_call_break(call, job, "it emitted '%s' for a change, which is not a read-only attribute",
                          e->key);
            return -1;
        }
        if (!rh_datatype_match(attr->type, e->value) || rh_attribute_find_nul(attr, e->value)) {
            rh_call_break(call, job, "it emitted a value of '%s' that its type does not allow", attr->name);
            return -1;
        }
        rh_value_put_ref(result, attr->name, rh_attribute_marked(a, attr, rh_value_copy(a, e->value)));
    }
    if (!job->want->result)
        return 0;
    if (rh_value_sensitive(result))
        rh_arena_keep_secret(a);
    job->result = result;
    return 0;
}

/* Read again after a change; NULL when that fails. */
static const struct rh_value *
read_again(struct rh_runtime *rt, const struct rh_job *job)
{
    struct rh_arena *a = rt->arena_of_batch;
    struct rh_job again = { .want = job->want, .name = job->name, .should = job->should, .key = job->key };
    struct rh_job *one = &again;

    if (rt->provider.get && !rt->provider.load)
        rh_read_drop(rt, job); /* what it was changed to is known, but not what else there is */
    rh_read_jobs(rt, a, &one, 1);
    free(again.differences);
    free(again.reason);
    return again.done ? NULL : again.is ? again.is : rh_value_new(a, RH_HASH);
}

/* What the turn has left. What a command has changed is not read again: its guards would be asked. */
static const struct rh_value *
state_of(struct rh_runtime *rt, const struct rh_job *job)
{
    bool reads = rt->provider.get || rt->provider.load;

    if (job->status == RH_UNCHANGED && (reads || !job->should))
        return job->is ? job->is : rh_value_new(rt->arena_of_batch, RH_HASH);
    if (job->status == RH_CHANGED && reads && !(rt->type->features & RH_FORGETS_WORLD))
        return read_again(rt, job);
    if (job->status == RH_CHANGED || job->status == RH_UNCHANGED)
        return job->should;
    return NULL;
}

static void
add(struct rh_value *result, const char *name, const struct rh_value *v)
{
    rh_value_put_ref(result, name,
                     rh_job_value_size(v) > LARGEST ? rh_value_new(rh_value_arena(result), RH_UNKNOWN) : v);
}

const struct rh_value *
rh_result_take(struct rh_runtime *rt, struct rh_job *job)
{
    const struct rh_value *state;
    struct rh_value *result;

    if (!job->want->result || job->want->trial)
        return NULL;
    state = state_of(rt, job);
    if (!state && !job->result)
        return NULL;
    result = rh_value_hash(rt->arena_of_batch, rt->type->n_attrs);
    for (size_t i = 0; i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];
        const struct rh_value *v = rh_value_get(job->result, attr->name);

        if (!v && !(attr->behaviour & RH_PARAMETER))
            v = rh_value_get(attr->behaviour & RH_NAMEVAR ? job->name : state, attr->name);
        if (v)
            add(result, attr->name, v);
    }
    if (state && rt->type->ensure && !rh_value_get(result, rt->type->ensure->name))
        rh_value_put_ref(result, rt->type->ensure->name, rh_value_string(rt->arena_of_batch, "absent"));
    return result;
}
