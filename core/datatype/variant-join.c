/* SPDX-License-Identifier: Apache-2.0 */
/* variant-join - the members of a Variant made into one where they can be. */
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
    rh_normal_fn *normal; /* of a type that was made of several */
};

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
    struct set s = { .arena = a, .v = rh_type_room(a, flat_count(types, n)) };

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
    struct set picked = { s->arena, rh_type_room(s->arena, s->n), 0, s->normal };
    struct set result = { s->arena, rh_type_room(s->arena, s->n), 0, s->normal };

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
    const struct rh_datatype **inner = rh_type_room(a, s->n);

    for (size_t i = 0; i < s->n; i++) {
        if (!s->v[i]->u.inner[0])
            return s->v[i];
        inner[i] = s->v[i]->u.inner[0];
    }
    t->count = 1;
    t->u.inner[0] = s->normal(a, rh_variant_of(a, inner, s->n));
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
    struct rh_datatype *t = rh_type_copy(a, x);

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
    struct set left = { .arena = s->arena, .v = rh_type_room(s->arena, s->n) };
    struct set done = { .arena = s->arena, .v = rh_type_room(s->arena, s->n) };

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

const struct rh_datatype *
rh_variant_join(struct rh_arena *a, const struct rh_datatype *const *types, size_t n, rh_normal_fn *normal,
                bool *fewer)
{
    struct set s = flatten(a, types, n);
    const size_t before = s.n;

    s.normal = normal;
    merge(&s, false, is_not_undef, join_not_undefs);
    merge(&s, false, is_words, join_words);
    merge(&s, false, is_folded_words, join_folded_words);
    merge(&s, false, is_pattern, join_patterns);
    merge(&s, true, is_version, join_versions);
    merge_ranges(&s, RH_T_INTEGER);
    merge_ranges(&s, RH_T_FLOAT);
    merge_ranges(&s, RH_T_TIMESPAN);
    merge_ranges(&s, RH_T_TIMESTAMP);
    *fewer = s.n != before;
    drop_doubles(&s);
    return variant(&s);
}
