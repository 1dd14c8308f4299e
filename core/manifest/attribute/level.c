/* SPDX-License-Identifier: Apache-2.0 */
/* level - levels of attributes, and what files put into one. */
#include "config.h"

#include "manifest/attribute/attributes.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/message-code.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

void
rh_attributes_suggest_level(struct rh_suggest *s)
{
    for (int i = 0; i < RH_LEVEL_AUTOMATIC; i++)
        rh_suggest_try(s, rh_node_level_name((enum rh_node_level)i));
}

int
rh_attributes_level(struct rh_load *load, const char *name, struct rh_place place)
{
    int level = rh_node_level_find(name);
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    if (level == RH_LEVEL_AUTOMATIC) {
        rh_complain(load->complaints, place,
                    "custom facts come from files in facts.d; the highest level is 'force_override'",
                    "level 'automatic' holds the facts and cannot be set");
        return -1;
    }
    if (level >= 0)
        return level;
    rh_suggest_init(&near, name);
    rh_attributes_suggest_level(&near);
    hint = rh_did_you_mean(
        near.best,
        "write attributes below a level; the levels from low to high: default, env_default, "
        "role_default, force_default, normal, override, role_override, env_override, force_override");
    rh_complain(load->complaints, place, hint, "unknown level '%s'", name);
    return -1;
}

/* Values. */

static bool
has_expression(const struct rh_value *v)
{
    if (v->kind == RH_STRING)
        return memmem(v->u.string, v->count, "${", 2) != NULL;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (has_expression(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i)))
            return true;
    return false;
}

static const struct rh_value *
with_append(const struct rh_value *v)
{
    if (v->marks & (RH_APPEND | RH_REMOVE))
        return v;
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *found =
            with_append(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i));

        if (found)
            return found;
    }
    return NULL;
}

void
rh_attributes_read_value(struct rh_load *load, const struct rh_value *path, struct rh_value *v)
{
    const struct rh_value *bad = with_append(v);
    struct rh_place place = rh_value_place(v);

    if (bad)
        rh_complain(load->complaints, rh_value_place(bad),
                    "a list of operations can append: {op: append, level: ..., path: ..., value: ...}",
                    "'!append' and '!remove' cannot be used in node attributes");
    rh_attributes_hide(load, path, v);
    if (bad || rh_substitute(load, v) < 0) {
        *v = *rh_value_new(load->catalog->arena, RH_UNKNOWN);
        rh_value_set_place(v, place);
        return;
    }
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    rh_attributes_hide(load, path, v);
}

struct laying {
    enum rh_node_level level;
    bool join;
};

/* Levels: what has no expression goes in at once, the rest value by value, so that each sees those
 * above it. `path` is where `table` belongs. */

/* The table that has `v` at the path, which has keys only. */
static struct rh_value *
wrap(struct rh_arena *a, const struct rh_value *path, struct rh_value *v)
{
    struct rh_place place = rh_value_place(v);

    for (size_t k = rh_value_count(path); k-- > 0;) {
        const struct rh_entry outer = { rh_value_at(path, k)->u.string, v };

        v = rh_value_hash_of(a, &outer, NULL, 1);
        rh_value_set_place(v, place);
    }
    return v;
}

static struct rh_value *
wrap_entry(struct rh_arena *a, const struct rh_value *path, const struct rh_value *table, size_t i)
{
    struct rh_place place = rh_value_key_place(table, i);
    struct rh_value *v = rh_value_hash_of(a, rh_value_entry(table, i), &place, 1);

    rh_value_set_place(v, rh_value_place(table));
    return wrap(a, path, v);
}

/* A list becomes what the level has there, and then what is new in it. */
static void
join_lists(struct rh_arena *a, const struct rh_value *there, struct rh_value *v)
{
    struct rh_value *joined;

    for (uint32_t i = 0; v->kind == RH_HASH && i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];

        join_lists(a, rh_value_get(there, e->key), rh_draft_part(v, i));
    }
    if (v->kind != RH_ARRAY || !rh_value_is(there, RH_ARRAY))
        return;
    joined = rh_value_copy(a, there);
    for (uint32_t i = 0; i < v->count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < there->count && !known; k++)
            known = rh_value_equal(rh_value_at(there, k), rh_value_at(v, i));
        if (!known)
            rh_value_append(joined, v->u.items[i]);
    }
    v->u = joined->u;
    v->count = joined->count;
}

static void
merge(struct rh_load *load, const struct laying *l, struct rh_value *table)
{
    if (l->join)
        join_lists(load->catalog->arena, rh_node_view(load->attributes.node, rh_node_level_name(l->level)),
                   table);
    rh_node_merge(load->attributes.node, l->level, table, rh_value_place(table));
}

static void
lay_in_order(struct rh_load *load, const struct laying *l, struct rh_value *path, struct rh_value *table)
{
    struct rh_arena *a = load->catalog->arena;

    for (uint32_t i = 0; i < table->count; i++) {
        struct rh_value *inner = rh_value_copy(a, path), *v = rh_draft_part(table, i);

        rh_value_append(inner, rh_value_string(a, rh_value_entry(table, i)->key));
        if (v->kind == RH_HASH && v->count && has_expression(v)) {
            lay_in_order(load, l, inner, v);
            continue;
        }
        rh_attributes_read_value(load, inner, v);
        merge(load, l, wrap_entry(a, path, table, i));
    }
}

void
rh_attributes_lay(struct rh_load *load, enum rh_node_level level, struct rh_value *table, const char *what,
                  bool join)
{
    const struct laying l = { level, join };

    if (table->kind == RH_UNKNOWN || rh_scalar_is_null(table))
        return;
    if (table->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(table), NULL,
                    "'%s' must be a hash of attributes, not %s", what, rh_kind_name(table->kind));
        return;
    }
    if (has_expression(table)) {
        lay_in_order(load, &l, rh_value_new(load->catalog->arena, RH_ARRAY), table);
        return;
    }
    rh_attributes_read_value(load, NULL, table);
    if (table->kind == RH_HASH)
        merge(load, &l, table);
}

/* All of it was written there, and there are no lines. */
static void
set_places(struct rh_value *v, struct rh_place place)
{
    rh_value_set_place(v, place);
    for (size_t i = 0; (v->kind == RH_HASH || v->kind == RH_ARRAY) && i < v->count; i++)
        set_places(rh_draft_part(v, i), place);
}

static bool
has_keys_only(const struct rh_value *path)
{
    for (size_t i = 0; i < rh_value_count(path); i++)
        if (rh_value_at(path, i)->kind != RH_STRING)
            return false;
    return true;
}

void
rh_attributes_set(struct rh_load *load, enum rh_node_level level, const struct rh_value *path,
                  struct rh_value *v, struct rh_place place, bool fully)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *op = rh_value_new(a, RH_HASH);
    struct rh_node_result result = { 0 };

    rh_attributes_read_value(load, path, v);
    if (!place.line)
        set_places(v, place);
    if (v->kind == RH_HASH && has_keys_only(path)) {
        rh_node_merge(load->attributes.node, level, wrap(a, path, v), place);
        return;
    }
    rh_value_put_ref(op, "op", rh_value_string(a, fully ? "set!" : "set"));
    rh_value_put_ref(op, "level", rh_value_string(a, rh_node_level_name(level)));
    rh_value_put_ref(op, "path", path);
    rh_value_put_ref(op, "value", v);
    if (rh_node_operate(load->attributes.node, op, place, &result) < 0)
        rh_complain_code(load->complaints, place, result.hint, rh_message_code(result.format), "%s",
                         result.message);
}
