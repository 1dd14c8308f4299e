/* SPDX-License-Identifier: Apache-2.0 */
/* take - what a script has made, as a value. */
#include "config.h"

#include "script/take.h"

#include "script/parts.h"
#include "script/view.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_OF_A_VALUE = 48, MOST_NAMES = 1 << 24 };

static char is_list; /* its address marks the metatable of what `list {}` made */

void
rh_list_mark(lua_State *l, int index)
{
    index = lua_absindex(l, index);
    if (lua_rawgetp(l, LUA_REGISTRYINDEX, &is_list) != LUA_TTABLE) {
        lua_pop(l, 1);
        lua_newtable(l);
        lua_pushvalue(l, -1);
        lua_rawsetp(l, LUA_REGISTRYINDEX, &is_list);
    }
    lua_setmetatable(l, index);
}

bool
rh_list_is(lua_State *l, int index)
{
    bool is;

    if (lua_type(l, index) != LUA_TTABLE || !lua_getmetatable(l, index))
        return false;
    lua_rawgetp(l, LUA_REGISTRYINDEX, &is_list);
    is = lua_rawequal(l, -1, -2);
    lua_pop(l, 2);
    return is;
}

void
rh_script_count(lua_State *l, size_t n)
{
    struct rh_script *s = rh_script_of(l);

    n += BYTES_OF_A_VALUE;
    if (s->now.taken > s->options.limits.memory || n > s->options.limits.memory - s->now.taken)
        rh_script_stop(l, RH_STOP_MEMORY);
    s->now.taken += n;
    rh_script_charge(l, 1 + n / 64);
}

void
rh_script_pay(lua_State *l, unsigned instructions, size_t bytes)
{
    rh_script_charge(l, instructions);
    if (bytes)
        rh_script_count(l, bytes);
}

static void
count_value(lua_State *l, const struct rh_value *v)
{
    bool hash = v->kind == RH_HASH;

    rh_script_count(l, rh_kind_has_text(v->kind) ? v->count : 0);
    if (!hash && !rh_kind_has_items(v->kind))
        return;
    for (uint32_t i = 0; i < v->count; i++)
        count_value(l, rh_value_part(v, i));
}

static struct rh_value *
take_view(lua_State *l, int index)
{
    bool sensitive = false;
    const struct rh_value *v = rh_view_of(l, index, &sensitive);
    struct rh_value *copy;

    if (!v)
        rh_script_raise(l, "this cannot be used as a value");
    count_value(l, v);
    copy = rh_value_copy(rh_script_of(l)->options.arena, v);
    if (sensitive)
        copy->marks |= RH_SENSITIVE;
    return copy;
}

/* Whether a text in a recipe has a secret in it. */
static bool
has_secret(lua_State *l, int index, const char *text, size_t n)
{
    struct rh_script *s = rh_script_of(l);

    return s->now.recipe && (rh_script_is_secret(l, index) || rh_secrets_has(&s->secrets, text, n));
}

bool
rh_script_has_secret(lua_State *l, int index)
{
    size_t n;
    const char *text = lua_tolstring(l, index, &n);

    return has_secret(l, index, text, n);
}

static struct rh_value *
take_string(lua_State *l, int index)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    struct rh_value *v;
    size_t n;
    const char *text = lua_tolstring(l, index, &n);

    if (n > rh_script_of(l)->options.limits.output || n >= UINT32_MAX)
        rh_script_stop(l, RH_STOP_OUTPUT);
    rh_script_count(l, n);
    v = rh_utf8_valid(text, n) ? rh_value_stringn(a, text, n) : rh_value_binary(a, text, n);
    if (has_secret(l, index, text, n))
        v->marks |= RH_SENSITIVE;
    return v;
}

static struct rh_value *
take_number(lua_State *l, int index)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    struct rh_value *v;

    rh_script_count(l, 0);
    if (lua_isinteger(l, index)) {
        v = rh_value_integer(a, lua_tointeger(l, index));
    } else {
        if (!isfinite(lua_tonumber(l, index)))
            rh_script_raise(l, "a number that is %s cannot be used as a value",
                            isnan(lua_tonumber(l, index)) ? "not a number" : "infinite");
        v = rh_value_float(a, lua_tonumber(l, index));
    }
    if (rh_script_of(l)->now.recipe && rh_script_is_secret(l, index))
        v->marks |= RH_SENSITIVE;
    return v;
}

static struct rh_value *take(lua_State *l, int index, int depth);

static struct rh_value *
take_list(lua_State *l, int index, lua_Integer n, int depth)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    struct rh_value *array = rh_value_new(a, RH_ARRAY);

    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(l, index, i);
        rh_value_append(array, take(l, lua_gettop(l), depth + 1));
        lua_pop(l, 1);
    }
    return array;
}

struct name {
    const char *text;
    size_t n;
};

static int
compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static struct rh_value *
take_hash(lua_State *l, int index, size_t n, int depth)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    struct rh_value *hash = rh_value_hash(a, n), *v;
    struct name *names = lua_newuserdatauv(l, n * sizeof *names, 0);
    size_t k = 0;

    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1), k++) {
        names[k].text = lua_tolstring(l, -2, &names[k].n);
        if (strlen(names[k].text) != names[k].n || !rh_utf8_valid(names[k].text, names[k].n))
            rh_script_raise(l, "a key is not UTF-8 or contains a NUL character");
        rh_script_count(l, names[k].n);
    }
    qsort(names, n, sizeof *names, compare_names);
    for (k = 0; k < n; k++) {
        lua_getfield(l, index, names[k].text);
        v = take(l, lua_gettop(l), depth + 1);
        rh_value_add_ref(hash, rh_arena_strndup(a, names[k].text, names[k].n), v);
        lua_pop(l, 1);
    }
    lua_pop(l, 1);
    return hash;
}

static struct rh_value *
take_table(lua_State *l, int index, int depth)
{
    lua_Integer most = 0;
    size_t positions = 0, names = 0;

    if (depth > RH_SCRIPT_DEEPEST)
        rh_script_raise(l, "tables are nested too deeply or contain themselves");
    if (lua_getmetatable(l, index)) {
        lua_pop(l, 1);
        if (!rh_list_is(l, index))
            rh_script_raise(l, "a part of the library cannot be used as a value");
    }
    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1)) {
        if (lua_type(l, -2) == LUA_TSTRING)
            names++;
        else if (lua_isinteger(l, -2) && lua_tointeger(l, -2) > 0)
            positions++;
        else
            rh_script_raise(l, "a key of a table must be text or a position starting at 1");
        if (lua_isinteger(l, -2) && lua_tointeger(l, -2) > most)
            most = lua_tointeger(l, -2);
    }
    rh_script_charge(l, positions + names);
    rh_script_count(l, 0);
    if (positions && names)
        rh_script_raise(l, "a table has both names and positions: it is neither a hash nor a list");
    if (most != (lua_Integer)positions)
        rh_script_raise(l, "a list has gaps: its last position is %lld, but it has %zu elements", most,
                        positions);
    if (positions || (!names && rh_list_is(l, index)))
        return take_list(l, index, most, depth);
    if (names > MOST_NAMES)
        rh_script_stop(l, RH_STOP_MEMORY);
    return take_hash(l, index, names, depth);
}

static struct rh_value *
take(lua_State *l, int index, int depth)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;

    luaL_checkstack(l, 8, NULL);
    switch (lua_type(l, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
        rh_script_count(l, 0);
        return rh_value_new(a, RH_UNDEF);
    case LUA_TBOOLEAN:
        rh_script_count(l, 0);
        return rh_value_boolean(a, lua_toboolean(l, index));
    case LUA_TNUMBER:
        return take_number(l, index);
    case LUA_TSTRING:
        return take_string(l, index);
    case LUA_TTABLE:
        return take_table(l, index, depth);
    case LUA_TUSERDATA:
        return take_view(l, index);
    default:
        rh_script_raise(l, "a %s cannot be used as a value", luaL_typename(l, index));
    }
}

struct rh_value *
rh_script_take(lua_State *l, int index)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_value *v = take(l, lua_absindex(l, index), 0);

    if (!s->now.recipe && s->now.touched)
        v->marks |= RH_SENSITIVE;
    if (v->marks & RH_SENSITIVE)
        rh_arena_keep_secret(s->options.arena);
    return v;
}

/* The least that it takes, since what is written is not counted while it is. */
static uint64_t
size_as_text(const struct rh_value *v, unsigned indent)
{
    bool hash = v->kind == RH_HASH;
    uint64_t n = 2;

    if (rh_kind_has_text(v->kind))
        for (uint32_t i = 0; i < v->count; i++)
            n += (unsigned char)v->u.string[i] < ' ' ? 2 : 1; /* at least "\n" */
    for (size_t i = 0; i < rh_value_count(v); i++)
        n += 1 + indent
             + size_as_text(hash ? rh_value_entry(v, i)->value : rh_value_at(v, i), indent ? indent + 2 : 0);
    return n;
}

void
rh_script_charge_value(lua_State *l, const struct rh_value *v, unsigned indent)
{
    rh_script_charge_text(l, size_as_text(v, indent));
}
