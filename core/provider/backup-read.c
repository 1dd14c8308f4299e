/* SPDX-License-Identifier: Apache-2.0 */
/* backup-read - reading a resource as a whole, whatever is desired of it. */
#include "config.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

/* How a resource is found, and nothing of what it should be: so the provider reports what it is. */
static struct rh_value *
only_parameters(const struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    struct rh_value *v = rh_value_copy_top(a, job->name);

    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && attr->behaviour & RH_PARAMETER && !rh_value_get(v, attr->name))
            rh_value_put_ref(v, attr->name, e->value);
    }
    return v;
}

struct rh_job *
rh_backup_unread(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
                 const struct rh_value *desired)
{
    struct rh_job *copy = rh_arena_alloc(a, sizeof *copy);
    struct rh_value *should = only_parameters(rt, a, job);

    for (size_t i = 0; i < rh_value_count(desired); i++)
        rh_value_put_ref(should, rh_value_entry(desired, i)->key, rh_value_entry(desired, i)->value);
    rh_read_drop(rt, job);
    *copy = (struct rh_job){
        .want = job->want,
        .name = job->name,
        .should = should,
        .key = job->key,
        .whole = true,
    };
    return copy;
}

const struct rh_value *
rh_backup_read(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
               const struct rh_value *desired, bool *known)
{
    struct rh_job *one = rh_backup_unread(rt, a, job, NULL);
    struct rh_value *missing = rh_value_new(a, RH_HASH), *all;

    rh_read_jobs(rt, a, &one, 1);
    free(one->reason);
    *known = !one->done;
    if (one->done || !one->is)
        return NULL;
    for (size_t i = 0; i < rh_value_count(desired); i++) {
        const struct rh_entry *e = rh_value_entry(desired, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && rh_attr_is_property(attr) && !rh_value_get(one->is, e->key))
            rh_value_put_ref(missing, e->key, e->value);
    }
    if (!missing->count)
        return one->is;
    all = rh_value_copy_top(a, one->is);
    one = rh_backup_unread(rt, a, job, missing);
    rh_read_jobs(rt, a, &one, 1);
    free(one->reason);
    for (size_t i = 0; !one->done && i < missing->count; i++) {
        const char *key = rh_value_entry(missing, i)->key;
        const struct rh_value *v = rh_value_get(one->is, key);

        if (v)
            rh_value_put_ref(all, key, v);
    }
    return all;
}

static int
by_text(const void *one, const void *other)
{
    return strcmp(rh_value_str(*(const struct rh_value *const *)one, ""),
                  rh_value_str(*(const struct rh_value *const *)other, ""));
}

/* A list of texts, each once. Others stay as they are. */
static const struct rh_value *
sorted(struct rh_arena *a, const struct rh_value *v)
{
    size_t n = rh_value_count(v);
    const struct rh_value **items = rh_arena_alloc(a, (n + 1) * sizeof *items);
    struct rh_value *all;

    for (size_t i = 0; i < n; i++) {
        items[i] = rh_value_at(v, i);
        if (!rh_value_is(items[i], RH_STRING))
            return v;
    }
    qsort(items, n, sizeof *items, by_text);
    all = rh_value_new(a, RH_ARRAY);
    for (size_t i = 0; i < n; i++)
        if (!i || by_text(&items[i - 1], &items[i]) != 0)
            rh_value_append(all, rh_value_copy(a, items[i]));
    return all;
}

const struct rh_value *
rh_backup_form(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *v)
{
    if (v->kind == RH_ARRAY && attr && attr->behaviour & RH_UNORDERED)
        return sorted(a, v);
    if (v->kind != RH_BINARY || !rh_utf8_valid(v->u.string, v->count) || memchr(v->u.string, '\0', v->count))
        return v;
    return rh_value_stringn(a, v->u.string, v->count);
}
