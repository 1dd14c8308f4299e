/* SPDX-License-Identifier: Apache-2.0 */
/* optional - default() and exists(), whose first argument may be missing. */
#include "config.h"

#include "script/optional.h"

#include "script/parts.h"

#include <stdbool.h>
#include <stdlib.h>

static char missing; /* its address is the error that leaves such an argument */

void
rh_optional_leave(lua_State *l)
{
    lua_pushlightuserdata(l, &missing);
    lua_error(l);
    abort(); /* lua_error does not return */
}

/* Replaces the function at index 1 by what it returns: nil where that is missing. */
static void
evaluate(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    unsigned file = s->now.file;
    int status, templates = s->now.templates;

    if (lua_type(l, 1) != LUA_TFUNCTION)
        return;
    lua_pushvalue(l, 1);
    s->now.optional++;
    status = lua_pcall(l, 0, 1, 0);
    s->now.optional--;
    if (status == LUA_ERRMEM && !s->now.stop)
        rh_script_stop(l, RH_STOP_MEMORY);
    if (s->now.stop)
        rh_script_stop(l, s->now.stop);
    if (status != LUA_OK) {
        if (lua_touserdata(l, -1) != &missing)
            lua_error(l);
        s->now.file = file;
        s->now.templates = templates;
        lua_pop(l, 1);
        lua_pushnil(l);
    }
    lua_replace(l, 1);
}

int
rh_optional_default(lua_State *l)
{
    lua_settop(l, 2);
    evaluate(l);
    lua_settop(l, lua_isnil(l, 1) ? 2 : 1);
    return 1;
}

/* What a script of its own calls like that gets values, not functions. Upvalue: what it calls. */
static int
call_own(lua_State *l)
{
    int n = lua_gettop(l);

    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    if (n) {
        lua_pushvalue(l, 2);
        lua_call(l, 0, n == 1 ? LUA_MULTRET : 1);
        if (n > 1)
            lua_replace(l, 2);
        else
            lua_remove(l, 2);
    }
    lua_call(l, lua_gettop(l) - 1, LUA_MULTRET);
    return lua_gettop(l);
}

int
rh_optional_called(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    bool ours = false;

    lua_settop(l, 1);
    if (lua_type(l, 1) != LUA_TFUNCTION)
        return 1;
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->library);
    for (const char *const *name = (const char *const[]){ "default", "exists", NULL }; *name && !ours;
         name++) {
        lua_getfield(l, 2, *name);
        ours = lua_rawequal(l, 1, -1);
        lua_pop(l, 1);
    }
    lua_settop(l, 1);
    if (!ours)
        lua_pushcclosure(l, call_own, 1);
    return 1;
}

int
rh_optional_exists(lua_State *l)
{
    lua_settop(l, 1);
    evaluate(l);
    lua_pushboolean(l, !lua_isnil(l, 1));
    return 1;
}
