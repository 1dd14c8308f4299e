/* SPDX-License-Identifier: Apache-2.0 */
/* read-cache - what a provider has said is there, so that it is asked seldom (S35 to S39). */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "provider/call.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>

enum { LARGEST_CACHE = 4 << 20 }; /* bytes, of what is read by name */

/* A resource that does not exist has this in the cache, so that it is not asked for again. */
static struct rh_value absent;

static const char *
lasting_key(struct rh_runtime *rt, const char *key)
{
    const struct rh_attr *attr = rh_type_attr(rt->type, key);

    return attr ? attr->name : rh_arena_strdup(rt->cache_arena, key);
}

static void
remember(struct rh_runtime *rt, const struct rh_value *resource)
{
    struct rh_arena *a = rt->cache_arena;
    const struct rh_attr *ensure = rt->type->ensure;
    struct rh_value *copy = rh_value_hash(a, resource->count + (ensure != NULL));
    const struct rh_value *known;
    const char *key;

    copy->marks = resource->marks;
    for (size_t i = 0; i < resource->count; i++) {
        const struct rh_entry *e = rh_value_entry(resource, i);

        rh_value_add_ref(copy, lasting_key(rt, e->key), rh_value_copy(a, e->value));
    }
    if (ensure && !rh_value_get(copy, ensure->name))
        rh_value_add_ref(copy, ensure->name, rh_value_string(a, "present"));
    key = rh_resource_title(a, rt->type, copy);
    if (ensure && strcmp(rh_value_get_str(copy, ensure->name, ""), "absent") == 0)
        copy = &absent;
    known = rh_map_get(&rt->cache, key);
    if (!known || known == &absent) {
        rt->listed = rh_xgrow(rt->listed, &rt->cap_listed, rt->n_listed, sizeof *rt->listed);
        rt->listed[rt->n_listed++] = key;
    } else if (!rt->repeated) {
        rt->repeated = key;
    }
    rh_map_replace(&rt->cache, key, copy);
    rt->n_reported++;
}

int32_t
rh_read_emit(struct rh_call *call, const struct rh_value *resource)
{
    struct rh_runtime *rt = call->rt;
    const struct rh_type *t = rt->type;

    /* Without a name nobody would find it, and what is there would be created again. */
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_value *v = rh_value_get(resource, t->namevars[i]->name);

        if (!v || v->kind == RH_UNDEF)
            rh_call_break(call, NULL, "`%s.get` did not return a value for the `%s` namevar attribute",
                          t->type, t->namevars[i]->name);
        else if (v->kind != RH_STRING && !rh_datatype_match(t->namevars[i]->type, v))
            rh_call_break(call, NULL, "`%s.get` returned %s for the `%s` namevar attribute", t->type,
                          rh_kind_name((enum rh_kind)v->kind), t->namevars[i]->name);
        else if (v->kind == RH_STRING && memchr(v->u.string, '\0', v->count))
            /* Or it would be taken for what stands before it. */
            rh_call_break(call, NULL, "`%s.get` returned text with a NUL for the `%s` namevar attribute",
                          t->type, t->namevars[i]->name);
        else
            continue;
        return -1;
    }
    rh_secret_read(rt, call->wanted, resource);
    remember(rt, resource);
    return 0;
}

/* Nobody may take what could not be read for absent: it would be created. */
void
rh_read_fail(struct rh_call *call, const struct rh_value *name, const char *attribute, const char *text)
{
    struct rh_runtime *rt = call->rt;
    struct rh_unread *unread = rh_arena_alloc(rt->cache_arena, sizeof *unread);
    const char *title = rh_arena_strdup(
        rt->cache_arena, rh_resource_title(rt->cache_arena, rt->type, name)); /* which may be of the name */

    *unread = (struct rh_unread){ rh_arena_strdup(rt->cache_arena, text), attribute };
    rh_map_replace(&rt->unread, title, unread);
    if (!call->asked)
        rh_provider_log(rt, RH_WARNING, RH_NOBODY, title, "omitted from the list: %s", text);
}

const struct rh_unread *
rh_read_unread(const struct rh_runtime *rt, const char *key)
{
    return rt->unread.used ? rh_map_get(&rt->unread, key) : NULL;
}

void
rh_runtime_forget(struct rh_runtime *rt)
{
    rh_map_clear(&rt->unread);
    rh_map_clear(&rt->cache);
    rh_map_clear(&rt->otherwise);
    rt->n_reported = rt->n_examined = rt->n_listed = 0;
    rt->repeated = NULL;
    rh_arena_reset(rt->cache_arena);
    rt->cache_complete = false;
}

const char *
rh_runtime_repeated(const struct rh_runtime *rt)
{
    return rt->repeated;
}

void
rh_read_trim(struct rh_runtime *rt)
{
    if (!rt->cache_complete && rh_arena_size(rt->cache_arena) > LARGEST_CACHE)
        rh_runtime_forget(rt);
}

void
rh_read_drop(struct rh_runtime *rt, const struct rh_job *job)
{
    if (!job->key)
        return;
    if (rh_map_get(&rt->cache, job->key))
        rh_map_replace(&rt->cache, job->key, NULL);
    if (rh_read_unread(rt, job->key))
        rh_map_replace(&rt->unread, job->key, NULL);
    if (rh_map_get(&rt->otherwise, job->key))
        rh_map_replace(&rt->otherwise, job->key, NULL);
    rt->cache_complete = false;
}

void
rh_read_confirm(struct rh_runtime *rt, const struct rh_job *job)
{
    struct rh_value *now;

    if (!job->key) /* nothing is remembered of what is read one by one */
        return;
    if (rh_job_wants_gone(rt, job)) {
        rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, job->key), &absent);
        return;
    }
    now = rh_value_hash(rt->cache_arena, rh_value_count(job->is) + rh_value_count(job->should));
    now->marks = job->is ? job->is->marks : 0;
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && !(attr->behaviour & RH_PARAMETER))
            rh_value_add_ref(now, attr->name, rh_value_copy(rt->cache_arena, e->value));
    }
    for (size_t i = 0; i < rh_value_count(job->is); i++) {
        const struct rh_entry *e = rh_value_entry(job->is, i);

        if (!rh_value_get(now, e->key))
            rh_value_add_ref(now, lasting_key(rt, e->key), rh_value_copy(rt->cache_arena, e->value));
    }
    rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, job->key), now);
}

/* What was said under a name that is not canonical is found by the canonical one, and is then judged as the
 * strict mode has it: it would be created a second time, did nobody know that it is there. */
static void
examine_names(struct rh_runtime *rt)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(&rh_host_table);
    struct rh_value *all = rh_value_new(a, RH_ARRAY);
    const struct rh_upcoming before = rt->upcoming;

    for (size_t i = 0; i < rt->n_listed; i++)
        if (rh_read_recall_at(rt, i))
            rh_value_append(all, rh_read_recall_at(rt, i));
    rt->upcoming = (struct rh_upcoming){ .values = all };
    for (size_t i = 0; i < rt->n_listed; i++) {
        struct rh_value *v = rh_read_recall_at(rt, i);
        rh_autoerror struct rh_error err = { 0 };
        struct rh_value *name;

        if (!v)
            continue;
        name = rh_canonical_name(rt, a, v, &err);
        if (name && strcmp(rh_resource_title(a, rt->type, name), rh_resource_title(a, rt->type, v)) != 0)
            rh_map_replace(&rt->otherwise,
                           rh_arena_strdup(rt->cache_arena, rh_resource_title(a, rt->type, name)), v);
    }
    rt->upcoming = before;
    rt->n_examined = rt->n_reported;
}

struct rh_value *
rh_read_recall(struct rh_runtime *rt, const char *key, bool *known)
{
    struct rh_value *found = rh_map_get(&rt->cache, key);

    if (!found && rt->provider.canonicalize) {
        if (rt->n_examined != rt->n_reported)
            examine_names(rt);
        found = rh_map_get(&rt->otherwise, key);
    }
    *known = found || rt->cache_complete;
    return found != &absent ? found : NULL;
}

struct rh_value *
rh_read_recall_at(const struct rh_runtime *rt, size_t i)
{
    struct rh_value *found = rh_map_get(&rt->cache, rt->listed[i]);

    return found != &absent ? found : NULL;
}

void
rh_read_miss(struct rh_runtime *rt, const char *key)
{
    rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, key), &absent);
}
