/* SPDX-License-Identifier: Apache-2.0 */
/* iterate - going through tables in an order that is always the same: numbers ascending, then names
 * by their bytes, then false and true. A view has an order of its own. */
#include "config.h"

#include "script/arguments.h"

#include "script/parts.h"
#include "script/view.h"

#include "base/value.h"

#include <stdlib.h>
#include <string.h>

enum { LOG_OF_MANY = 16 };

struct key {
    int type;
    bool integer;
    lua_Integer i;
    lua_Number real;
    const char *text;
    size_t n;
};

static int
rank(int type)
{
    return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2;
}

static int
compare_numbers(const struct key *a, const struct key *b)
{
    if (a->integer && b->integer)
        return (a->i > b->i) - (a->i < b->i);
    return (a->real > b->real) - (a->real < b->real);
}

static int
compare(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int by;

    if (rank(a->type) != rank(b->type))
        return rank(a->type) - rank(b->type);
    if (a->type == LUA_TNUMBER)
        return compare_numbers(a, b);
    if (a->type == LUA_TBOOLEAN)
        return (int)(a->i - b->i);
    by = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);
    return by ? by : (a->n > b->n) - (a->n < b->n);
}

static struct key
key_at(lua_State *l, int index)
{
    struct key k = { .type = lua_type(l, index) };

    switch (k.type) {
    case LUA_TNUMBER:
        k.integer = lua_isinteger(l, index);
        k.i = k.integer ? lua_tointeger(l, index) : 0;
        k.real = lua_tonumber(l, index);
        break;
    case LUA_TSTRING:
        k.text = lua_tolstring(l, index, &k.n);
        break;
    case LUA_TBOOLEAN:
        k.i = lua_toboolean(l, index);
        break;
    default:
        rh_script_raise(l, "cannot iterate over a table that has a %s as a key", rh_script_type(l, index));
    }
    return k;
}

static void
push_key(lua_State *l, const struct key *k)
{
    if (k->type == LUA_TSTRING)
        lua_pushlstring(l, k->text, k->n);
    else if (k->type == LUA_TBOOLEAN)
        lua_pushboolean(l, (int)k->i);
    else if (k->integer)
        lua_pushinteger(l, k->i);
    else
        lua_pushnumber(l, k->real);
}

/* A name within something sensitive is too; a position tells nothing. */
static void
touch_key(lua_State *l, int index)
{
    rh_script_of(l)->now.touched = true;
    if (lua_type(l, index) == LUA_TSTRING)
        rh_script_touch(l, index);
}

static lua_Integer
push_keys_of_view(lua_State *l, const struct rh_value *v, bool sensitive)
{
    size_t n = rh_value_count(v);

    rh_script_charge(l, n);
    lua_createtable(l, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        if (v->kind == RH_HASH)
            lua_pushstring(l, rh_value_entry(v, i)->key);
        else
            lua_pushinteger(l, (lua_Integer)i + 1);
        if (sensitive)
            touch_key(l, -1);
        lua_rawseti(l, -2, (lua_Integer)i + 1);
    }
    return (lua_Integer)n;
}

lua_Integer
rh_push_keys(lua_State *l, int index)
{
    bool sensitive = false;
    const struct rh_value *v = rh_view_of(l, index, &sensitive);
    struct key *keys;
    size_t n = 0, k = 0;

    luaL_checkstack(l, 8, NULL);
    index = lua_absindex(l, index);
    if (v)
        return push_keys_of_view(l, v, sensitive);
    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1))
        n++;
    rh_script_charge(l, n * LOG_OF_MANY / 4 + 1);
    keys = lua_newuserdatauv(l, (n + 1) * sizeof *keys, 0);
    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1))
        keys[k++] = key_at(l, -2);
    if (n)
        qsort(keys, n, sizeof *keys, compare);
    lua_createtable(l, n < INT32_MAX ? (int)n : 0, 0);
    for (k = 0; k < n; k++) {
        push_key(l, &keys[k]);
        lua_rawseti(l, -2, (lua_Integer)k + 1);
    }
    lua_remove(l, -2);
    return (lua_Integer)n;
}

/* Upvalues: the table, its keys, how many were done. What was removed meanwhile is left out. */
static int
next_pair(lua_State *l)
{
    lua_Integer i = lua_tointeger(l, lua_upvalueindex(3));

    for (;;) {
        rh_script_charge(l, 2);
        lua_settop(l, 0);
        if (lua_rawgeti(l, lua_upvalueindex(2), ++i) == LUA_TNIL)
            return 1;
        lua_pushvalue(l, 1);
        lua_gettable(l, lua_upvalueindex(1));
        if (!lua_isnil(l, 2))
            break;
    }
    lua_pushinteger(l, i);
    lua_replace(l, lua_upvalueindex(3));
    return 2;
}

/* The same of a view, which does not change and needs no keys of its own. */
static int
next_of_view(lua_State *l)
{
    bool sensitive = false;
    const struct rh_value *v = rh_view_of(l, lua_upvalueindex(1), &sensitive);
    lua_Integer i = lua_tointeger(l, lua_upvalueindex(2));

    rh_script_charge(l, 2);
    lua_settop(l, 0);
    lua_pushvalue(l, lua_upvalueindex(1));
    if (!v || (size_t)i >= rh_value_count(v)) {
        lua_pushnil(l);
        return 1;
    }
    rh_view_push_entry(l, 1, (size_t)i);
    if (sensitive)
        touch_key(l, 2);
    lua_pushinteger(l, i + 1);
    lua_replace(l, lua_upvalueindex(2));
    return 2;
}

int
rh_iterate(lua_State *l)
{
    rh_check_table(l, 1);
    lua_settop(l, 1);
    if (rh_view_of(l, 1, NULL)) {
        lua_pushinteger(l, 0);
        lua_pushcclosure(l, next_of_view, 2);
    } else {
        rh_push_keys(l, 1);
        lua_pushinteger(l, 0);
        lua_pushcclosure(l, next_pair, 3);
    }
    return 1;
}

static int
next_element(lua_State *l)
{
    lua_Integer i = luaL_checkinteger(l, 2) + 1;

    rh_script_charge(l, 2);
    lua_pushinteger(l, i);
    lua_pushvalue(l, -1);
    rh_view_get(l, 1);
    return lua_isnil(l, -1) ? 1 : 2;
}

int
rh_iterate_list(lua_State *l)
{
    rh_check_table(l, 1);
    lua_pushcfunction(l, next_element);
    lua_pushvalue(l, 1);
    lua_pushinteger(l, 0);
    return 3;
}
