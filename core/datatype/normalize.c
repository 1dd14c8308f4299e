/* SPDX-License-Identifier: Apache-2.0 */
/* normalize - the same type said in fewer words, for messages. */
#include "config.h"

#include "datatype/normalize.h"

#include "datatype/tree.h"

#include "base/alloc.h"
#include "base/arena.h"

#include <stdbool.h>

static const struct rh_datatype *
with_inner(struct rh_arena *a, const struct rh_datatype *t, const struct rh_datatype *inner)
{
    struct rh_datatype *c;

    if (t->u.inner[0] == inner)
        return t;
    c = rh_type_copy(a, t);
    c->u.inner[0] = inner;
    c->count = inner != NULL;
    return c;
}

static const struct rh_datatype *
inner_of(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype *inner = t->u.inner[0] ? rh_normalize(a, t->u.inner[0]) : NULL;

    return inner && inner->kind == RH_T_ANY ? NULL : inner;
}

static const struct rh_datatype *
optional(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype *inner = t->u.inner[0] ? rh_normalize(a, t->u.inner[0]) : NULL;

    if (!inner)
        return t;
    if (inner->kind == RH_T_NOT_UNDEF)
        return inner->u.inner[0] ? rh_normalize(a, with_inner(a, t, inner->u.inner[0])) : &rh_type_any;
    if (rh_type_takes_undef(inner))
        return inner;
    return with_inner(a, t, inner);
}

static const struct rh_datatype *
not_undef(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype *inner = inner_of(a, t);

    if (inner && inner->kind == RH_T_OPTIONAL)
        return inner->u.inner[0] ? rh_normalize(a, with_inner(a, t, inner->u.inner[0]))
                                 : with_inner(a, t, inner);
    if (inner && !rh_type_takes_undef(inner))
        return inner;
    return with_inner(a, t, inner);
}

static const struct rh_datatype *
members(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype **v = rh_type_room(a, t->count);
    bool changed = false;
    struct rh_datatype *c;

    for (size_t i = 0; i < t->count; i++) {
        v[i] = rh_normalize(a, t->u.members[i]);
        changed = changed || v[i] != t->u.members[i];
    }
    if (!changed)
        return t;
    c = rh_type_copy(a, t);
    c->u.members = v;
    return c;
}

/* Undef is taken out of the members and put around them. */
static const struct rh_datatype *
optional_variant(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype **left = rh_type_room(a, t->count);
    size_t n = 0;
    struct rh_datatype *o = rh_type_new(a, RH_T_OPTIONAL);

    for (size_t i = 0; i < t->count; i++) {
        const struct rh_datatype *m = t->u.members[i];

        if (m->kind == RH_T_OPTIONAL && m->u.inner[0])
            left[n++] = m->u.inner[0];
        else if (m->kind != RH_T_UNDEF && m->kind != RH_T_OPTIONAL)
            left[n++] = m;
    }
    if (!n)
        return &rh_type_undef;
    o->count = 1;
    o->u.inner[0] = rh_variant_of(a, left, n);
    return rh_normalize(a, o);
}

static const struct rh_datatype *
normal_variant(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype *original = t, *joined;
    bool fewer;

    if (!t->count)
        return t;
    t = members(a, t);
    if (t->count == 1)
        return t->u.members[0];
    for (size_t i = 0; i < t->count; i++)
        if (t->u.members[i]->kind == RH_T_UNDEF || t->u.members[i]->kind == RH_T_OPTIONAL)
            return optional_variant(a, t);
    joined = rh_variant_join(a, t->u.members, t->count, rh_normalize, &fewer);
    return fewer || t != original ? joined : t;
}

static const struct rh_datatype *
normal_struct(struct rh_arena *a, const struct rh_datatype *t)
{
    struct rh_member *keys = rh_arena_alloc(a, rh_xmul(t->count + 1, sizeof *keys));
    struct rh_datatype *c = rh_type_copy(a, t);

    for (size_t i = 0; i < t->count; i++) {
        keys[i] = t->u.keys[i];
        keys[i].type = rh_normalize(a, keys[i].type);
    }
    c->u.keys = keys;
    return c;
}

const struct rh_datatype *
rh_normalize(struct rh_arena *a, const struct rh_datatype *t)
{
    struct rh_datatype *c;

    switch (t->kind) {
    case RH_T_OPTIONAL:
        return optional(a, t);
    case RH_T_NOT_UNDEF:
        return not_undef(a, t);
    case RH_T_SENSITIVE:
    case RH_T_TYPE:
    case RH_T_ITERABLE:
    case RH_T_ARRAY:
        return with_inner(a, t, inner_of(a, t));
    case RH_T_HASH:
        if (!t->count)
            return t;
        c = rh_type_copy(a, t);
        c->u.inner[0] = rh_normalize(a, t->u.inner[0]);
        c->u.inner[1] = rh_normalize(a, t->u.inner[1]);
        return c;
    case RH_T_VARIANT:
        return normal_variant(a, t);
    case RH_T_TUPLE:
        return members(a, t);
    case RH_T_STRUCT:
        return normal_struct(a, t);
    default:
        return t;
    }
}
