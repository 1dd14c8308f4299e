/* SPDX-License-Identifier: Apache-2.0 */
/* parse-params - what stands in the brackets behind the types of everyday: bounds, words, other
 * types. */
#include "config.h"

#include "datatype/parse.h"

#include "datatype/normalize.h"

#include "base/alloc.h"
#include "base/arena.h"

#include <float.h>
#include <string.h>

int
rh_call_refuse(const struct rh_type_call *c, const struct rh_param *v, const char *wanted)
{
    return rh_lexer_fail(&c->p->lexer, v->at, "%s takes %s here, not %s", c->name, wanted, v->name);
}

int
rh_call_refuse_bounds(const struct rh_type_call *c, const struct rh_param *v)
{
    return rh_lexer_fail(&c->p->lexer, v->at, "%s has its lower bound %s above its upper bound %s", c->name,
                         v[0].name, v[1].name);
}

static int
need_type(const struct rh_type_call *c, size_t i)
{
    return c->v[i].kind == RH_P_TYPE ? 0 : rh_call_refuse(c, &c->v[i], "a data type");
}

static bool
is_bound(const struct rh_param *v)
{
    return v->kind == RH_P_INTEGER || v->kind == RH_P_DEFAULT
           || (v->kind == RH_P_STRING && strcmp(v->text.s, "default") == 0);
}

static bool
is_integer_type(const struct rh_param *v)
{
    return v->kind == RH_P_TYPE && v->type->kind == RH_T_INTEGER;
}

static int
ordered(const struct rh_type_call *c, size_t from)
{
    if (c->t->range.min <= c->t->range.max)
        return 0;
    return rh_call_refuse_bounds(c, &c->v[from]);
}

/* The bounds from parameter `from` on, as whole numbers; sizes have 0 where values have no end. */
static int
fill_range(struct rh_type_call *c, size_t from, bool size)
{
    size_t n = c->n - from;

    if (size && n == 1 && is_integer_type(&c->v[from])) {
        c->t->range = rh_size(c->v[from].type->range);
        if (c->t->range.max < 0)
            return rh_call_refuse(c, &c->v[from], "a size");
        return 0;
    }
    if (n > 2)
        return rh_call_refuse(c, &c->v[from + 2], "no more than two bounds");
    for (size_t i = from; i < c->n; i++)
        if (!is_bound(&c->v[i]))
            return rh_call_refuse(c, &c->v[i], size ? "a size" : "a whole number or default");
    if (n && c->v[from].kind == RH_P_INTEGER)
        c->t->range.min = c->v[from].integer;
    if (n == 2 && c->v[from + 1].kind == RH_P_INTEGER)
        c->t->range.max = c->v[from + 1].integer;
    if (size)
        c->t->range = rh_size(c->t->range);
    return n == 2 ? ordered(c, from) : 0;
}

/* The size of an Array or Hash. Of an empty one the elements say nothing. */
static int
fill_elements_size(struct rh_type_call *c, size_t from)
{
    if (fill_range(c, from, true) < 0)
        return -1;
    if (c->t->range.max == 0) {
        c->t->count = 0;
        c->t->u.inner[0] = c->t->u.inner[1] = NULL;
    }
    return 0;
}

int
rh_fill_size(struct rh_type_call *c)
{
    return fill_range(c, 0, true);
}

int
rh_fill_integer(struct rh_type_call *c)
{
    return fill_range(c, 0, false);
}

int
rh_fill_float(struct rh_type_call *c)
{
    double bound[2] = { -DBL_MAX, DBL_MAX };

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].kind == RH_P_INTEGER)
            bound[i] = (double)c->v[i].integer;
        else if (c->v[i].kind == RH_P_FLOAT)
            bound[i] = c->v[i].real;
        else if (!is_bound(&c->v[i]))
            return rh_call_refuse(c, &c->v[i], "a number or default");
    }
    if (bound[0] > bound[1])
        return rh_call_refuse_bounds(c, c->v);
    c->t->u.real.min = bound[0];
    c->t->u.real.max = bound[1];
    return 0;
}

int
rh_fill_boolean(struct rh_type_call *c)
{
    if (c->v[0].kind != RH_P_BOOLEAN)
        return rh_call_refuse(c, &c->v[0], "true or false");
    c->t->known = true;
    c->t->u.truth = c->v[0].integer != 0;
    return 0;
}

/* Optional, NotUndef, Sensitive, Type, Iterable. */
int
rh_fill_inner(struct rh_type_call *c)
{
    if (need_type(c, 0) < 0)
        return -1;
    c->t->count = 1;
    c->t->u.inner[0] = c->v[0].type;
    return 0;
}

/* The same with a string allowed in place of the type: Optional['x'] is undef or exactly 'x'. */
int
rh_fill_inner_or_word(struct rh_type_call *c)
{
    struct rh_datatype *literal;

    if (c->v[0].kind != RH_P_STRING)
        return rh_fill_inner(c);
    literal = rh_type_new(rh_call_arena(c), RH_T_STRING);
    literal->u.literal = c->v[0].text;
    c->t->count = 1;
    c->t->u.inner[0] = literal;
    return 0;
}

int
rh_fill_array(struct rh_type_call *c)
{
    bool typed = c->v[0].kind == RH_P_TYPE;

    if (!typed && !is_bound(&c->v[0]))
        return need_type(c, 0);
    if (typed) {
        c->t->count = 1;
        c->t->u.inner[0] = c->v[0].type;
    }
    if (!typed && c->n > 2)
        return rh_call_refuse(c, &c->v[0], "a data type");
    return c->n > typed ? fill_elements_size(c, typed) : 0;
}

int
rh_fill_hash(struct rh_type_call *c)
{
    if (c->n <= 2 && is_bound(&c->v[0]))
        return fill_elements_size(c, 0);
    if (need_type(c, 0) < 0)
        return -1;
    if (c->n < 2)
        return rh_lexer_fail(&c->p->lexer, c->at,
                             "Hash takes a type for its keys and another one "
                             "for its values");
    if (need_type(c, 1) < 0)
        return -1;
    c->t->count = 2;
    c->t->u.inner[0] = c->v[0].type;
    c->t->u.inner[1] = c->v[1].type;
    return c->n > 2 ? fill_elements_size(c, 2) : 0;
}

static int
fill_members(struct rh_type_call *c, size_t n)
{
    const struct rh_datatype **m = rh_arena_alloc(rh_call_arena(c), rh_xmul(n + 1, sizeof(void *)));

    for (size_t i = 0; i < n; i++) {
        if (need_type(c, i) < 0)
            return -1;
        m[i] = c->v[i].type;
    }
    c->t->count = (uint32_t)n;
    c->t->u.members = m;
    return 0;
}

/* One that holds others is as good as all of them side by side. */
int
rh_fill_variant(struct rh_type_call *c)
{
    if (fill_members(c, c->n) < 0)
        return -1;
    *c->t = *rh_variant_of(rh_call_arena(c), c->t->u.members, c->n);
    return 0;
}

int
rh_fill_tuple(struct rh_type_call *c)
{
    size_t bounds = 0;

    while (bounds < 2 && bounds < c->n && is_bound(&c->v[c->n - 1 - bounds]))
        bounds++;
    if (fill_members(c, c->n - bounds) < 0)
        return -1;
    return bounds ? fill_range(c, c->n - bounds, true) : 0;
}

int
rh_fill_enum(struct rh_type_call *c)
{
    size_t n = c->n;
    struct rh_word *words;

    if (c->v[n - 1].kind == RH_P_BOOLEAN) {
        c->t->fold = c->v[--n].integer != 0;
        if (!n)
            return rh_call_refuse(c, &c->v[0], "a word");
    }
    words = rh_arena_alloc(rh_call_arena(c), rh_xmul(n, sizeof *words));
    for (size_t i = 0; i < n; i++) {
        if (c->v[i].kind != RH_P_STRING)
            return rh_call_refuse(c, &c->v[i], "a word or a quoted string");
        words[i] = c->v[i].text;
    }
    rh_type_set_words(c->t, words, n);
    return 0;
}

/* 'name', Optional['name'] or NotUndef['name']. */
static int
struct_key(const struct rh_type_call *c, const struct rh_param *v, struct rh_member *m)
{
    m->presence = RH_KEY_PLAIN;
    if (v->kind == RH_P_STRING) {
        m->key = v->text;
    } else if (v->kind == RH_P_TYPE && (v->type->kind == RH_T_OPTIONAL || v->type->kind == RH_T_NOT_UNDEF)
               && v->type->u.inner[0] && v->type->u.inner[0]->kind == RH_T_STRING
               && v->type->u.inner[0]->u.literal.s) {
        m->key = v->type->u.inner[0]->u.literal;
        m->presence = v->type->kind == RH_T_OPTIONAL ? RH_KEY_OPTIONAL : RH_KEY_REQUIRED;
    } else {
        return rh_call_refuse(c, v, "a key as 'name', Optional['name'] or NotUndef['name']");
    }
    if (!m->key.n)
        return rh_lexer_fail(&c->p->lexer, v->at, "a key of a Struct cannot be empty");
    return 0;
}

int
rh_fill_struct(struct rh_type_call *c)
{
    const struct rh_param *h = &c->v[0];
    struct rh_member *keys;

    if (h->kind != RH_P_HASH)
        return rh_call_refuse(c, h, "keys with their types in braces");
    keys = rh_arena_alloc(rh_call_arena(c), rh_xmul(h->count / 2 + 1, sizeof *keys));
    for (size_t i = 0; i < h->count / 2; i++) {
        const struct rh_param *type = &h->items[2 * i + 1];

        if (struct_key(c, &h->items[2 * i], &keys[i]) < 0)
            return -1;
        if (type->kind != RH_P_TYPE)
            return rh_call_refuse(c, type, "a data type");
        keys[i].type = type->type;
        for (size_t j = 0; j < i; j++)
            if (rh_word_compare(&keys[i].key, &keys[j].key) == 0)
                return rh_lexer_fail(&c->p->lexer, h->items[2 * i].at, "duplicate key '%s'", keys[i].key.s);
    }
    c->t->count = (uint32_t)(h->count / 2);
    c->t->u.keys = keys;
    return 0;
}
