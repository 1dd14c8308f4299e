/* SPDX-License-Identifier: Apache-2.0 */
/* explain-variant - why none of several alternatives fits: in one line when they all fail at the
 * same place in the same way, else each on its own. */
#include "config.h"

#include "datatype/explain.h"

#include "datatype/normalize.h"

#include "base/arena.h"

static bool
is_type(const struct rh_mismatch *m)
{
    return m->kind == RH_MIS_TYPE || m->kind == RH_MIS_PATTERN;
}

static bool
is_size(const struct rh_mismatch *m)
{
    return m->kind == RH_MIS_SIZE;
}

static void
join_types(struct rh_arena *a, struct rh_mismatch *m, const struct rh_mismatch *other)
{
    const struct rh_datatype *both[] = { m->expected, other->expected };

    m->expected = rh_normalize(a, rh_variant_of(a, both, 2));
    /* "A match for" is said of words and patterns alone, in whatever order they come. */
    if (other->kind != RH_MIS_PATTERN)
        m->kind = RH_MIS_TYPE;
}

static void
join_sizes(struct rh_mismatch *m, const struct rh_mismatch *other)
{
    struct rh_range theirs = rh_size(other->size);

    m->size = rh_size(m->size);
    if (theirs.min < m->size.min)
        m->size.min = theirs.min;
    if (theirs.max > m->size.max)
        m->size.max = theirs.max;
}

/* Makes one of the complaints from `from` on that `pick` takes, if there are as many as
 * alternatives and all are about the same place. */
static bool
merge(struct rh_explain *x, size_t from, size_t alternatives, bool (*pick)(const struct rh_mismatch *))
{
    struct rh_mismatch *first = NULL, joined;
    size_t n = 0;

    for (size_t i = from; i < x->n; i++) {
        if (!pick(&x->v[i]))
            continue;
        n++;
        if (!first)
            first = &x->v[i];
        else if (!rh_step_same(first->path, x->v[i].path))
            return false;
    }
    if (n != alternatives)
        return false;
    joined = *first;
    for (size_t i = from; i < x->n; i++) {
        if (!pick(&x->v[i]) || &x->v[i] == first)
            continue;
        if (is_size(&joined))
            join_sizes(&joined, &x->v[i]);
        else
            join_types(x->arena, &joined, &x->v[i]);
    }
    x->v[from] = joined;
    x->n = from + 1;
    return true;
}

/* The way without its step number `at` (from the outside, from 0). */
static const struct rh_value_step *
without_step(struct rh_explain *x, const struct rh_value_step *path, size_t at)
{
    size_t depth = rh_step_depth(path);
    struct rh_value_step *step;

    if (depth <= at)
        return path;
    if (depth == at + 1)
        return path->up;
    step = rh_arena_alloc(x->arena, sizeof *step);
    *step = *path;
    step->up = without_step(x, path->up, at);
    return step;
}

void
rh_explain_variant(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
                   const struct rh_mismatch_subject *s)
{
    size_t from = x->n, alternatives = t->count;
    bool undef = declared->kind == RH_T_OPTIONAL;

    if (!t->count) {
        rh_explain_type(x, declared, s);
        return;
    }
    for (size_t i = 0; i < t->count + undef; i++) {
        struct rh_mismatch_subject inner = rh_explain_step(x, s, RH_STEP_VARIANT, i, NULL, s->value);

        rh_explain_value(x, undef && !i ? &rh_type_undef : t->u.members[i - undef], &inner);
    }
    alternatives += undef;
    if (!merge(x, from, alternatives, is_size))
        (void)merge(x, from, alternatives, is_type);
    if (x->n != from + 1)
        return;
    if (rh_type_is_alias(declared)) {
        x->n = from;
        rh_explain_type(x, declared, s);
        return;
    }
    x->v[from].path = without_step(x, x->v[from].path, rh_step_depth(s->path));
}
