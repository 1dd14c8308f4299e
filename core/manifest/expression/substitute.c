/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - `${...}` in the values of a manifest: what the expressions in them mean. */
#include "config.h"

#include "manifest/expression/expression.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/expression/later.h"
#include "manifest/load/budget.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "script/script.h"

#include <stdint.h>
#include <string.h>

/* The first "${", or NULL. Nearly all text has no '$', which memchr() finds out soonest. */
static const char *
find_opening(const char *s, const char *end)
{
    while ((s = memchr(s, '$', (size_t)(end - s))) && s + 1 < end) {
        if (s[1] == '{')
            return s;
        s++;
    }
    return NULL;
}

bool
rh_has_expression(const struct rh_value *v)
{
    return v->kind == RH_STRING && !(v->marks & RH_LITERAL)
           && find_opening(v->u.string, v->u.string + v->count);
}

void
rh_set_literal(struct rh_value *v)
{
    if (v->kind == RH_STRING)
        v->marks |= RH_LITERAL;
    for (size_t i = 0; i < rh_value_count(v); i++)
        rh_set_literal(rh_draft_part(v, i));
}

/* A complaint about byte `at` of a text. */
static int
refuse(struct rh_load *load, const struct rh_value *v, size_t at, const char *hint, const char *message)
{
    struct rh_place place = rh_complaints_full(load->complaints)
                                ? rh_value_place(v)
                                : rh_scalar_place(load->catalog->sources, v, at);

    rh_complain(load->complaints, place, hint, "%s", message);
    return -1;
}

/* Marks as refused what an expression in it was wrong. */
static int
give_up(struct rh_value *v)
{
    v->kind = RH_UNKNOWN;
    v->count = 0;
    v->u.deferred = NULL;
    v->marks = RH_INVALID;
    return -1;
}

/* The text of a part; what is wrong with it otherwise. */
static const char *
add_text(const struct rh_value *v, struct rh_buf *out)
{
    struct rh_value open = *v;

    open.marks = 0;
    switch (v->kind) {
    case RH_STRING:
        rh_buf_addn(out, v->u.string, v->count);
        return NULL;
    case RH_UNDEF:
        return "cannot insert nil into text";
    case RH_ARRAY:
        return "cannot insert a list into text";
    case RH_HASH:
        return "cannot insert a hash into text";
    case RH_BINARY:
        return "cannot insert binary data into text";
    default:
        rh_value_show(out, &open, 0);
        return NULL;
    }
}

/* A text that is one "${...}" and nothing else is that value, whatever its type. */
static int
replace_whole(struct rh_load *load, struct rh_value *v, size_t n)
{
    const uint8_t tags = v->marks & (RH_APPEND | RH_REMOVE);
    struct rh_value *found = rh_evaluate(load, v, 2, n);
    struct rh_place place = rh_value_place(v);

    if (!found)
        return -1;
    *v = *found;
    v->marks |= tags;
    rh_value_set_place(v, place);
    return 0;
}

struct mixed {
    struct rh_buf out;
    bool secret, unknown, invalid;
};

/* The expression at [at, at + n), which is a part of the text. */
static int
replace_part(struct rh_load *load, const struct rh_value *v, size_t at, size_t n, struct mixed *m)
{
    const struct rh_value *found = rh_evaluate(load, v, at, n);
    const char *trouble;

    if (!found)
        return -1;
    m->secret |= rh_value_sensitive(found);
    if (found->kind == RH_UNKNOWN) {
        m->unknown = true;
        m->invalid |= (found->marks & RH_INVALID) != 0;
        return 0;
    }
    trouble = add_text(found, &m->out);
    if (!trouble)
        return 0;
    return refuse(
        load, v, at,
        found->kind == RH_UNDEF ? "default(VALUE, OTHER) gives another value when it is nil"
        : found->kind == RH_ARRAY
            ? "join(LIST, \", \") makes text of it, or write the expression alone as the whole value"
            : "write the expression alone as the whole value",
        trouble);
}

static const char *
missing_end_hint(const struct rh_load *load, const struct rh_value *v, const char *from, const char *end)
{
    const char *cut = rh_cut_hint(load, v);

    if (cut)
        return cut;
    return memchr(from, '}', (size_t)(end - from))
               ? "quotes and braces in an expression are closed before its '}'; a literal '${' is "
                 "written '$${'"
               : "close the expression with '}'; a literal '${' is written '$${'";
}

static int
replace_parts(struct rh_load *load, struct rh_value *v, struct mixed *m)
{
    const char *start = v->u.string, *s = start, *end = s + v->count, *from;
    bool any = false;

    while ((from = find_opening(s, end))) {
        size_t at = (size_t)(from - start) + 2, n;

        if (from > s && from[-1] == '$') { /* "$${" */
            rh_buf_addn(&m->out, s, (size_t)(from - 1 - s));
            rh_buf_add(&m->out, "${");
            s = from + 2;
            continue;
        }
        n = rh_script_expression_end(start + at, (size_t)(end - start) - at);
        if (n == SIZE_MAX)
            return refuse(load, v, at - 2, missing_end_hint(load, v, start + at - 2, end),
                          "missing '}' after '${'");
        if (from == start && at + n + 1 == v->count)
            return replace_whole(load, v, n);
        rh_buf_addn(&m->out, s, (size_t)(from - s));
        if (replace_part(load, v, at, n, m) < 0 || rh_budget_check_text(load, v, m->out.n) < 0)
            return -1;
        s = start + at + n + 1;
        any = true;
    }
    rh_buf_addn(&m->out, s, (size_t)(end - s));
    v->u.string = rh_arena_strndup(load->catalog->arena, rh_buf_text(&m->out), m->out.n);
    v->count = (uint32_t)m->out.n;
    if (any)
        v->marks &= (uint8_t)~RH_PLAIN;
    if (m->secret)
        v->marks |= RH_SENSITIVE;
    if (m->unknown) {
        v->kind = RH_UNKNOWN;
        v->count = 0;
        v->u.deferred = NULL;
    }
    if (m->invalid)
        v->marks |= RH_INVALID;
    return 0;
}

static int
substitute_text(struct rh_load *load, struct rh_value *v)
{
    struct rh_use *outer = rh_uses_begin(load);
    const struct rh_value source = *v;
    struct mixed m = { 0 };
    int rc = replace_parts(load, v, &m);

    if (rc == 0 && v->kind == RH_UNKNOWN && !(v->marks & RH_INVALID))
        rh_later_defer(load, v, &source, RH_LATER_TEXT);
    rh_uses_end(load, outer);
    if (m.secret && m.out.s)
        explicit_bzero(m.out.s, m.out.cap);
    rh_buf_clear(&m.out);
    return rc < 0 ? give_up(v) : 0;
}

int
rh_substitute(struct rh_load *load, struct rh_value *v)
{
    int rc = 0;

    if (v->kind == RH_STRING)
        return rh_has_expression(v) ? substitute_text(load, v) : 0;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_substitute(load, rh_draft_part(v, i)) < 0)
            rc = -1;
    return rc;
}
