/* SPDX-License-Identifier: Apache-2.0 */
/* lib-data - functions for lists and hashes. What they return is new; what they get stays. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/optional.h"
#include "script/parts.h"
#include "script/take.h"

enum { MOST_IN_RANGE = 1000000 };

static int
keys(lua_State *l)
{
    rh_check_table(l, 1);
    rh_push_keys(l, 1);
    rh_list_mark(l, -1);
    return 1;
}

static int
values(lua_State *l)
{
    lua_Integer n;

    rh_check_table(l, 1);
    lua_settop(l, 1);
    n = rh_push_keys(l, 1);
    lua_newtable(l);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(l, 2, i);
        lua_gettable(l, 1);
        lua_rawseti(l, 3, i);
    }
    rh_list_mark(l, 3);
    return 1;
}

static void merge_into(lua_State *l, int into, int from, int depth);

/* Pushes a copy of the hash at `index`, itself merged with nothing. */
static void
push_merged(lua_State *l, int a, int b, int depth)
{
    lua_newtable(l);
    merge_into(l, lua_gettop(l), a, depth);
    merge_into(l, lua_gettop(l), b, depth);
}

static void
merge_into(lua_State *l, int into, int from, int depth)
{
    lua_Integer n;
    int list;

    if (depth > RH_SCRIPT_DEEPEST)
        rh_script_raise(l, "tables are nested too deeply or contain themselves");
    luaL_checkstack(l, 12, NULL);
    n = rh_push_keys(l, from);
    list = lua_gettop(l);
    rh_script_charge(l, 8 * (uint64_t)n);
    for (lua_Integer i = 1; i <= n; i++) {
        int key, old, new;

        lua_rawgeti(l, list, i);
        key = lua_gettop(l);
        lua_pushvalue(l, key);
        lua_rawget(l, into);
        old = lua_gettop(l);
        lua_pushvalue(l, key);
        lua_gettable(l, from);
        new = lua_gettop(l);
        if (rh_is_table(l, old) && rh_is_table(l, new) && !rh_is_list(l, old) && !rh_is_list(l, new))
            push_merged(l, old, new, depth + 1);
        lua_pushvalue(l, key);
        lua_insert(l, -2);
        lua_rawset(l, into);
        lua_settop(l, list);
    }
    lua_settop(l, list - 1);
}

/* merge(hash, ...): what stands further right wins; hashes within are merged too. */
static int
merge(lua_State *l)
{
    int n = lua_gettop(l);

    for (int i = 1; i <= n; i++) {
        rh_check_table(l, i);
        if (rh_is_list(l, i))
            rh_script_raise(l, "'merge' takes hashes, but argument %d is a list", i);
    }
    lua_newtable(l);
    for (int i = 1; i <= n; i++)
        merge_into(l, n + 1, i, 0);
    return 1;
}

static void
check_function(lua_State *l, int arg)
{
    if (lua_type(l, arg) != LUA_TFUNCTION)
        rh_wrong_argument(l, arg, "function");
}

/* What map, filter and each have in common: calls the function at 2 with each value and key of what
 * is at 1, in order. The result of the call is at 7, the key at 5, the value at 6; what is made,
 * at 4. */
typedef void visitor(lua_State *l, bool list);

static int
visit(lua_State *l, visitor *fn)
{
    bool list;
    lua_Integer n;

    rh_check_table(l, 1);
    check_function(l, 2);
    lua_settop(l, 2);
    list = rh_is_list(l, 1);
    n = rh_push_keys(l, 1);
    lua_newtable(l);
    if (list)
        rh_list_mark(l, 4);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(l, 3, i);
        lua_pushvalue(l, 5);
        lua_gettable(l, 1);
        lua_pushvalue(l, 2);
        lua_pushvalue(l, 6);
        lua_pushvalue(l, 5);
        lua_call(l, 2, 1);
        fn(l, list);
        lua_settop(l, 4);
    }
    return 1;
}

/* Puts the value at the top where the key at 5 says, or at the end of a list. */
static void
put(lua_State *l, bool list)
{
    if (lua_isnil(l, -1))
        return;
    if (list) {
        lua_rawseti(l, 4, (lua_Integer)lua_rawlen(l, 4) + 1);
    } else {
        lua_pushvalue(l, 5);
        lua_insert(l, -2);
        lua_rawset(l, 4);
    }
}

static void
put_result(lua_State *l, bool list)
{
    put(l, list);
}

static void
put_if_true(lua_State *l, bool list)
{
    bool yes = lua_toboolean(l, 7);

    lua_settop(l, 6);
    if (yes)
        put(l, list);
}

static void
put_nothing(lua_State *l, bool list)
{
    (void)l;
    (void)list;
}

static int
map(lua_State *l)
{
    return visit(l, put_result);
}

static int
filter(lua_State *l)
{
    return visit(l, put_if_true);
}

static int
each(lua_State *l)
{
    (void)visit(l, put_nothing);
    return 0;
}

/* sort(list, less): a new one. */
static int
sort(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);

    if (!lua_isnoneornil(l, 2))
        check_function(l, 2);
    lua_settop(l, 2);
    lua_newtable(l);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, 1, i);
        lua_rawseti(l, 3, i);
    }
    rh_list_mark(l, 3);
    rh_sort(l, 3, n, 2);
    return 1;
}

/* range(from, to, step) */
static int
range(lua_State *l)
{
    lua_Integer from = luaL_checkinteger(l, 1), to = luaL_checkinteger(l, 2), step = luaL_optinteger(l, 3, 1);
    lua_Unsigned n, width = step > 0 ? (lua_Unsigned)step : 0 - (lua_Unsigned)step;

    if (!step)
        rh_script_raise(l, "the step of 'range' must not be 0");
    lua_newtable(l);
    rh_list_mark(l, -1);
    if (step > 0 ? from > to : from < to)
        return 1;
    n = (step > 0 ? (lua_Unsigned)to - (lua_Unsigned)from : (lua_Unsigned)from - (lua_Unsigned)to) / width;
    if (n >= MOST_IN_RANGE)
        rh_script_raise(l, "'range' returns at most %d numbers", MOST_IN_RANGE);
    rh_script_charge(l, n);
    for (lua_Unsigned i = 0; i <= n; i++) {
        lua_pushinteger(l, (lua_Integer)((lua_Unsigned)from + i * (lua_Unsigned)step));
        lua_rawseti(l, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* list {...}: says that a table is a list, even if it is empty. */
static int
list(lua_State *l)
{
    if (lua_isnoneornil(l, 1)) {
        lua_settop(l, 0);
        lua_newtable(l);
    }
    if (lua_type(l, 1) != LUA_TTABLE)
        rh_wrong_argument(l, 1, "table of your own");
    lua_settop(l, 1);
    rh_list_mark(l, 1);
    return 1;
}

void
rh_lib_data_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { RH_OPTIONAL_CALLED, rh_optional_called },
        { RH_OPTIONAL_PATH, rh_optional_default },
        { "default", rh_optional_default },
        { "each", each },
        { "exists", rh_optional_exists },
        { "filter", filter },
        { "keys", keys },
        { "list", list },
        { "map", map },
        { "merge", merge },
        { "range", range },
        { "sort", sort },
        { "values", values },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
