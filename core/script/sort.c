/* SPDX-License-Identifier: Apache-2.0 */
/* sort - merging runs that double in length: it ends after n log n comparisons even if those
 * contradict each other. */
#include "config.h"

#include "script/arguments.h"

#include "script/parts.h"

static bool
is_less(lua_State *l, int less)
{
    bool yes;
    int a = lua_type(l, -2), b = lua_type(l, -1);

    rh_script_charge(l, 3);
    if (lua_isnil(l, less)) {
        if (a != b || (a != LUA_TNUMBER && a != LUA_TSTRING))
            rh_script_raise(l, "cannot sort a %s and a %s: only numbers or only texts can be sorted",
                            rh_script_type(l, -2), rh_script_type(l, -1));
        return lua_compare(l, -2, -1, LUA_OPLT);
    }
    lua_pushvalue(l, less);
    lua_pushvalue(l, -3);
    lua_pushvalue(l, -3);
    lua_call(l, 2, 1);
    yes = lua_toboolean(l, -1);
    lua_pop(l, 1);
    return yes;
}

/* Merges from[low, middle) and from[middle, high) into `to`; both are positions from 1. */
static void
merge(lua_State *l, int from, int to, lua_Integer low, lua_Integer middle, lua_Integer high, int less)
{
    lua_Integer i = low, k = middle;

    for (lua_Integer at = low; at < high; at++) {
        bool right = k < high;

        if (i < middle && right) {
            lua_rawgeti(l, from, k);
            lua_rawgeti(l, from, i);
            right = is_less(l, less);
            lua_pop(l, 2);
        }
        lua_rawgeti(l, from, right ? k++ : i++);
        lua_rawseti(l, to, at);
    }
}

void
rh_sort(lua_State *l, int index, lua_Integer n, int less)
{
    int a, b;

    luaL_checkstack(l, 10, NULL);
    rh_script_charge(l, n > 0 ? 2 * (uint64_t)n : 1);
    lua_newtable(l);
    a = lua_gettop(l);
    lua_newtable(l);
    b = lua_gettop(l);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, index, i);
        lua_rawseti(l, a, i);
    }
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer low = 1; low <= n; low += 2 * width) {
            lua_Integer middle = low + width, high = low + 2 * width;

            merge(l, a, b, low, middle < n + 1 ? middle : n + 1, high < n + 1 ? high : n + 1, less);
        }
        lua_pushvalue(l, a);
        lua_pushvalue(l, b);
        lua_replace(l, a);
        lua_replace(l, b);
    }
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(l, a, i);
        lua_seti(l, index, i);
    }
    lua_pop(l, 2);
}
