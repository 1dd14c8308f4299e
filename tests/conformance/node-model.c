/* SPDX-License-Identifier: Apache-2.0 */
/* node-model - attributes as simple as can be: nothing is kept, everything is merged each time. */
#include "config.h"

#include "node-model.h"

#include "base/arena.h"
#include "base/value.h"
#include "node/level.h"
#include "node/merge.h"
#include "node/same.h"

#include <string.h>

enum kind { SCALAR, TABLE, LIST };

struct item {
    const struct rh_value *key; /* a string or an integer; NULL in lists */
    struct datum *value;
};

struct datum {
    enum kind kind;
    const struct rh_value *scalar;
    struct item *items;
    size_t n, cap;
};

static struct datum *
make(struct rh_arena *a, enum kind kind)
{
    struct datum *d = rh_arena_alloc(a, sizeof *d);

    d->kind = kind;
    return d;
}

static void
add(struct rh_arena *a, struct datum *d, const struct rh_value *key, struct datum *value)
{
    if (d->n == d->cap) {
        struct item *grown = rh_arena_alloc(a, (d->cap = d->cap * 2 + 4) * sizeof *grown);

        if (d->n)
            memcpy(grown, d->items, d->n * sizeof *grown);
        d->items = grown;
    }
    d->items[d->n++] = (struct item){ key, value };
}

static struct datum *
from(struct rh_arena *a, const struct rh_value *v)
{
    struct datum *d = make(a, rh_value_is(v, RH_HASH) ? TABLE : rh_value_is(v, RH_ARRAY) ? LIST : SCALAR);

    d->scalar = v ? v : rh_value_new(a, RH_UNDEF);
    for (size_t i = 0; d->kind == LIST && i < rh_value_count(v); i++)
        add(a, d, NULL, from(a, rh_value_at(v, i)));
    for (size_t i = 0; d->kind == TABLE && i < rh_value_count(v); i++)
        add(a, d, rh_value_string(a, rh_value_entry(v, i)->key), from(a, rh_value_entry(v, i)->value));
    return d;
}

static struct rh_value *
to(struct rh_arena *a, const struct datum *d)
{
    struct rh_value *v = rh_value_new(a, d->kind == LIST ? RH_ARRAY : RH_MAP);

    if (d->kind == SCALAR)
        return rh_value_copy(a, d->scalar);
    for (size_t i = 0; i < d->n; i++) {
        if (d->kind == TABLE)
            rh_value_append(v, (struct rh_value *)(void *)d->items[i].key);
        rh_value_append(v, to(a, d->items[i].value));
    }
    return v;
}

/* Where in it a key stands; `n` when nowhere. */
static size_t
at(const struct datum *d, const struct rh_value *key)
{
    if (d->kind == LIST && key->kind == RH_INTEGER) {
        int64_t i = key->u.integer < 0 ? key->u.integer + (int64_t)d->n : key->u.integer;

        return i >= 0 && (size_t)i < d->n ? (size_t)i : d->n;
    }
    for (size_t i = 0; d->kind == TABLE && i < d->n; i++)
        if (rh_value_same(d->items[i].key, key))
            return i;
    return d->n;
}

static struct datum *
child(const struct datum *d, const struct rh_value *key)
{
    size_t i = d->kind == SCALAR ? 0 : at(d, key);

    return d->kind != SCALAR && i < d->n ? d->items[i].value : NULL;
}

static struct datum *
find(struct datum *d, const struct rh_value *path, size_t n)
{
    for (size_t i = 0; d && i < n; i++)
        d = child(d, rh_value_at(path, i));
    return d;
}

static bool
has(struct rh_arena *a, const struct datum *list, const struct datum *d)
{
    for (size_t i = 0; i < list->n; i++)
        if (rh_value_same(to(a, list->items[i].value), to(a, d)))
            return true;
    return false;
}

static struct datum *
merge(struct rh_arena *a, struct datum *low, struct datum *high, bool join)
{
    struct datum *d;

    if (!low || !high)
        return low ? low : high;
    if (low->kind != high->kind || low->kind == SCALAR || (low->kind == LIST && !join))
        return high;
    d = make(a, low->kind);
    if (low->kind == LIST) {
        for (size_t i = 0; i < low->n + high->n; i++) {
            struct datum *x = i < low->n ? low->items[i].value : high->items[i - low->n].value;

            if (!has(a, d, x))
                add(a, d, NULL, x);
        }
        return d;
    }
    for (size_t i = 0; i < low->n; i++)
        add(a, d, low->items[i].key, merge(a, low->items[i].value, child(high, low->items[i].key), join));
    for (size_t i = 0; i < high->n; i++)
        if (!child(low, high->items[i].key))
            add(a, d, high->items[i].key, high->items[i].value);
    return d;
}

static struct datum *
view(const struct node_model *m, unsigned bits)
{
    struct datum *all = NULL;

    for (int p = 0; p < RH_PRECEDENCES; p++) {
        struct datum *part = NULL;

        for (int i = 0; i < RH_LEVELS; i++)
            if (bits & rh_precedence_bits((enum rh_precedence)p) & RH_LEVEL_BIT(i))
                part = merge(m->arena, part, m->levels[i], true);
        all = merge(m->arena, all, part, false);
    }
    return all;
}

static void
put(struct rh_arena *a, struct datum *d, const struct rh_value *key, struct datum *value)
{
    size_t i = at(d, key);

    if (d->kind == TABLE && i == d->n)
        add(a, d, key, NULL);
    while (d->kind == LIST && (int64_t)d->n <= key->u.integer)
        add(a, d, NULL, from(a, NULL));
    d->items[at(d, key)].value = value;
}

static bool
takes(const struct datum *d, const struct rh_value *key)
{
    return d->kind == TABLE || (d->kind == LIST && key->kind == RH_INTEGER);
}

static struct datum *
copy(struct rh_arena *a, const struct datum *d)
{
    struct datum *c = make(a, d->kind);

    c->scalar = d->scalar;
    for (size_t i = 0; i < d->n; i++)
        add(a, c, d->items[i].key, copy(a, d->items[i].value));
    return c;
}

enum how { CHAIN, STRICT, REPLACE };

static enum rh_node_fault
write_to(struct node_model *m, int level, const struct rh_value *path, struct datum *value, enum how how)
{
    enum rh_node_fault fault = how == STRICT ? RH_NODE_TYPE_MISMATCH : RH_NODE_NOT_CONTAINER;
    struct datum *root = copy(m->arena, m->levels[level]), *d = root, *above = NULL, *next;
    size_t n = rh_value_count(path);

    for (size_t i = 0; i < n; i++, above = d, d = next) {
        const struct rh_value *key = rh_value_at(path, i);

        if (!takes(d, key)) {
            if (how != REPLACE)
                return fault;
            put(m->arena, above, rh_value_at(path, i - 1), d = make(m->arena, TABLE));
        }
        if (d->kind == LIST && key->u.integer + (int64_t)d->n < 0)
            return RH_NODE_ARGUMENT;
        next = child(d, key);
        if (i + 1 == n) {
            put(m->arena, d, key, value);
        } else if (!next) {
            if (d->kind == LIST && how != REPLACE)
                return fault;
            put(m->arena, d, key, next = make(m->arena, TABLE));
        }
    }
    m->levels[level] = root;
    return RH_NODE_OK;
}

static void
remove_from(struct node_model *m, int level, const struct rh_value *path, bool tables_only)
{
    size_t n = rh_value_count(path) - 1, i;
    struct datum *root = copy(m->arena, m->levels[level]), *d = find(root, path, n);

    if (!d || d->kind == SCALAR || (tables_only && d->kind != TABLE))
        return;
    i = at(d, rh_value_at(path, n));
    if (i == d->n)
        return;
    memmove(&d->items[i], &d->items[i + 1], (d->n - i - 1) * sizeof d->items[0]);
    d->n--;
    m->levels[level] = root;
}

/* rm on some components: `seen` are those that are looked at together first. */
static struct datum *
rm(struct node_model *m, unsigned seen, unsigned bits, const struct rh_value *path, bool must_show)
{
    struct datum *all = view(m, seen), *parent = find(all, path, rh_value_count(path) - 1);
    bool shows = parent && parent->kind == TABLE;

    for (int i = 0; i < RH_LEVELS; i++)
        if (bits & RH_LEVEL_BIT(i) && (shows || !must_show))
            remove_from(m, i, path, true);
    return shows ? find(all, path, rh_value_count(path)) : NULL;
}

static enum rh_node_fault
set_fully(struct node_model *m, int level, const struct rh_value *path, struct datum *value)
{
    unsigned whole = rh_precedence_bits(rh_level_precedence((enum rh_node_level)level));
    struct datum *before = m->levels[level];

    (void)rm(m, whole, whole & (RH_LEVEL_BIT(level) - 1), path, m->parent_must_show);
    m->levels[level] = before;
    return write_to(m, level, path, value, REPLACE);
}

void
model_init(struct node_model *m, struct rh_arena *a)
{
    *m = (struct node_model){ .arena = a };
    for (int i = 0; i < RH_LEVELS; i++)
        m->levels[i] = make(a, TABLE);
}

const struct rh_value *
model_read(const struct node_model *m, const char *name, const struct rh_value *path)
{
    struct datum *d = find(view(m, rh_view_bits(name)), path, rh_value_count(path));

    return d ? rh_value_for_json(m->arena, to(m->arena, d)) : NULL;
}

static bool
is(const char *op, const char *name)
{
    return strcmp(op, name) == 0;
}

static enum rh_node_fault
unlink_at(struct node_model *m, int level, const struct rh_value *path, bool strictly, struct datum **returns)
{
    *returns = find(m->levels[level], path, rh_value_count(path));
    if (!*returns && strictly)
        return RH_NODE_NO_SUCH_ATTRIBUTE;
    remove_from(m, level, path, false);
    return RH_NODE_OK;
}

static enum rh_node_fault
operate(struct node_model *m, const struct rh_value *o, const char *op, struct datum **returns)
{
    const struct rh_value *path = rh_value_get(o, "path"), *v = rh_value_get(o, "value");
    int level = rh_node_level_find(rh_value_get_str(o, "level", ""));
    struct datum *value = v ? from(m->arena, v) : NULL, *there;
    size_t n = rh_value_count(path);
    enum rh_precedence p;

    *returns = value;
    if (is(op, "set"))
        return write_to(m, level, path, value, CHAIN);
    if (is(op, "write"))
        return write_to(m, level, path, value, REPLACE);
    if (is(op, "write!"))
        return write_to(m, level, path, value, STRICT);
    if (is(op, "set!"))
        return set_fully(m, level, path, value);
    if (is(op, "set_level")) {
        m->levels[level] = value;
    } else if (is(op, "set_unless")) {
        there = find(m->levels[level], path, n);
        if (!there || (there->kind == SCALAR && there->scalar->kind == RH_UNDEF))
            return write_to(m, level, path, value, REPLACE);
        *returns = there;
    } else if (is(op, "append")) {
        there = find(m->levels[level], path, n);
        *returns = NULL;
        if (!there || there->kind != LIST)
            return RH_NODE_NOT_CONTAINER;
        *returns = copy(m->arena, there);
        add(m->arena, *returns, NULL, value);
        return write_to(m, level, path, *returns, REPLACE);
    } else if (is(op, "merge")) {
        m->levels[level] = merge(m->arena, m->levels[level], value, true);
        *returns = NULL;
    } else if (is(op, "consume_json")) {
        m->levels[RH_LEVEL_NORMAL] = merge(m->arena, m->levels[RH_LEVEL_NORMAL], value, true);
        *returns = NULL;
    } else if (is(op, "reset")) {
        m->levels[RH_LEVEL_DEFAULT] = make(m->arena, TABLE);
        m->levels[RH_LEVEL_OVERRIDE] = make(m->arena, TABLE);
    } else if (is(op, "rm")) {
        *returns = rm(m, RH_ALL_LEVELS, RH_ALL_LEVELS & ~RH_LEVEL_BIT(RH_LEVEL_AUTOMATIC), path,
                      m->parent_must_show);
    } else if (is(op, "rm_level")) {
        p = rh_level_precedence((enum rh_node_level)level);
        if (p == RH_OF_NORMAL)
            return unlink_at(m, level, path, false, returns);
        *returns = rm(m, rh_precedence_bits(p), rh_precedence_bits(p), path, true);
    } else if (is(op, "unlink") || is(op, "unlink!")) {
        return unlink_at(m, level, path, is(op, "unlink!"), returns);
    } else {
        *returns = find(view(m, RH_ALL_LEVELS), path, is(op, "has_key") ? 1 : n);
        if (is(op, "read!") && !*returns)
            return RH_NODE_NO_SUCH_ATTRIBUTE;
        if (is(op, "exist") || is(op, "has_key"))
            *returns = from(m->arena, rh_value_boolean(m->arena, *returns != NULL));
    }
    return RH_NODE_OK;
}

bool
model_operate(struct node_model *m, const struct rh_value *op, enum rh_node_fault *fault,
              const struct rh_value **returns)
{
    static const char *const known[] = {
        "append",    "consume_json", "exist",  "has_key",  "merge", "read",
        "read!",     "reset",        "rm",     "rm_level", "set",   "set!",
        "set_level", "set_unless",   "unlink", "unlink!",  "write", "write!",
    };
    const char *name = rh_value_get_str(op, "op", "");
    struct datum *d = NULL;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is(name, known[i])) {
            *fault = operate(m, op, name, &d);
            *returns = d && *fault == RH_NODE_OK ? rh_value_for_json(m->arena, to(m->arena, d)) : NULL;
            return true;
        }
    return false;
}
