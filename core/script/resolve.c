/* SPDX-License-Identifier: Apache-2.0 */
/* resolve - values that were unknown when they were put where a script finds them. */
#include "config.h"

#include "script/parts.h"
#include "script/state.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"

#include <stdio.h>

enum { ASK = 20000, PART = 32 }; /* instructions that these are worth */

/* Raises the error, whose message is freed. */
static void
raise_error(lua_State *l, struct rh_error *err)
{
    unsigned code = rh_error_code(err);
    char text[1000];

    (void)snprintf(text, sizeof text, "%s", err->message);
    rh_error_clear(err);
    rh_script_raise_code(l, NULL, code, text);
}

const struct rh_value *
rh_script_resolve(lua_State *l, const struct rh_value *unknown)
{
    const struct rh_script *s = rh_script_of(l);
    struct rh_error err = { 0 };
    const struct rh_value *v = NULL;

    rh_script_charge(l, ASK);
    if (s->options.world.resolve)
        v = s->options.world.resolve(s->options.world.data, unknown, &err);
    if (err.message)
        raise_error(l, &err);
    if (!v || v->kind == RH_UNKNOWN)
        rh_script_unknown(l);
    return v;
}

const struct rh_value *
rh_script_resolve_all(lua_State *l, const struct rh_value *v)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    struct rh_value *all;

    if (!rh_value_unknown(v))
        return v;
    if (v->kind == RH_UNKNOWN)
        return rh_script_resolve(l, v);
    all = v->kind == RH_HASH ? rh_value_hash(a, v->count) : rh_value_new(a, (enum rh_kind)v->kind);
    all->marks = v->marks;
    for (size_t i = 0; i < rh_value_count(v); i++) {
        rh_script_charge(l, PART);
        if (v->kind == RH_HASH)
            rh_value_add_ref(all, rh_value_entry(v, i)->key, rh_script_resolve_all(l, rh_value_part(v, i)));
        else
            rh_value_append(all, rh_script_resolve_all(l, rh_value_part(v, i)));
    }
    return all;
}
