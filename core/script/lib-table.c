/* SPDX-License-Identifier: Apache-2.0 */
/* lib-table - Lua's own functions for tables and numbers, at a price that is the work they do. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"

#include <lualib.h>

enum { MOST_UNPACKED = 100000 };

static int
table_insert(lua_State *l)
{
    lua_Integer n, at;

    rh_check_table(l, 1);
    n = luaL_len(l, 1) + 1;
    switch (lua_gettop(l)) {
    case 2:
        lua_seti(l, 1, n);
        return 0;
    case 3:
        at = luaL_checkinteger(l, 2);
        if (at < 1 || at > n)
            rh_script_raise(l, "position %lld for 'insert' is outside of the list of %lld", at, n - 1);
        rh_script_charge(l, (uint64_t)(n - at));
        for (; n > at; n--) {
            lua_geti(l, 1, n - 1);
            lua_seti(l, 1, n);
        }
        lua_seti(l, 1, at);
        return 0;
    default:
        rh_script_raise(l, "'insert' takes a list, an optional position and a value");
    }
}

static int
table_remove(lua_State *l)
{
    lua_Integer n, at;

    rh_check_table(l, 1);
    n = luaL_len(l, 1);
    at = luaL_optinteger(l, 2, n);
    if (lua_gettop(l) > 1 && !(at >= 1 && at <= n + 1) && !(n == 0 && at == 0))
        rh_script_raise(l, "position %lld for 'remove' is outside of the list of %lld", at, n);
    lua_geti(l, 1, at);
    rh_script_charge(l, at < n ? (uint64_t)(n - at) : 1);
    for (; at < n; at++) {
        lua_geti(l, 1, at + 1);
        lua_seti(l, 1, at);
    }
    if (at <= n || at == n + 1) {
        lua_pushnil(l);
        lua_seti(l, 1, at);
    }
    return 1;
}

static int
table_concat(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1), from = luaL_optinteger(l, 3, 1), to;
    size_t separator, len;
    const char *between = luaL_optlstring(l, 2, "", &separator);
    uint64_t total = 0;
    luaL_Buffer b;

    to = luaL_optinteger(l, 4, n);
    luaL_buffinit(l, &b);
    for (lua_Integer i = from; i <= to; i++) {
        lua_geti(l, 1, i);
        if (!lua_isstring(l, -1))
            rh_script_raise(l, "element %lld cannot be joined: it is a %s", i, rh_script_type(l, -1));
        (void)lua_tolstring(l, -1, &len);
        total += len + separator;
        if (total > rh_script_of(l)->options.limits.output)
            rh_script_stop(l, RH_STOP_OUTPUT);
        rh_script_charge(l, 1 + (len + separator) / 32);
        luaL_addvalue(&b);
        if (i == to)
            break; /* and not beyond the greatest integer */
        luaL_addlstring(&b, between, separator);
    }
    luaL_pushresult(&b);
    return 1;
}

static int
table_pack(lua_State *l)
{
    int n = lua_gettop(l);

    lua_createtable(l, n, 1);
    lua_insert(l, 1);
    for (int i = n; i >= 1; i--)
        lua_seti(l, 1, i);
    lua_pushinteger(l, n);
    lua_setfield(l, 1, "n");
    return 1;
}

static int
table_unpack(lua_State *l)
{
    lua_Integer from = luaL_optinteger(l, 2, 1), to;
    lua_Unsigned n;

    rh_check_table(l, 1);
    to = lua_isnoneornil(l, 3) ? luaL_len(l, 1) : luaL_checkinteger(l, 3);
    if (from > to)
        return 0;
    n = (lua_Unsigned)to - (lua_Unsigned)from;
    if (n >= MOST_UNPACKED || !lua_checkstack(l, (int)n + 4))
        rh_script_raise(l, "'unpack' returns at most %d values", MOST_UNPACKED);
    rh_script_charge(l, n + 1);
    for (; from < to; from++)
        lua_geti(l, 1, from);
    lua_geti(l, 1, to);
    return (int)n + 1;
}

static int
table_move(lua_State *l)
{
    lua_Integer from = luaL_checkinteger(l, 2), end = luaL_checkinteger(l, 3), to = luaL_checkinteger(l, 4);
    int target = lua_isnoneornil(l, 5) ? 1 : 5;

    rh_check_table(l, 1);
    rh_check_table(l, target);
    if (end >= from) {
        luaL_argcheck(l, from > 0 || end < LUA_MAXINTEGER + from, 3, "too many elements to move");
        luaL_argcheck(l, to <= LUA_MAXINTEGER - (end - from + 1) + 1, 4, "destination wrap around");
        rh_script_charge(l, (uint64_t)(end - from) + 1);
        if (to > end || to <= from || target != 1) {
            for (lua_Integer i = 0; i <= end - from; i++) {
                lua_geti(l, 1, from + i);
                lua_seti(l, target, to + i);
            }
        } else {
            for (lua_Integer i = end - from; i >= 0; i--) {
                lua_geti(l, 1, from + i);
                lua_seti(l, target, to + i);
            }
        }
    }
    lua_pushvalue(l, target);
    return 1;
}

static int
table_sort(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);

    if (!lua_isnoneornil(l, 2) && lua_type(l, 2) != LUA_TFUNCTION)
        rh_wrong_argument(l, 2, "function");
    lua_settop(l, 2);
    rh_sort(l, 1, n, 2);
    return 0;
}

static const struct rh_function functions[] = {
    { "concat", table_concat }, { "insert", table_insert },
    { "move", table_move },     { "pack", table_pack },
    { "remove", table_remove }, { "sort", table_sort },
    { "unpack", table_unpack }, { NULL, NULL },
};

void
rh_lib_table_open(lua_State *l)
{
    static const char *const math[] = {
        "abs",  "acos", "asin", "atan", "ceil",       "cos",        "deg",       "exp", "floor",
        "fmod", "huge", "log",  "max",  "min",        "modf",       "pi",        "rad", "sin",
        "sqrt", "tan",  "type", "ult",  "maxinteger", "mininteger", "tointeger", NULL,
    };

    lua_newtable(l);
    rh_library_add(l, functions);
    rh_library_seal(l, "table");
    lua_setfield(l, -2, "table");
    lua_newtable(l);
    rh_library_borrow(l, luaopen_math, math);
    rh_library_seal(l, "math");
    lua_setfield(l, -2, "math");
}
