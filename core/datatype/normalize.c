/* SPDX-License-Identifier: Apache-2.0 */
/* normalize - the same type said in fewer words, for messages. */
#include "config.h"

#include "datatype/normalize.h"

#include "datatype/regex.h"
#include "datatype/tree.h"

#include "base/alloc.h"
#include "base/arena.h"

#include <string.h>

/* Members of a Variant while they are merged. */
struct set {
    struct rh_arena *arena;
    const struct rh_datatype **v;
    size_t n;
};

static struct rh_datatype *
copy(struct rh_arena *a, const struct rh_datatype *t)
{
    struct rh_datatype *c = rh_arena_alloc(a, sizeof *c);

    *c = *t;
    return c;
}

static const struct rh_datatype **
room(struct rh_arena *a, size_t n)
{
    return rh_arena_alloc(a, rh_xmul(n + 1, sizeof(void *)));
}

static size_t
flat_count(const struct rh_datatype *const *types, size_t n)
{
    size_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += types[i]->kind == RH_T_VARIANT ? types[i]->count : 1;
    return total;
}

static struct set
flatten(struct rh_arena *a, const struct rh_datatype *const *types, size_t n)
{
    struct set s = { a, room(a, flat_count(types, n)), 0 };

    for (size_t i = 0; i < n; i++) {
        if (types[i]->kind != RH_T_VARIANT) {
            s.v[s.n++] = types[i];
            continue;
        }
        for (size_t j = 0; j < types[i]->count; j++)
            s.v[s.n++] = types[i]->u.members[j];
    }
    return s;
}

static void
drop_doubles(struct set *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        size_t j = 0;

        while (j < kept && !rh_type_same(s->v[j], s->v[i]))
            j++;
        if (j == kept)
            s->v[kept++] = s->v[i];
    }
    s->n = kept;
}

static const struct rh_datatype *
variant(const struct set *s)
{
    struct rh_datatype *t;

    if (s->n == 1)
        return s->v[0];
    t = rh_type_new(s->arena, RH_T_VARIANT);
    t->count = (uint32_t)s->n;
    t->u.members = s->v;
    return t;
}

const struct rh_datatype *
rh_variant_of(struct rh_arena *a, const struct rh_datatype *const *types, size_t n)
{
    struct set s = flatten(a, types, n);

    drop_doubles(&s);
    return variant(&s);
}

/* Replaces the members that `pick` takes by one, at the end or the front. */
static void
merge(struct set *s, bool front, bool (*pick)(const struct rh_datatype *),
      const struct rh_datatype *(*join)(struct rh_arena *, const struct set *))
{
    struct set picked = { s->arena, room(s->arena, s->n), 0 };
    struct set result = { s->arena, room(s->arena, s->n), 0 };

    for (size_t i = 0; i < s->n; i++)
        if (pick(s->v[i]))
            picked.v[picked.n++] = s->v[i];
    if (picked.n < 2)
        return;
    if (front)
        result.v[result.n++] = join(s->arena, &picked);
    for (size_t i = 0; i < s->n; i++)
        if (!pick(s->v[i]))
            result.v[result.n++] = s->v[i];
    if (!front)
        result.v[result.n++] = join(s->arena, &picked);
    *s = result;
}

static bool
is_not_undef(const struct rh_datatype *t)
{
    return t->kind == RH_T_NOT_UNDEF;
}

static const struct rh_datatype *
join_not_undefs(struct rh_arena *a, const struct set *s)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_NOT_UNDEF);
    const struct rh_datatype **inner = room(a, s->n);

    for (size_t i = 0; i < s->n; i++) {
        if (!s->v[i]->u.inner[0])
            return s->v[i];
        inner[i] = s->v[i]->u.inner[0];
    }
    t->count = 1;
    t->u.inner[0] = rh_normalize(a, rh_variant_of(a, inner, s->n));
    return t;
}

static bool
is_words(const struct rh_datatype *t)
{
    return (t->kind == RH_T_ENUM && t->count && !t->fold) || (t->kind == RH_T_STRING && t->u.literal.s);
}

static bool
is_folded_words(const struct rh_datatype *t)
{
    return t->kind == RH_T_ENUM && t->count && t->fold;
}

static const struct rh_datatype *
join_words(struct rh_arena *a, const struct set *s)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_ENUM);
    struct rh_word *words;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->v[i]->kind == RH_T_ENUM ? s->v[i]->count : 1;
    words = rh_arena_alloc(a, rh_xmul(n, sizeof *words));
    n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i]->kind == RH_T_STRING)
            words[n++] = s->v[i]->u.literal;
        for (size_t j = 0; s->v[i]->kind == RH_T_ENUM && j < s->v[i]->count; j++)
            words[n++] = s->v[i]->u.words[j];
    }
    rh_type_set_words(t, words, n);
    return t;
}

static const struct rh_datatype *
join_folded_words(struct rh_arena *a, const struct set *s)
{
    const struct rh_datatype *joined = join_words(a, s);
    struct rh_datatype *t = rh_type_new(a, RH_T_ENUM);
    struct rh_word *words = rh_arena_alloc(a, rh_xmul(joined->count, sizeof *words));

    for (size_t i = 0; i < joined->count; i++) {
        char *w = rh_arena_strndup(a, joined->u.words[i].s, joined->u.words[i].n);

        for (size_t j = 0; j < joined->u.words[i].n; j++)
            if (w[j] >= 'A' && w[j] <= 'Z')
                w[j] = (char)(w[j] | 0x20);
        words[i] = (struct rh_word){ w, joined->u.words[i].n };
    }
    rh_type_set_words(t, words, joined->count);
    t->fold = true;
    return t;
}

static bool
is_pattern(const struct rh_datatype *t)
{
    return t->kind == RH_T_PATTERN;
}

static const struct rh_datatype *
join_patterns(struct rh_arena *a, const struct set *s)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_PATTERN);
    const struct rh_regex **r;
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->v[i]->count;
    r = rh_arena_alloc(a, rh_xmul(n + 1, sizeof(void *)));
    for (size_t i = 0; i < s->n; i++) {
        if (!s->v[i]->count) /* any string */
            return s->v[i];
        for (size_t j = 0; j < s->v[i]->count; j++) {
            size_t k = 0;

            while (k < kept && !rh_regex_same(r[k], s->v[i]->u.regexes[j]))
                k++;
            if (k == kept)
                r[kept++] = s->v[i]->u.regexes[j];
        }
    }
    t->count = (uint32_t)kept;
    t->u.regexes = r;
    return t;
}

static bool
is_version(const struct rh_datatype *t)
{
    return t->kind == RH_T_SEMVER;
}

static const struct rh_datatype *
join_versions(struct rh_arena *a, const struct set *s)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_SEMVER);
    struct rh_semver_range *r;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!s->v[i]->count)
            return s->v[i];
        n += s->v[i]->count;
    }
    r = rh_arena_alloc(a, rh_xmul(n, sizeof *r));
    n = 0;
    for (size_t i = 0; i < s->n; i++) {
        memcpy(r + n, s->v[i]->u.versions, s->v[i]->count * sizeof *r);
        n += s->v[i]->count;
    }
    t->count = (uint32_t)n;
    t->u.versions = r;
    return t;
}

static bool
touches(const struct rh_datatype *a, const struct rh_datatype *b)
{
    switch (a->kind) {
    case RH_T_INTEGER:
        return (b->range.max == INT64_MAX || a->range.min <= b->range.max + 1)
               && (a->range.max == INT64_MAX || b->range.min <= a->range.max + 1);
    case RH_T_FLOAT:
        return a->u.real.min <= b->u.real.max && b->u.real.min <= a->u.real.max;
    default:
        return rh_instant_compare(a->u.time.min, b->u.time.max) <= 0
               && rh_instant_compare(b->u.time.min, a->u.time.max) <= 0;
    }
}

static const struct rh_datatype *
widen(struct rh_arena *a, const struct rh_datatype *x, const struct rh_datatype *y)
{
    struct rh_datatype *t = copy(a, x);

    switch (t->kind) {
    case RH_T_INTEGER:
        if (y->range.min < t->range.min)
            t->range.min = y->range.min;
        if (y->range.max > t->range.max)
            t->range.max = y->range.max;
        break;
    case RH_T_FLOAT:
        if (y->u.real.min < t->u.real.min)
            t->u.real.min = y->u.real.min;
        if (y->u.real.max > t->u.real.max)
            t->u.real.max = y->u.real.max;
        break;
    default:
        t->known = false;
        if (rh_instant_compare(y->u.time.min, t->u.time.min) < 0)
            t->u.time.min = y->u.time.min;
        if (rh_instant_compare(y->u.time.max, t->u.time.max) > 0)
            t->u.time.max = y->u.time.max;
    }
    return t;
}

/* Ranges that overlap or adjoin become one; all of the kind go to the front. */
static void
merge_ranges(struct set *s, enum rh_datatype_kind kind)
{
    struct set left = { s->arena, room(s->arena, s->n), 0 };
    struct set done = { s->arena, room(s->arena, s->n), 0 };

    for (size_t i = 0; i < s->n; i++)
        if (s->v[i]->kind == kind)
            left.v[left.n++] = s->v[i];
    if (left.n < 2)
        return;
    while (left.n) {
        const struct rh_datatype *wide = left.v[--left.n];
        size_t kept = 0;

        for (size_t i = 0; i < left.n; i++) {
            if (touches(wide, left.v[i]))
                wide = widen(s->arena, wide, left.v[i]);
            else
                left.v[kept++] = left.v[i];
        }
        left.n = kept;
        done.v[done.n++] = wide;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i]->kind != kind)
            done.v[done.n++] = s->v[i];
    *s = done;
}

static const struct rh_datatype *
with_inner(struct rh_arena *a, const struct rh_datatype *t, const struct rh_datatype *inner)
{
    struct rh_datatype *c;

    if (t->u.inner[0] == inner)
        return t;
    c = copy(a, t);
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
    const struct rh_datatype **v = room(a, t->count);
    bool changed = false;
    struct rh_datatype *c;

    for (size_t i = 0; i < t->count; i++) {
        v[i] = rh_normalize(a, t->u.members[i]);
        changed = changed || v[i] != t->u.members[i];
    }
    if (!changed)
        return t;
    c = copy(a, t);
    c->u.members = v;
    return c;
}

/* Undef is taken out of the members and put around them. */
static const struct rh_datatype *
optional_variant(struct rh_arena *a, const struct rh_datatype *t)
{
    struct set s = { a, room(a, t->count), 0 };
    struct rh_datatype *o = rh_type_new(a, RH_T_OPTIONAL);

    for (size_t i = 0; i < t->count; i++) {
        const struct rh_datatype *m = t->u.members[i];

        if (m->kind == RH_T_OPTIONAL && m->u.inner[0])
            s.v[s.n++] = m->u.inner[0];
        else if (m->kind != RH_T_UNDEF && m->kind != RH_T_OPTIONAL)
            s.v[s.n++] = m;
    }
    if (!s.n)
        return &rh_type_undef;
    o->count = 1;
    o->u.inner[0] = rh_variant_of(a, s.v, s.n);
    return rh_normalize(a, o);
}

static const struct rh_datatype *
normal_variant(struct rh_arena *a, const struct rh_datatype *t)
{
    const struct rh_datatype *given = t;
    size_t before;
    struct set s;

    if (!t->count)
        return t;
    t = members(a, t);
    if (t->count == 1)
        return t->u.members[0];
    for (size_t i = 0; i < t->count; i++)
        if (t->u.members[i]->kind == RH_T_UNDEF || t->u.members[i]->kind == RH_T_OPTIONAL)
            return optional_variant(a, t);
    s = flatten(a, t->u.members, t->count);
    before = s.n;
    merge(&s, false, is_not_undef, join_not_undefs);
    merge(&s, false, is_words, join_words);
    merge(&s, false, is_folded_words, join_folded_words);
    merge(&s, false, is_pattern, join_patterns);
    merge(&s, true, is_version, join_versions);
    merge_ranges(&s, RH_T_INTEGER);
    merge_ranges(&s, RH_T_FLOAT);
    merge_ranges(&s, RH_T_TIMESPAN);
    merge_ranges(&s, RH_T_TIMESTAMP);
    if (s.n == before && t == given)
        return t;
    drop_doubles(&s);
    return variant(&s);
}

static const struct rh_datatype *
normal_struct(struct rh_arena *a, const struct rh_datatype *t)
{
    struct rh_member *keys = rh_arena_alloc(a, rh_xmul(t->count + 1, sizeof *keys));
    struct rh_datatype *c = copy(a, t);

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
        c = copy(a, t);
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
