/* SPDX-License-Identifier: Apache-2.0 */
/* arguments - what functions of the library are called with. */
#include "config.h"

#include "script/arguments.h"

#include "script/parts.h"
#include "script/take.h"
#include "script/view.h"

#include "base/value.h"

#include <string.h>

const char *
rh_script_type(lua_State *l, int index)
{
    return lua_type(l, index) == LUA_TUSERDATA ? "table" : luaL_typename(l, index);
}

void
rh_script_text(lua_State *l, int index)
{
    switch (lua_type(l, index)) {
    case LUA_TNUMBER:
        lua_pushvalue(l, index);
        (void)lua_tostring(l, -1);
        break;
    case LUA_TSTRING:
        lua_pushvalue(l, index);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(l, lua_toboolean(l, index) ? "true" : "false");
        break;
    default:
        lua_pushstring(l, rh_script_type(l, index));
    }
}

void
rh_wrong_argument(lua_State *l, int arg, const char *wanted)
{
    lua_Debug ar;
    const char *name = NULL, *what;
    bool none, nil;

    if (lua_getstack(l, 0, &ar) && lua_getinfo(l, "n", &ar))
        name = ar.name;
    what = lua_type(l, arg) == LUA_TUSERDATA ? "read-only table" : rh_script_type(l, arg);
    none = lua_isnone(l, arg);
    nil = lua_isnil(l, arg);
    if (name && ar.namewhat && strcmp(ar.namewhat, "method") == 0)
        arg--;
    if (name && none)
        rh_script_raise(l, "argument %d of '%s' is missing: it must be a %s", arg, name, wanted);
    if (name)
        rh_script_raise(l, "argument %d of '%s' must be a %s, not %s%s", arg, name, wanted, nil ? "" : "a ",
                        what);
    rh_script_raise(l, "argument %d must be a %s, not %s", arg, wanted, what);
}

bool
rh_is_table(lua_State *l, int index)
{
    return lua_type(l, index) == LUA_TTABLE || rh_view_of(l, index, NULL);
}

bool
rh_is_list(lua_State *l, int index)
{
    const struct rh_value *v = rh_view_of(l, index, NULL);
    bool list;

    if (v)
        return v->kind == RH_ARRAY;
    if (lua_type(l, index) != LUA_TTABLE)
        return false;
    list = lua_rawgeti(l, index, 1) != LUA_TNIL;
    lua_pop(l, 1);
    return list || rh_list_is(l, index);
}

void
rh_check_table(lua_State *l, int arg)
{
    if (lua_type(l, arg) != LUA_TTABLE && !rh_view_of(l, arg, NULL))
        rh_wrong_argument(l, arg, "table");
}

lua_Integer
rh_check_list(lua_State *l, int arg)
{
    lua_Integer n;

    rh_check_table(l, arg);
    n = luaL_len(l, arg);
    rh_script_charge(l, n < 0 ? 1 : (uint64_t)n + 1);
    return n;
}
