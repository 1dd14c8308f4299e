/* SPDX-License-Identifier: Apache-2.0 */
/* cell - what components are made of: a tree that changes, beside values, which don't. */
#include "config.h"

#include "node/cell.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "node/path.h"

#include <string.h>

struct rh_value *
rh_table_value(struct rh_arena *a, const struct rh_key *keys, const struct rh_value *const *values, size_t n)
{
    bool texts = true;
    struct rh_value *v;

    for (size_t i = 0; i < n; i++)
        texts &= keys[i].text != NULL;
    v = texts ? rh_value_hash(a, n) : rh_value_new(a, RH_MAP);
    for (size_t i = 0; i < n; i++) {
        if (texts) {
            rh_value_add_ref(v, keys[i].text, values[i]);
            continue;
        }
        rh_value_append(v, keys[i].text ? rh_value_string(a, keys[i].text)
                                        : rh_value_integer(a, keys[i].number));
        rh_value_append(v, values[i]);
    }
    return v;
}

/* A map whose keys are all texts and integers; others are a scalar to us. */
static bool
is_table_map(const struct rh_value *v)
{
    if (v->kind != RH_MAP || v->count % 2)
        return false;
    for (uint32_t i = 0; i < v->count; i += 2) {
        const struct rh_value *key = rh_value_at(v, i);

        if (key->kind != RH_INTEGER && !(key->kind == RH_STRING && strlen(key->u.string) == key->count))
            return false;
    }
    return true;
}

bool
rh_value_is_table(const struct rh_value *v)
{
    return v && (v->kind == RH_HASH || is_table_map(v));
}

static struct rh_value *adopt(struct rh_arena *a, const struct rh_value *v, unsigned marks);

static struct rh_key
map_key(const struct rh_value *key)
{
    return key->kind == RH_STRING ? (struct rh_key){ key->u.string, 0 }
                                  : (struct rh_key){ NULL, key->u.integer };
}

/* A key that is there twice has what came last. */
static struct rh_value *
adopt_map(struct rh_arena *a, const struct rh_value *v, unsigned marks)
{
    rh_autofree struct rh_key *keys = rh_xalloc(rh_xmul(v->count, sizeof *keys));
    rh_autofree const struct rh_value **values = rh_xalloc(rh_xmul(v->count, sizeof *values));
    const struct rh_key_slot *s;
    struct rh_keys table = { 0 };
    size_t n = 0;

    for (uint32_t i = 0; i < v->count; i += 2)
        rh_keys_put(&table, a, map_key(rh_value_at(v, i)), adopt(a, rh_value_at(v, i + 1), marks));
    for (uint32_t i = 0; (s = rh_keys_next(&table, &i)); n++) {
        keys[n] = s->key;
        values[n] = s->value;
    }
    return rh_table_value(a, keys, values, n);
}

static struct rh_value *
adopt(struct rh_arena *a, const struct rh_value *v, unsigned marks)
{
    struct rh_value *copy;

    marks |= v->marks & RH_SENSITIVE;
    if (v->kind == RH_HASH) {
        copy = rh_value_hash(a, v->count);
        for (uint32_t i = 0; i < v->count; i++)
            rh_value_add_ref(copy, rh_arena_strdup(a, v->u.entries[i].key),
                             adopt(a, v->u.entries[i].value, marks));
    } else if (v->kind == RH_ARRAY) {
        copy = rh_value_new(a, RH_ARRAY);
        for (uint32_t i = 0; i < v->count; i++)
            rh_value_append(copy, adopt(a, v->u.items[i], marks));
    } else if (is_table_map(v)) {
        copy = adopt_map(a, v, marks);
    } else {
        copy = rh_value_copy(a, v);
    }
    copy->marks = v->marks | (uint8_t)marks;
    if (copy->marks & RH_SENSITIVE || copy->kind == RH_WRAPPED)
        rh_arena_keep_secret(a);
    rh_value_set_place(copy, rh_value_place(v));
    return copy;
}

struct rh_value *
rh_cell_adopt(struct rh_arena *a, const struct rh_value *v)
{
    return v ? adopt(a, v, 0) : rh_value_new(a, RH_UNDEF);
}

static size_t
depth(const struct rh_value *v, size_t room)
{
    size_t most = 0;

    if (room == 0)
        return 1;
    for (size_t i = 0; i < rh_value_count(v); i++) {
        size_t d = depth(rh_value_part(v, i), room - 1);

        if (d > most)
            most = d;
    }
    return most + 1;
}

size_t
rh_value_depth(const struct rh_value *v)
{
    return depth(v, RH_VALUE_DEEPEST);
}

static struct rh_cell *
new_cell(struct rh_arena *a, enum rh_cell_kind kind, uint32_t step)
{
    static const size_t sizes[] = { sizeof(struct rh_cell), sizeof(struct rh_table_cell),
                                    sizeof(struct rh_list_cell) };
    struct rh_cell *c = rh_arena_alloc(a, sizes[kind]);

    c->kind = (uint8_t)kind;
    c->step = step;
    return c;
}

struct rh_cell *
rh_cell_table(struct rh_arena *a, uint32_t step)
{
    struct rh_cell *c = new_cell(a, RH_CELL_TABLE, step);

    c->by_the_way = true;
    return c;
}

void
rh_list_add(struct rh_arena *a, struct rh_cell *list, struct rh_cell *item)
{
    struct rh_list_cell *l = rh_cell_edit_list(list);

    if (l->n == l->cap) {
        struct rh_cell **v;

        l->cap = l->cap ? l->cap * 2 : 4;
        v = rh_arena_room(a, l->cap * sizeof(struct rh_cell *));
        if (l->n)
            memcpy(v, l->v, l->n * sizeof(struct rh_cell *));
        l->v = v;
    }
    l->v[l->n++] = item;
    list->shown = NULL;
}

struct rh_cell *
rh_cell_build(struct rh_arena *a, const struct rh_value *v, uint32_t step)
{
    struct rh_cell *c;

    if (v->kind == RH_HASH) {
        c = new_cell(a, RH_CELL_TABLE, step);
        for (uint32_t i = 0; i < v->count; i++)
            rh_keys_put(rh_cell_edit_keys(c), a, (struct rh_key){ v->u.entries[i].key, 0 },
                        rh_cell_build(a, v->u.entries[i].value, step));
    } else if (is_table_map(v)) {
        c = new_cell(a, RH_CELL_TABLE, step);
        for (uint32_t i = 0; i < v->count; i += 2)
            rh_keys_put(rh_cell_edit_keys(c), a, map_key(rh_value_at(v, i)),
                        rh_cell_build(a, rh_value_at(v, i + 1), step));
    } else if (v->kind == RH_ARRAY) {
        c = new_cell(a, RH_CELL_LIST, step);
        for (uint32_t i = 0; i < v->count; i++)
            rh_list_add(a, c, rh_cell_build(a, v->u.items[i], step));
    } else {
        c = new_cell(a, RH_CELL_LEAF, step);
    }
    c->marks = v->marks;
    c->place = rh_value_place(v);
    c->shown = v;
    return c;
}

static struct rh_value *
show_table(struct rh_arena *a, const struct rh_keys *k)
{
    rh_autofree struct rh_key *keys = rh_xalloc(rh_xmul(k->live, sizeof *keys));
    rh_autofree const struct rh_value **values = rh_xalloc(rh_xmul(k->live, sizeof *values));
    const struct rh_key_slot *s;
    size_t n = 0;

    for (uint32_t i = 0; (s = rh_keys_next(k, &i)); n++) {
        keys[n] = s->key;
        values[n] = rh_cell_show(a, s->value);
    }
    return rh_table_value(a, keys, values, n);
}

const struct rh_value *
rh_cell_show(struct rh_arena *a, struct rh_cell *c)
{
    struct rh_value *v;

    if (c->shown)
        return c->shown;
    if (c->kind == RH_CELL_TABLE) {
        v = show_table(a, rh_cell_keys(c));
    } else {
        const struct rh_list_cell *l = rh_cell_list(c);

        v = rh_value_array_of(a, NULL, 0);
        for (uint32_t i = 0; i < l->n; i++)
            rh_value_append(v, rh_cell_show(a, l->v[i]));
    }
    v->marks = c->marks;
    rh_value_set_place(v, c->place);
    c->shown = v;
    return v;
}

bool
rh_cell_takes(const struct rh_cell *c, struct rh_key key)
{
    return c->kind == RH_CELL_TABLE || (c->kind == RH_CELL_LIST && !key.text);
}

bool
rh_list_position(const struct rh_cell *list, int64_t position, uint32_t *i)
{
    uint32_t n = rh_cell_list(list)->n;

    if (position < 0)
        position += n;
    if (position < 0 || position >= n)
        return false;
    *i = (uint32_t)position;
    return true;
}

struct rh_cell *
rh_cell_child(const struct rh_cell *c, struct rh_key key)
{
    uint32_t i;

    if (c->kind == RH_CELL_TABLE)
        return rh_keys_get(rh_cell_keys(c), key);
    if (c->kind == RH_CELL_LIST && !key.text && rh_list_position(c, key.number, &i))
        return rh_cell_list(c)->v[i];
    return NULL;
}
