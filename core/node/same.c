/* SPDX-License-Identifier: Apache-2.0 */
/* same - whether a value is what JSON says it should be. */
#include "config.h"

#include "node/same.h"

#include "base/arena.h"
#include "base/value.h"
#include "node/merge.h"

#include <string.h>

static bool
has_text_key(const struct rh_value *map, const char *text)
{
    for (uint32_t i = 0; i + 1 < map->count; i += 2)
        if (strcmp(rh_value_str(map->u.items[i], ""), text) == 0 && map->u.items[i]->kind == RH_STRING)
            return true;
    return false;
}

static const char *
key_text(struct rh_arena *a, const struct rh_value *map, const struct rh_value *key)
{
    const char *text;

    if (key->kind != RH_INTEGER)
        return rh_value_str(key, "");
    text = rh_arena_printf(a, "%lld", (long long)key->u.integer);
    return has_text_key(map, text) ? rh_arena_printf(a, "%s (integer)", text) : text;
}

const struct rh_value *
rh_value_for_json(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *copy;

    if (!v || (v->kind != RH_MAP && v->kind != RH_HASH && v->kind != RH_ARRAY))
        return v;
    copy = v->kind == RH_ARRAY ? rh_value_new(a, RH_ARRAY) : rh_value_hash(a, v->count);
    if (v->kind == RH_MAP)
        for (uint32_t i = 0; i + 1 < v->count; i += 2)
            rh_value_add_ref(copy, key_text(a, v, v->u.items[i]), rh_value_for_json(a, v->u.items[i + 1]));
    else
        for (uint32_t i = 0; i < v->count; i++)
            if (v->kind == RH_HASH)
                rh_value_add_ref(copy, v->u.entries[i].key, rh_value_for_json(a, v->u.entries[i].value));
            else
                rh_value_append(copy, rh_value_for_json(a, v->u.items[i]));
    copy->marks = v->marks;
    return copy;
}

bool
rh_json_same(const struct rh_value *json, const struct rh_value *ours)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *undef = rh_value_new(a, RH_UNDEF);

    ours = rh_value_for_json(a, ours);
    return rh_value_same(json ? json : undef, ours ? ours : undef);
}
