/* SPDX-License-Identifier: Apache-2.0 */
/* lay - a unit's values, evaluated and merged, into the node. */
#include "config.h"

#include "manifest/data/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/attribute/attributes.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <stdint.h>
#include <string.h>

/* Whether nothing of what more general files say is left, whatever it is. */
static bool
replaces(const struct rh_data_unit *unit, const struct rh_value *v)
{
    if (unit->merge == RH_DATA_FIRST)
        return true;
    if (unit->merge == RH_DATA_UNIQUE || unit->merge == RH_DATA_HASH || v->kind == RH_HASH
        || v->kind == RH_UNKNOWN || (rh_has_expression(v) && rh_is_one_expression(v)))
        return false;
    return unit->merge == RH_DATA_TABLES || v->kind != RH_ARRAY;
}

size_t
rh_data_counts(const struct rh_data_unit *unit)
{
    for (size_t i = 0; i < unit->n; i++)
        if (replaces(unit, unit->v[i]))
            return i + 1;
    return unit->n;
}

/* What is overridden whatever it is stays as it was written. */
static void
read_value(struct rh_load *load, const struct rh_data_unit *unit, struct rh_value *v, bool counts)
{
    if (counts) {
        rh_attributes_read_value(load, unit->path, v);
        return;
    }
    rh_attributes_hide(load, unit->path, v);
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
}

/* The value at the end of a path of keys, as a table. */
static const struct rh_value *
wrap(struct rh_arena *a, const struct rh_value *path, const struct rh_value *v)
{
    struct rh_place place = rh_value_place(v);

    for (size_t k = rh_value_count(path); k-- > 0;) {
        const struct rh_entry outer = { rh_value_at(path, k)->u.string, v };
        struct rh_value *table = rh_value_hash_of(a, &outer, NULL, 1);

        rh_value_set_place(table, place);
        v = table;
    }
    return v;
}

static const struct rh_value *
longer(struct rh_arena *a, const struct rh_value *path, const struct rh_value *key)
{
    struct rh_value *inner = rh_value_copy(a, path);

    rh_value_append(inner, key);
    return inner;
}

static struct rh_node_edit
begin(struct rh_load *load, const struct rh_data_unit *unit, const struct rh_value *v)
{
    return rh_node_edit_begin(load->attributes.node, RH_LEVEL_NORMAL, rh_data_merge_name(unit->merge),
                              unit->merge == RH_DATA_TABLES ? NULL : unit->path, rh_value_place(v));
}

/* first, hash: more general values come before. */

static void
lay_keys(struct rh_load *load, const struct rh_data_unit *unit, const struct rh_value *v, bool first)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_node_edit edit = begin(load, unit, v);

    if (v->kind != RH_HASH && v->kind != RH_UNKNOWN) {
        rh_complain(load->complaints, rh_value_place(v), "for other values there are first, unique and deep",
                    "the merge strategy 'hash' needs a hash, not %s", rh_kind_name(v->kind));
        return;
    }
    if (first || v->kind == RH_UNKNOWN) {
        rh_node_edit_put(&edit, unit->path, v);
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        rh_node_edit_put(&edit, longer(a, unit->path, rh_value_string(a, e->key)), e->value);
    }
}

/* deep. */

static bool
is_prefix(const struct rh_value *prefix, const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && v->count == prefix->count
           && memcmp(v->u.string, prefix->u.string, v->count) == 0;
}

/* What the element takes away, as text; NULL when it is an element as any. */
static const char *
knocked(const struct rh_value *prefix, const struct rh_value *v)
{
    if (!rh_value_is(v, RH_STRING) || v->count <= prefix->count
        || memcmp(v->u.string, prefix->u.string, prefix->count) != 0)
        return NULL;
    return v->u.string + prefix->count;
}

static bool
is_called(const struct rh_value *v, const char *text)
{
    rh_autobuf struct rh_buf shown = { 0 };

    if (rh_value_is(v, RH_STRING))
        return strcmp(v->u.string, text) == 0;
    if (v->kind != RH_INTEGER)
        return false;
    rh_buf_addf(&shown, "%lld", (long long)v->u.integer);
    return strcmp(rh_buf_text(&shown), text) == 0;
}

/* Removes from the list at the path what the elements of `v` with the prefix name, and returns the others. */
static const struct rh_value *
knock_elements(struct rh_load *load, const struct rh_node_edit *edit, const struct rh_value *prefix,
               const struct rh_value *path, const struct rh_value *v)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *left = rh_value_new(a, RH_ARRAY);

    rh_value_set_place(left, rh_value_place(v));
    left->marks = v->marks;
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_value *one = rh_value_at(v, i);
        const char *name = knocked(prefix, one);
        const struct rh_value *there = rh_node_edit_read(edit, path);

        if (is_prefix(prefix, one)) {
            rh_node_edit_put(edit, path, rh_value_new(a, RH_ARRAY));
        } else if (!name) {
            rh_value_append(left, one);
        } else {
            for (size_t k = rh_value_is(there, RH_ARRAY) ? there->count : 0; k-- > 0;)
                if (is_called(rh_value_at(there, k), name))
                    rh_node_edit_remove(edit, longer(a, path, rh_value_integer(a, (int64_t)k)));
        }
    }
    return left;
}

/* The value without what only removes; NULL when nothing is left of it. */
static const struct rh_value *
knock_out(struct rh_load *load, const struct rh_node_edit *edit, const struct rh_value *prefix,
          const struct rh_value *path, const struct rh_value *v)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *left;

    if (is_prefix(prefix, v)) {
        rh_node_edit_remove(edit, path);
        return NULL;
    }
    if (v->kind == RH_ARRAY)
        return knock_elements(load, edit, prefix, path, v);
    if (v->kind != RH_HASH)
        return v;
    left = rh_value_hash(a, v->count);
    rh_value_set_place(left, rh_value_place(v));
    left->marks = v->marks;
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        const struct rh_value *inner =
            knock_out(load, edit, prefix, longer(a, path, rh_value_string(a, e->key)), e->value);

        if (inner)
            rh_value_put_ref(left, e->key, inner);
    }
    return left;
}

static void
lay_deep(struct rh_load *load, const struct rh_data_unit *unit, const struct rh_value *v)
{
    struct rh_node_edit edit = begin(load, unit, v);

    if (unit->knockout)
        v = knock_out(load, &edit, unit->knockout, unit->path, v);
    if (v)
        rh_node_edit_merge(&edit, wrap(load->catalog->arena, unit->path, v), false);
}

/* unique: more specific values come before. */

static bool
has(const struct rh_value *list, const struct rh_value *v)
{
    for (size_t i = 0; i < rh_value_count(list); i++)
        if (rh_value_equal(rh_value_at(list, i), v))
            return true;
    return false;
}

/* Adds what is new, of lists within lists as well. */
static void
flatten(struct rh_value *all, struct rh_value *fresh, const struct rh_value *v)
{
    if (v->kind != RH_ARRAY) {
        if (!has(all, v)) {
            rh_value_append(all, v);
            rh_value_append(fresh, v);
        }
        return;
    }
    for (size_t i = 0; i < v->count; i++)
        flatten(all, fresh, rh_value_at(v, i));
}

static void
lay_unique(struct rh_load *load, const struct rh_data_unit *unit, struct rh_value *all,
           const struct rh_value *v, bool first)
{
    struct rh_value *fresh = rh_value_new(load->catalog->arena, RH_ARRAY);
    struct rh_node_edit edit = begin(load, unit, v);

    rh_value_set_place(fresh, rh_value_place(v));
    if (v->kind == RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v), "for hashes there are hash and deep",
                    "the merge strategy 'unique' needs a list or a single value, not a hash");
        return;
    }
    if (v->kind == RH_UNKNOWN || (unit->n == 1 && v->kind != RH_ARRAY)) {
        rh_node_edit_put(&edit, unit->path, v);
        return;
    }
    flatten(all, fresh, v);
    if (first)
        rh_node_edit_put(&edit, unit->path, fresh);
    for (size_t i = 0; !first && i < fresh->count; i++)
        rh_node_edit_append(&edit, unit->path, rh_value_at(fresh, i));
}

static void
lay_one(struct rh_load *load, const struct rh_data_unit *unit, size_t i, struct rh_value *all)
{
    const struct rh_value *v = unit->v[i];
    struct rh_node_edit edit;

    switch (unit->merge) {
    case RH_DATA_TABLES:
        edit = begin(load, unit, v);
        rh_node_edit_merge(&edit, wrap(load->catalog->arena, unit->path, v), true);
        break;
    case RH_DATA_FIRST:
        edit = begin(load, unit, v);
        rh_node_edit_put(&edit, unit->path, v);
        break;
    case RH_DATA_HASH:
        lay_keys(load, unit, v, i + 1 == unit->n);
        break;
    case RH_DATA_DEEP:
        lay_deep(load, unit, v);
        break;
    case RH_DATA_UNIQUE:
        lay_unique(load, unit, all, v, i == 0);
        break;
    }
}

void
rh_data_lay(struct rh_load *load, struct rh_data_unit *unit)
{
    struct rh_value *all = rh_value_new(load->catalog->arena, RH_ARRAY);
    size_t counts = rh_data_counts(unit);

    for (size_t k = 0; k < unit->n; k++) {
        size_t i = unit->merge == RH_DATA_UNIQUE ? k : unit->n - 1 - k;

        read_value(load, unit, unit->v[i], i < counts);
        lay_one(load, unit, i, all);
    }
}
