/* SPDX-License-Identifier: Apache-2.0 */
/* mismatch - how a complaint reads.
 *
 * A type is told in full, with its bounds and words, when the value is of that kind, so that the
 * bounds are what is wrong; else its name is enough. */
#include "config.h"

#include "datatype/explain.h"

#include "datatype/infer.h"
#include "datatype/match.h"
#include "datatype/normalize.h"
#include "datatype/print.h"
#include "datatype/regex.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* So many bytes of a value are quoted. */
enum { LONGEST_QUOTE = 256 };

struct words {
    struct rh_buf *v;
    size_t n;
};

size_t
rh_step_depth(const struct rh_value_step *path)
{
    size_t n = 0;

    for (; path; path = path->up)
        n++;
    return n;
}

static const struct rh_value_step *
skip_variants(const struct rh_value_step *s)
{
    while (s && s->kind == RH_STEP_VARIANT)
        s = s->up;
    return s;
}

bool
rh_step_same(const struct rh_value_step *a, const struct rh_value_step *b)
{
    a = skip_variants(a);
    b = skip_variants(b);
    while (a && b) {
        if (a->kind != b->kind || a->index != b->index || (a->key && strcmp(a->key, b->key) != 0))
            return false;
        a = skip_variants(a->up);
        b = skip_variants(b->up);
    }
    return !a && !b;
}

/* What kind of type the value's own type is: lists are Tuples, hashes Structs. */
static unsigned
kind_of(struct rh_arena *a, const struct rh_mismatch *m)
{
    return rh_infer(a, m->actual)->kind;
}

static bool
explained_in_full(const struct rh_datatype *e, unsigned actual)
{
    return e->kind == actual || rh_type_is_alias(e) || (e->kind == RH_T_STRUCT && actual == RH_T_HASH)
           || (e->kind == RH_T_TUPLE && actual == RH_T_ARRAY);
}

/* Whether the value would fit if it weren't for the parameters. */
static bool
fits_without_parameters(struct rh_arena *a, const struct rh_datatype *e, const struct rh_mismatch *m)
{
    e = rh_type_resolved(e);
    if (!e || e->kind == RH_T_VARIANT || e->kind == RH_T_STRUCT || e->kind == RH_T_NAMED)
        return false;
    if (e->kind == RH_T_ENUM)
        return rh_value_is(m->actual, RH_STRING);
    if (e->kind == RH_T_ITERABLE && rh_value_is(m->actual, RH_INTEGER))
        return true;
    return rh_match(rh_type_bare(a, e->kind), m->actual, m->sensitive);
}

/* "Sensitive[String]", where only the name would say too little. */
static void
add_short(struct rh_buf *b, const struct rh_datatype *t)
{
    rh_buf_add(b, rh_type_name(t));
    switch (t->kind) {
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
    case RH_T_TYPE:
    case RH_T_ITERABLE:
        if (t->u.inner[0] && t->u.inner[0]->kind != RH_T_ANY)
            rh_buf_addf(b, "[%s]", rh_type_name(t->u.inner[0]));
        return;
    default:
        return;
    }
}

enum detail { NAME, SHORT, FULL };

static void
add_actual(struct rh_buf *b, struct rh_arena *a, const struct rh_mismatch *m, enum detail detail,
           bool wants_sensitive)
{
    const struct rh_datatype *t = rh_infer(a, m->actual);
    bool hidden = m->sensitive && !rh_value_is(m->actual, RH_WRAPPED);

    if (hidden && wants_sensitive) {
        rh_buf_addf(b, "Sensitive[%s]", rh_type_name(t));
    } else if (hidden || detail == NAME) {
        rh_buf_add(b, rh_type_name(t));
    } else if (detail == SHORT) {
        add_short(b, t);
    } else {
        if (m->unsized)
            t = rh_infer_hash(a, m->actual);
        rh_print_expanded(b, rh_normalize(a, t));
    }
}

static void
add_word(struct words *w, struct rh_buf *word)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(rh_buf_text(&w->v[i]), rh_buf_text(word)) == 0) {
            rh_buf_clear(word);
            return;
        }
    }
    w->v[w->n++] = *word;
}

static void
words_clear(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        rh_buf_clear(&w->v[i]);
    free(w->v);
}

static void
add_article(struct rh_buf *b, const char *word)
{
    rh_buf_add(b, strchr("AEIOUaeiou", *word) ? "an " : "a ");
}

/* "a T value"; "a value of type A, B, or C" */
static void
add_expected(struct rh_buf *b, const struct words *w)
{
    if (w->n == 1) {
        add_article(b, rh_buf_text(&w->v[0]));
        rh_buf_addf(b, "%s value", rh_buf_text(&w->v[0]));
        return;
    }
    rh_buf_add(b, "a value of type ");
    for (size_t i = 0; i < w->n; i++) {
        if (i)
            rh_buf_add(b, w->n > 2 ? ", " : " ");
        if (i && i + 1 == w->n)
            rh_buf_add(b, "or ");
        rh_buf_add(b, rh_buf_text(&w->v[i]));
    }
}

static void
add_type_complaint(struct rh_buf *b, struct rh_arena *a, const struct rh_mismatch *m)
{
    const struct rh_datatype *e = m->expected, *const *list = &e;
    bool optional = e->kind == RH_T_OPTIONAL, detailed = false, full = false, sensitive = false;
    __attribute__((cleanup(words_clear))) struct words w = { 0 };
    unsigned actual = kind_of(a, m);
    size_t n = 1;

    if (optional)
        e = e->u.inner[0];
    if (!e)
        n = 0;
    if (e && e->kind == RH_T_VARIANT && e->count) {
        list = e->u.members;
        n = e->count;
    }
    for (size_t i = 0; i < n; i++) {
        const struct rh_datatype *resolved = rh_type_resolved(list[i]);

        detailed = detailed || explained_in_full(list[i], actual) || fits_without_parameters(a, list[i], m);
        full = full || (resolved && explained_in_full(resolved, actual));
        sensitive = sensitive || (resolved && resolved->kind == RH_T_SENSITIVE);
    }
    w.v = rh_xalloc(rh_xmul(n + 1, sizeof *w.v));
    if (optional)
        rh_buf_add(&w.v[w.n++], "Undef");
    for (size_t i = 0; i < n; i++) {
        struct rh_buf word = { 0 };

        if (detailed)
            rh_print_expanded(&word, list[i]);
        else
            add_short(&word, list[i]);
        add_word(&w, &word);
    }
    rh_buf_add(b, "expects ");
    add_expected(b, &w);
    rh_buf_add(b, ", got ");
    add_actual(b, a, m, !detailed ? SHORT : full ? FULL : NAME, sensitive);
}

static bool
gave_up(const struct rh_datatype *t, const struct rh_value *v)
{
    t = rh_type_resolved(t);
    if (!t)
        return false;
    if (t->kind == RH_T_OPTIONAL || t->kind == RH_T_NOT_UNDEF)
        return t->u.inner[0] && gave_up(t->u.inner[0], v);
    if (t->kind == RH_T_VARIANT) {
        for (size_t i = 0; i < t->count; i++)
            if (gave_up(t->u.members[i], v))
                return true;
    } else if (t->kind == RH_T_PATTERN) {
        for (size_t i = 0; i < t->count; i++)
            if (rh_regex_match(t->u.regexes[i], v->u.string, v->count) == RH_REGEX_LIMIT)
                return true;
    }
    return false;
}

static void
add_quoted(struct rh_buf *b, const struct rh_value *v)
{
    size_t n = v->count;

    if (n > LONGEST_QUOTE) {
        n = LONGEST_QUOTE;
        while (n && ((unsigned char)v->u.string[n] & 0xc0) == 0x80)
            n--;
    }
    rh_buf_addc(b, '\'');
    rh_buf_add_safe(b, v->u.string, n, false);
    rh_buf_add(b, n < v->count ? "...'" : "'");
}

static void
add_pattern_complaint(struct rh_buf *b, struct rh_arena *a, const struct rh_mismatch *m)
{
    const struct rh_datatype *e = m->expected;

    rh_buf_add(b, "expects ");
    if (e->kind == RH_T_OPTIONAL && e->u.inner[0]) {
        rh_buf_add(b, "an undef value or ");
        e = e->u.inner[0];
    }
    rh_buf_add(b, "a match for ");
    rh_print_expanded(b, e);
    rh_buf_add(b, ", got ");
    if (!rh_value_is(m->actual, RH_STRING) || m->sensitive)
        add_actual(b, a, m, SHORT, false);
    else
        add_quoted(b, m->actual);
    if (rh_value_is(m->actual, RH_STRING) && gave_up(e, m->actual))
        rh_buf_add(b, " (the pattern takes too long on it)");
}

static void
add_size(struct rh_buf *b, struct rh_range r)
{
    r = rh_size(r);
    if (r.min == r.max)
        rh_buf_addf(b, "%" PRId64, r.min);
    else if (!r.min && r.max == INT64_MAX)
        rh_buf_add(b, "unlimited");
    else if (!r.min)
        rh_buf_addf(b, "at most %" PRId64, r.max);
    else if (r.max == INT64_MAX)
        rh_buf_addf(b, "at least %" PRId64, r.min);
    else
        rh_buf_addf(b, "between %" PRId64 " and %" PRId64, r.min, r.max);
}

static void
add_path(struct rh_buf *b, const struct rh_value_step *s)
{
    if (!s)
        return;
    add_path(b, s->up);
    switch (s->kind) {
    case RH_STEP_INDEX:
        rh_buf_addf(b, " index %zu", s->index);
        return;
    case RH_STEP_VARIANT:
        rh_buf_addf(b, " variant %zu", s->index);
        return;
    case RH_STEP_ENTRY:
    case RH_STEP_KEY:
        rh_buf_add(b, s->kind == RH_STEP_ENTRY ? " entry '" : " key of entry '");
        rh_buf_add_safe(b, s->key, strlen(s->key), false);
        rh_buf_addc(b, '\'');
        return;
    }
}

void
rh_mismatch_print(struct rh_buf *b, struct rh_arena *a, const char *subject, const struct rh_mismatch *m)
{
    rh_buf_add_safe(b, subject, strlen(subject), false);
    add_path(b, m->path);
    rh_buf_addc(b, ' ');
    switch (m->kind) {
    case RH_MIS_TYPE:
        add_type_complaint(b, a, m);
        return;
    case RH_MIS_PATTERN:
        add_pattern_complaint(b, a, m);
        return;
    case RH_MIS_SIZE:
        rh_buf_add(b, "expects size to be ");
        add_size(b, m->size);
        rh_buf_addf(b, ", got %" PRId64, m->count);
        return;
    case RH_MIS_MISSING:
    case RH_MIS_UNKNOWN:
        rh_buf_add(b, m->kind == RH_MIS_MISSING ? "expects a value for key '" : "unrecognized key '");
        rh_buf_add_safe(b, m->key, strlen(m->key), false);
        rh_buf_addc(b, '\'');
        return;
    }
}
