/* SPDX-License-Identifier: Apache-2.0 */
/* edit - `!append` and `!remove`: the current value with the edit made is the desired one, and an edit
 * that changes nothing is no change. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

static bool
is_container(const struct rh_value *v)
{
    return rh_value_is(v, RH_ARRAY) || rh_value_is(v, RH_HASH);
}

/* `v`, or one of the elements of `v`. */
static bool
has(const struct rh_value *v, const struct rh_value *item)
{
    if (v->kind != RH_ARRAY)
        return rh_value_equal(v, item);
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_value_equal(rh_value_at(v, i), item))
            return true;
    return false;
}

/* A list with what `v` has: where several stand in a list, one may stand alone. */
static struct rh_value *
list_of(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *list;

    if (v->kind == RH_ARRAY)
        return rh_value_copy(a, v);
    list = rh_value_new(a, RH_ARRAY);
    rh_value_append(list, rh_value_copy(a, v));
    return list;
}

/* What `v` is when it also has what `more` has. Within a hash all others stay, at every depth, and so do
 * the elements of a list; of two single values the new one counts. */
static struct rh_value *
with(struct rh_arena *a, const struct rh_value *v, const struct rh_value *more)
{
    struct rh_value *all;
    bool lists = v->kind == RH_ARRAY || more->kind == RH_ARRAY;

    if (v->kind == RH_HASH && more->kind == RH_HASH) {
        all = rh_value_copy(a, v);
        for (size_t i = 0; i < more->count; i++) {
            const struct rh_entry *e = rh_value_entry(more, i);
            const struct rh_value *was = rh_value_get(v, e->key);

            rh_value_put(all, e->key, was ? with(a, was, e->value) : rh_value_copy(a, e->value));
        }
        return all;
    }
    if (!lists || v->kind == RH_HASH || more->kind == RH_HASH)
        return rh_value_copy(a, more);
    all = list_of(a, v);
    more = list_of(a, more);
    for (size_t i = 0; i < more->count; i++)
        if (!has(all, rh_value_at(more, i)))
            rh_value_append(all, rh_value_at(more, i));
    return all->count == (v->kind == RH_ARRAY ? v->count : 1) ? rh_value_copy(a, v) : all;
}

/* What is left of `v` without what `less` has; NULL: nothing. A key of a hash goes when it has the same
 * value, whatever it has when `less` says nothing of that. */
static struct rh_value *
without(struct rh_arena *a, const struct rh_value *v, const struct rh_value *less)
{
    struct rh_value *left;

    if (less->kind == RH_UNDEF || (is_container(less) && !less->count))
        return NULL;
    if (v->kind == RH_ARRAY) {
        left = rh_value_new(a, RH_ARRAY);
        for (size_t i = 0; i < v->count; i++)
            if (!has(less, rh_value_at(v, i)))
                rh_value_append(left, rh_value_copy(a, rh_value_at(v, i)));
    } else if (v->kind == RH_HASH && less->kind == RH_HASH) {
        left = rh_value_new(a, RH_HASH);
        for (size_t i = 0; i < v->count; i++) {
            const struct rh_entry *e = rh_value_entry(v, i);
            const struct rh_value *named = rh_value_get(less, e->key);
            struct rh_value *rest = named ? without(a, e->value, named) : rh_value_copy(a, e->value);

            if (rest)
                rh_value_put(left, e->key, rest);
        }
    } else {
        return has(less, v) ? NULL : rh_value_copy(a, v);
    }
    left->marks = v->marks;
    return left->count ? left : NULL;
}

/* The value that the edit starts from: NULL when there is none that could be known. */
static const struct rh_value *
current_of(struct rh_arena *a, const struct rh_job *job, const struct rh_attr *attr,
           const struct rh_value *edit)
{
    const struct rh_value *v = rh_value_get(job->is, attr->name);

    if (!job->is || attr->behaviour & RH_PARAMETER) {
        v = attr->initial ? attr->initial : attr->default_value;
        v = v ? v : rh_value_new(a, (enum rh_kind)edit->kind);
    }
    return rh_value_is(v, RH_UNDEF) ? rh_value_new(a, (enum rh_kind)edit->kind) : v;
}

static int
edit_one(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, const struct rh_entry *e)
{
    const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
    const char *word = e->value->marks & RH_APPEND ? "!append" : "!remove";
    const struct rh_value *from;
    struct rh_value *to;

    if (!attr)
        return 0;
    if (!is_container(e->value)) {
        rh_job_fail(job, attr->name, "'%s' must be a list or a hash, not %s", word,
                    rh_kind_name((enum rh_kind)e->value->kind));
        return -1;
    }
    from = current_of(a, job, attr, e->value);
    if (!from) {
        rh_job_fail(job, attr->name, "'%s' needs the current value, but the provider does not report it",
                    word);
        return -1;
    }
    if (from->kind != e->value->kind) {
        rh_job_fail(job, attr->name, "'%s' cannot edit the current value: it is %s, not %s", word,
                    rh_kind_name((enum rh_kind)from->kind), rh_kind_name((enum rh_kind)e->value->kind));
        return -1;
    }
    if (e->value->marks & RH_APPEND)
        to = with(a, from, e->value);
    else if (!e->value->count)
        to = rh_value_copy(a, from);
    else
        to = without(a, from, e->value);
    if (!to)
        to = rh_value_new(a, (enum rh_kind)from->kind);
    to->marks |= e->value->marks & RH_SENSITIVE;
    rh_value_put_ref(rh_job_own_should(a, job), e->key, to);
    return 1;
}

int
rh_edit_should(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_autoerror struct rh_error err = { 0 };
    bool edited = false;

    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        int rc = e->value->marks & (RH_APPEND | RH_REMOVE) ? edit_one(rt, a, job, e) : 0;

        if (rc < 0)
            return -1;
        edited |= rc;
    }
    /* Only now is it the whole value, which has a canonical form of its own. */
    if (edited && rt->provider.canonicalize && rh_canonical_job(rt, a, job, &err) < 0) {
        rh_job_fail_error(job, NULL, &err);
        return -1;
    }
    return 0;
}
