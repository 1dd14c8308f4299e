/* SPDX-License-Identifier: Apache-2.0 */
/* explain - why a value does not fit a type: finds the complaints, down to the innermost part. */
#include "config.h"

#include "datatype/explain.h"

#include "datatype/infer.h"
#include "datatype/match.h"
#include "datatype/normalize.h"
#include "datatype/print.h"
#include "datatype/regex.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

/* A list of a thousand bad elements needs no thousand lines. */
enum { MOST_COMPLAINTS = 100, LONGEST_SHOWN = 200 };

/* Room for one more mismatch. */
static struct rh_mismatch *
add_mismatch(struct rh_explain *x, enum rh_mismatch_kind kind, const struct rh_mismatch_subject *s)
{
    if (x->n >= MOST_COMPLAINTS) {
        x->left_out++;
        return &x->spare;
    }
    x->v = rh_xgrow(x->v, &x->cap, x->n, sizeof *x->v);
    x->v[x->n] =
        (struct rh_mismatch){ .kind = kind, .path = s->path, .actual = s->value, .sensitive = s->sensitive };
    return &x->v[x->n++];
}

void
rh_explain_type(struct rh_explain *x, const struct rh_datatype *expected, const struct rh_mismatch_subject *s)
{
    add_mismatch(x, RH_MIS_TYPE, s)->expected = rh_normalize(x->arena, expected);
}

static void
wrong_match(struct rh_explain *x, const struct rh_datatype *expected, const struct rh_mismatch_subject *s)
{
    add_mismatch(x, RH_MIS_PATTERN, s)->expected = rh_normalize(x->arena, expected);
}

static void
wrong_size(struct rh_explain *x, struct rh_range size, size_t n, const struct rh_mismatch_subject *s)
{
    struct rh_mismatch *m = add_mismatch(x, RH_MIS_SIZE, s);

    m->size = size;
    m->count = (int64_t)n;
}

static void
wrong_key(struct rh_explain *x, enum rh_mismatch_kind kind, const char *key,
          const struct rh_mismatch_subject *s)
{
    add_mismatch(x, kind, s)->key = key;
}

struct rh_mismatch_subject
rh_explain_step(struct rh_explain *x, const struct rh_mismatch_subject *s, enum rh_step_kind kind,
                size_t index, const char *key, const struct rh_value *v)
{
    struct rh_value_step *step = rh_arena_alloc(x->arena, sizeof *step);

    *step = (struct rh_value_step){ s->path, kind, index, key };
    return (struct rh_mismatch_subject){ v, s->sensitive || (v && v->marks & RH_SENSITIVE), step };
}

static void
explain_elements(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
                 const struct rh_mismatch_subject *s)
{
    const struct rh_value *v = s->value;
    struct rh_range size = t->kind == RH_T_TUPLE ? rh_tuple_size(t) : rh_size(t->range);

    if (!rh_value_is(v, RH_ARRAY) || s->sensitive) {
        rh_explain_type(x, declared, s);
        return;
    }
    if (!rh_range_has(size, v->count)) {
        wrong_size(x, size, v->count, s);
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_datatype *e;
        struct rh_mismatch_subject item;

        if (t->kind == RH_T_ARRAY)
            e = t->u.inner[0];
        else
            e = t->count ? t->u.members[i < t->count ? i : t->count - 1] : NULL;
        if (!e || rh_match(e, v->u.items[i], s->sensitive))
            continue;
        item = rh_explain_step(x, s, RH_STEP_INDEX, i, NULL, v->u.items[i]);
        rh_explain_value(x, e, &item);
    }
}

static void
explain_entries(struct rh_explain *x, const struct rh_datatype *t, const struct rh_mismatch_subject *s)
{
    const struct rh_value *v = s->value;

    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];
        struct rh_mismatch_subject item;

        if (!rh_match_key(t->u.inner[0], e)) {
            item = rh_explain_step(x, s, RH_STEP_KEY, 0, e->key, rh_value_string(x->arena, e->key));
            rh_explain_value(x, t->u.inner[0], &item);
        }
        if (t->u.inner[1] && !rh_match(t->u.inner[1], e->value, s->sensitive)) {
            item = rh_explain_step(x, s, RH_STEP_ENTRY, 0, e->key, e->value);
            rh_explain_value(x, t->u.inner[1], &item);
        }
    }
}

/* A hash that can't be told key by key, for one of them isn't a string or is empty. */
static void
wrong_hash(struct rh_explain *x, const struct rh_datatype *declared, const struct rh_mismatch_subject *s)
{
    struct rh_mismatch *m = add_mismatch(x, RH_MIS_TYPE, s);

    m->expected = rh_normalize(x->arena, declared);
    m->unsized = true;
}

static bool
is_hash(const struct rh_value *v)
{
    return rh_value_is(v, RH_HASH) || rh_value_is(v, RH_MAP);
}

static size_t
entry_count(const struct rh_value *v)
{
    return v->kind == RH_MAP ? v->count / 2 : v->count;
}

static void
explain_hash(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
             const struct rh_mismatch_subject *s)
{
    if (!is_hash(s->value) || s->sensitive)
        rh_explain_type(x, declared, s);
    else if (!rh_range_has(rh_size(t->range), (int64_t)entry_count(s->value)))
        wrong_size(x, t->range, entry_count(s->value), s);
    else if (rh_is_struct(s->value))
        explain_entries(x, t, s);
    else
        wrong_hash(x, declared, s);
}

static bool
has_key(const struct rh_datatype *t, const char *key)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->u.keys[i].key.s, key) == 0)
            return true;
    return false;
}

static void
explain_members(struct rh_explain *x, const struct rh_datatype *t, const struct rh_mismatch_subject *s)
{
    const struct rh_value *v = s->value;

    for (size_t i = 0; i < t->count; i++) {
        const struct rh_member *k = &t->u.keys[i];
        const struct rh_value *item = rh_value_get(v, k->key.s);
        struct rh_mismatch_subject inner;

        if (!item) {
            if (!rh_member_optional(k))
                wrong_key(x, RH_MIS_MISSING, k->key.s, s);
            continue;
        }
        if (rh_match(k->type, item, s->sensitive))
            continue;
        inner = rh_explain_step(x, s, RH_STEP_ENTRY, 0, k->key.s, item);
        rh_explain_value(x, k->type, &inner);
    }
    for (size_t i = 0; i < v->count; i++)
        if (!has_key(t, v->u.entries[i].key))
            wrong_key(x, RH_MIS_UNKNOWN, v->u.entries[i].key, s);
}

static void
explain_struct(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
               const struct rh_mismatch_subject *s)
{
    struct rh_range size = { 0, t->count };

    if (!is_hash(s->value) || s->sensitive) {
        rh_explain_type(x, declared, s);
        return;
    }
    if (rh_is_struct(s->value)) {
        explain_members(x, t, s);
        return;
    }
    for (size_t i = 0; i < t->count; i++)
        size.min += !rh_member_optional(&t->u.keys[i]);
    if (rh_range_has(size, (int64_t)entry_count(s->value)))
        wrong_hash(x, declared, s);
    else
        wrong_size(x, size, entry_count(s->value), s);
}

static void
explain_collection(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
                   const struct rh_mismatch_subject *s)
{
    if ((rh_value_is(s->value, RH_ARRAY) || is_hash(s->value)) && !s->sensitive)
        wrong_size(x, t->range, entry_count(s->value), s);
    else
        rh_explain_type(x, declared, s);
}

static void
explain_normal(struct rh_explain *x, const struct rh_datatype *t, const struct rh_datatype *declared,
               const struct rh_mismatch_subject *s)
{
    switch (t->kind) {
    case RH_T_VARIANT:
        rh_explain_variant(x, t, declared, s);
        return;
    case RH_T_STRUCT:
        explain_struct(x, t, declared, s);
        return;
    case RH_T_HASH:
        explain_hash(x, t, declared, s);
        return;
    case RH_T_TUPLE:
    case RH_T_ARRAY:
        explain_elements(x, t, declared, s);
        return;
    case RH_T_COLLECTION:
        explain_collection(x, t, declared, s);
        return;
    case RH_T_OPTIONAL:
        if (t->u.inner[0])
            explain_normal(x, t->u.inner[0], rh_type_is_alias(declared) ? declared : t, s);
        else
            rh_explain_type(x, t, s);
        return;
    case RH_T_ENUM:
    case RH_T_PATTERN:
        wrong_match(x, declared, s);
        return;
    case RH_T_ALIAS:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
        if (t->u.alias->target)
            explain_normal(x, rh_normalize(x->arena, t->u.alias->target), t, s);
        else
            rh_explain_type(x, t, s);
        return;
    default:
        rh_explain_type(x, declared, s);
    }
}

void
rh_explain_value(struct rh_explain *x, const struct rh_datatype *t, const struct rh_mismatch_subject *s)
{
    if (!rh_match_stuck() && !rh_match(t, s->value, s->sensitive) && !rh_match_stuck())
        explain_normal(x, rh_normalize(x->arena, t), t, s);
}

/* A single complaint is a line; of several, each starts with a space more than the one before a
 * line is joined by. */
static void
print_all(const struct rh_explain *x, const char *subject, struct rh_buf *b)
{
    for (size_t i = 0; i < x->n; i++) {
        size_t from;

        if (i)
            rh_buf_add(b, "\n ");
        if (x->n > 1)
            rh_buf_addc(b, ' ');
        from = b->n;
        rh_mismatch_print(b, x->arena, subject, &x->v[i]);
        if (x->n == 1 && b->n > from && b->s[from] == ' ') { /* there is no subject */
            memmove(b->s + from, b->s + from + 1, b->n - from);
            b->n--;
        }
    }
    if (x->left_out)
        rh_buf_addf(b, "\n  and %zu more", x->left_out);
}

/* The pattern as it is written in the type, and nothing of the value. */
static void
print_stuck(const struct rh_regex *r, const char *subject, struct rh_buf *b)
{
    size_t n;
    const char *source = rh_regex_source(r, &n);
    rh_autobuf struct rh_buf pattern = { 0 };

    rh_print_regex(&pattern, source, n);
    if (b->n)
        rh_buf_add(b, "\n  ");
    rh_buf_add_safe(b, subject, strlen(subject), false);
    rh_buf_add(b, *subject ? " cannot be held against " : "cannot be held against ");
    rh_buf_add_safe(b, rh_buf_text(&pattern), pattern.n > LONGEST_SHOWN ? LONGEST_SHOWN : pattern.n, false);
    rh_buf_add(b, pattern.n > LONGEST_SHOWN ? "...: the pattern takes too many steps for it"
                                            : ": the pattern takes too many steps for it");
}

void
rh_datatype_explain(const struct rh_datatype *t, const char *subject, const struct rh_value *v,
                    struct rh_buf *b)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_explain x = { .arena = a };
    struct rh_mismatch_subject s = { v, v && v->marks & RH_SENSITIVE, NULL };

    rh_match_reset();
    rh_explain_value(&x, t, &s);
    print_all(&x, subject, b);
    if (rh_match_stuck())
        print_stuck(rh_match_stuck(), subject, b);
    rh_match_reset();
    free(x.v);
}
