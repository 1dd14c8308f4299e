/* SPDX-License-Identifier: Apache-2.0 */
/* canonicalize - having a provider bring attributes into the form that its get uses (S56 to S66). */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

enum { EDITS = RH_APPEND | RH_REMOVE };

/* The attributes that are to be edited, as the manifest has them. That is said of the attribute, and
 * stays when the provider puts another value in its place. */
struct edits {
    struct rh_entry *v;
    size_t n;
};

static struct edits
note_edits(struct rh_arena *a, const struct rh_value *resource)
{
    struct edits e = { 0 };
    size_t n = rh_value_count(resource);

    for (size_t i = 0; i < n; i++) {
        const struct rh_entry *entry = rh_value_entry(resource, i);

        if (!(entry->value->marks & EDITS))
            continue;
        if (!e.v)
            e.v = rh_arena_alloc(a, n * sizeof *e.v);
        e.v[e.n++] = *entry;
    }
    return e;
}

/* What is a list in the manifest is elements of one, also where the canonical form of a single one
 * stands alone. */
static const struct rh_value *
keep_lists(struct rh_arena *a, const struct rh_value *original, const struct rh_value *v)
{
    struct rh_value *kept = NULL;

    if (original->kind == RH_ARRAY && v->kind != RH_ARRAY && v->kind != RH_HASH && v->kind != RH_UNDEF) {
        struct rh_value *list = rh_value_new(a, RH_ARRAY);

        rh_value_append(list, v);
        return list;
    }
    for (size_t i = 0; original->kind == RH_HASH && v->kind == RH_HASH && i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        const struct rh_value *was = rh_value_get(original, e->key);

        const struct rh_value *part = was && e->value != was ? keep_lists(a, was, e->value) : e->value;

        if (part == e->value)
            continue;
        kept = kept ? kept : rh_value_copy_top(a, v);
        rh_value_put_ref(kept, e->key, part);
    }
    return kept ? kept : v;
}

static void
mark_edits(struct rh_arena *a, const struct edits *e, struct rh_value *resource)
{
    for (size_t i = 0; i < e->n; i++) {
        const struct rh_value *original = e->v[i].value;
        const struct rh_value *v = rh_value_get(resource, e->v[i].key);
        struct rh_value *own;

        if (!v || v == original)
            continue;
        own = rh_value_copy_sharing(a, keep_lists(a, original, v));
        own->marks = (uint8_t)((own->marks & ~EDITS) | (original->marks & EDITS));
        rh_value_put_ref(resource, e->v[i].key, own);
    }
}

static void
mark_secrets(const struct rh_type *t, struct rh_arena *a, struct rh_value *resource)
{
    for (size_t i = 0; i < rh_value_count(resource); i++) {
        const struct rh_entry *e = rh_value_entry(resource, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);

        if (attr && attr->sensitive_within)
            rh_value_put_ref(resource, e->key, rh_attribute_marked(a, attr, e->value));
    }
}

/* What it was before, and has been looked at then. Mostly it is in the same place. */
static bool
is_among(const struct rh_value *const *before, size_t n, size_t at, const struct rh_value *v)
{
    if (at < n && before[at] == v)
        return true;
    for (size_t i = 0; i < n; i++)
        if (before[i] == v)
            return true;
    return false;
}

int
rh_runtime_canonicalize(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *resource,
                        const char **attribute, struct rh_error *err)
{
    size_t n_before = rh_value_count(resource);
    const struct rh_value **before;
    struct edits edits;
    struct rh_call call;
    int rc;

    if (!rt->provider.canonicalize)
        return 0;
    before = rh_arena_room(a, n_before * sizeof(struct rh_value *));
    for (size_t i = 0; i < n_before; i++)
        before[i] = rh_value_part(resource, i);
    edits = note_edits(a, resource);
    rh_secret_wanted(rt, resource);
    rh_secret_watch(rt, NULL, resource);
    rh_call_begin(&call, rt, a, "canonicalize", NULL, 0);
    rc = rt->provider.canonicalize(call.ctx, (rhost_value *)(void *)resource);
    rc = rh_call_end(&call, rh_call_agree(&call, rc));
    mark_edits(a, &edits, resource);
    if (rt->hides)
        mark_secrets(rt->type, a, resource);
    rh_secret_read(rt, NULL, resource);
    rh_secret_watch(rt, NULL, NULL);
    if (rc < 0) {
        if (attribute)
            *attribute = rh_call_fault(&call);
        return rh_call_error(&call,
                             call.broken || !call.failed ? RH_EPROVIDER
                             : call.passing              ? RH_ESYSTEM
                                                         : RH_EINPUT,
                             err);
    }
    for (size_t i = 0; i < rh_value_count(resource); i++) {
        const struct rh_entry *e = rh_value_entry(resource, i);
        const struct rh_attr *attr =
            is_among(before, n_before, i, e->value) ? NULL : rh_type_attr(rt->type, e->key);

        if (attr && rh_attribute_find_nul(attr, e->value))
            return rh_error_set(err, RH_EPROVIDER, "canonicalize() set '%s', which %s", e->key,
                                RH_NUL_REFUSED);
    }
    return 0;
}

/* What is undef is not asked for (I39), whoever says so. */
static void
drop_undef(struct rh_value *resource)
{
    for (size_t i = rh_value_count(resource); i--;) {
        const struct rh_entry *e = rh_value_entry(resource, i);

        if (e->value->kind == RH_UNDEF)
            rh_value_drop(resource, e->key);
    }
}

struct rh_value *
rh_canonical_name(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *is, struct rh_error *err)
{
    struct rh_value *copy = rh_value_copy_top(a, is);

    if (rh_runtime_canonicalize(rt, a, copy, NULL, err) < 0)
        return NULL;
    return rh_resource_name(rt->type, a, copy);
}

int
rh_canonical_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, struct rh_error *err)
{
    const struct rh_type *t = rt->type;
    struct rh_value *resource = job->should ? rh_job_own_should(a, job) : rh_value_copy(a, job->name);
    struct rh_value *name;

    if (rh_runtime_canonicalize(rt, a, resource, NULL, err) < 0)
        return -1;
    drop_undef(resource);
    name = rh_resource_name(t, a, resource);
    for (size_t i = 0; i < t->n_namevars; i++)
        if (rh_value_get(job->name, t->namevars[i]->name) && !rh_value_get(name, t->namevars[i]->name))
            return rh_error_set(
                err, RH_EPROVIDER,
                "provider '%s' %s violated the ABI contract: canonicalize() left '%s' undef, which is "
                "part of the name",
                t->provider, t->version, t->namevars[i]->name);
    job->name = name;
    return 0;
}
