/* SPDX-License-Identifier: Apache-2.0 */
/* join - lists of one precedence are joined: the first one's elements, then those that are new. */
#include "config.h"

#include "node/merge.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "node/cell.h"

#include <string.h>

static const struct rh_value *
map_get(const struct rh_value *map, const struct rh_value *key)
{
    for (uint32_t i = 0; i + 1 < map->count; i += 2)
        if (rh_value_same(map->u.items[i], key))
            return map->u.items[i + 1];
    return NULL;
}

static bool
tables_same(const struct rh_value *a, const struct rh_value *b)
{
    for (uint32_t i = 0; a->kind == RH_HASH && i < a->count; i++) {
        const struct rh_entry *e = &a->u.entries[i];
        const struct rh_value *other = rh_value_get(b, e->key);

        if (!other || !rh_value_same(e->value, other))
            return false;
    }
    for (uint32_t i = 0; a->kind == RH_MAP && i + 1 < a->count; i += 2) {
        const struct rh_value *other = map_get(b, a->u.items[i]);

        if (!other || !rh_value_same(a->u.items[i + 1], other))
            return false;
    }
    return true;
}

bool
rh_value_same(const struct rh_value *a, const struct rh_value *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || (rh_value_count(a) != rh_value_count(b)))
        return false;
    if (a->kind == RH_HASH || a->kind == RH_MAP)
        return tables_same(a, b);
    if (a->kind != RH_ARRAY && a->kind != RH_WRAPPED)
        return rh_value_equal(a, b);
    for (uint32_t i = 0; i < a->count; i++)
        if (!rh_value_same(a->u.items[i], b->u.items[i]))
            return false;
    return true;
}

/* The same for what is the same. */
static uint32_t
hash_of(const struct rh_value *v)
{
    uint32_t h = 2166136261U ^ v->kind;

    if (v->kind == RH_BOOLEAN || v->kind == RH_INTEGER)
        return (uint32_t)(((uint64_t)v->u.integer * UINT64_C(0x9e3779b97f4a7c15)) >> 32) ^ h;
    if (v->kind == RH_FLOAT || v->kind == RH_UNDEF || v->kind == RH_UNKNOWN || v->kind == RH_DEFAULT)
        return v->kind == RH_FLOAT
                   ? h ^ (uint32_t)(int32_t)(v->u.real > -1e9 && v->u.real < 1e9 ? v->u.real : 0)
                   : h;
    if (rh_kind_has_text(v->kind)) {
        for (uint32_t i = 0; i < v->count; i++)
            h = (h ^ (unsigned char)v->u.string[i]) * 16777619U;
        return h;
    }
    h += v->count * 31;
    if (v->kind == RH_HASH) /* in any order */
        for (uint32_t i = 0; i < v->count; i++)
            h += hash_of(v->u.entries[i].value);
    else
        for (uint32_t i = 0; i < v->count; i++)
            h += hash_of(v->u.items[i]);
    return h;
}

/* Elements that are known, by hash. */
struct set {
    const struct rh_value **v;
    uint32_t size;
};

/* Whether it is new. */
static bool
add(struct set *s, const struct rh_value *v)
{
    uint32_t i = hash_of(v) & (s->size - 1);

    for (; s->v[i]; i = (i + 1) & (s->size - 1))
        if (rh_value_same(s->v[i], v))
            return false;
    s->v[i] = v;
    return true;
}

struct rh_cell *
rh_join_cells(struct rh_arena *a, struct rh_cell *const *lists, size_t n)
{
    rh_autofree const struct rh_value **room = NULL;
    struct rh_cell *joined = rh_cell_build(a, rh_value_new(a, RH_ARRAY), lists[n - 1]->step);
    struct set known = { .size = 16 };
    size_t total = 0;

    for (size_t i = 0; i < n; i++) {
        total += rh_cell_list(lists[i])->n;
        joined->marks |= lists[i]->marks;
    }
    while (known.size < total * 2)
        known.size *= 2;
    known.v = room = rh_xalloc(rh_xmul(known.size, sizeof *room));
    for (size_t i = 0; i < n; i++) {
        const struct rh_list_cell *l = rh_cell_list(lists[i]);

        for (uint32_t k = 0; k < l->n; k++)
            if (add(&known, rh_cell_show(a, l->v[k])))
                rh_list_add(a, joined, l->v[k]);
    }
    joined->place = lists[n - 1]->place;
    joined->shown = NULL;
    return joined;
}
