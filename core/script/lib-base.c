/* SPDX-License-Identifier: Apache-2.0 */
/* lib-base - what Lua has itself, with a fixed order, without addresses, and without what loads. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"
#include "script/problem.h"

#include "base/cleanup.h"
#include "base/source.h"
#include "base/text.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* What a stack that was filled is worth: much memory was moved. */
enum {
    STACK_FILLED = 2000000,
    PRINT = 500, /* and what a line that is shown to people is */
};

static int
base_type(lua_State *l)
{
    luaL_checkany(l, 1);
    lua_pushstring(l, rh_script_type(l, 1));
    return 1;
}

static int
base_tostring(lua_State *l)
{
    luaL_checkany(l, 1);
    rh_script_text(l, 1);
    return 1;
}

static int
base_print(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    rh_autobuf struct rh_buf scrubbed = { 0 };
    int n = lua_gettop(l);
    const char *text;
    size_t len;

    if (!s->options.world.print)
        rh_script_raise(l, "'print' cannot be used here");
    luaL_checkstack(l, 2 * n, NULL);
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            lua_pushliteral(l, "\t");
        if (rh_script_is_secret(l, i))
            lua_pushliteral(l, "[redacted]");
        else
            rh_script_text(l, i);
    }
    lua_concat(l, lua_gettop(l) - n);
    text = lua_tolstring(l, -1, &len);
    rh_script_charge(l, PRINT);
    rh_script_charge_text(l, len);
    if (s->now.touched && !s->now.recipe)
        s->options.world.print(s->options.world.data, "[redacted]", 10, rh_script_place(l));
    else if (rh_script_redact(s, text, len, &scrubbed))
        s->options.world.print(s->options.world.data, scrubbed.s, scrubbed.n, rh_script_place(l));
    else
        s->options.world.print(s->options.world.data, text, len, rh_script_place(l));
    return 0;
}

/* What ends the evaluation is not to be caught. */
static int
base_pcall(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    unsigned file = s->now.file, optional = s->now.optional;
    int status, templates = s->now.templates;

    luaL_checkany(l, 1);
    lua_pushboolean(l, 1);
    lua_insert(l, 1);
    s->now.optional = 0; /* what is missing in there is an error that is caught here */
    status = lua_pcall(l, lua_gettop(l) - 2, LUA_MULTRET, 0);
    s->now.optional = optional;
    if (status == LUA_ERRMEM && !s->now.stop)
        rh_script_stop(l, RH_STOP_MEMORY);
    if (s->now.stop)
        rh_script_stop(l, s->now.stop);
    if (status == LUA_OK)
        return lua_gettop(l);
    s->now.file = file;
    s->now.templates = templates;
    if (lua_type(l, -1) == LUA_TSTRING && strstr(lua_tostring(l, -1), "stack overflow"))
        rh_script_charge(l, STACK_FILLED);
    rh_script_plain_error(l);
    lua_pushboolean(l, 0);
    lua_insert(l, -2);
    return 2;
}

static int
base_error(lua_State *l)
{
    int level = (int)luaL_optinteger(l, 2, 1);

    lua_settop(l, 1);
    if (lua_type(l, 1) == LUA_TSTRING && level > 0) {
        luaL_where(l, level);
        lua_pushvalue(l, 1);
        lua_concat(l, 2);
    }
    return lua_error(l);
}

static int
base_assert(lua_State *l)
{
    if (lua_toboolean(l, 1))
        return lua_gettop(l);
    luaL_checkany(l, 1);
    lua_remove(l, 1);
    lua_pushliteral(l, "assertion failed");
    lua_settop(l, 1);
    if (lua_type(l, 1) == LUA_TSTRING)
        rh_script_raise(l, "%s", lua_tostring(l, 1));
    return lua_error(l);
}

static int
base_select(lua_State *l)
{
    int n = lua_gettop(l);
    lua_Integer i;

    if (lua_type(l, 1) == LUA_TSTRING && *lua_tostring(l, 1) == '#') {
        lua_pushinteger(l, n - 1);
        return 1;
    }
    i = luaL_checkinteger(l, 1);
    if (i < 0)
        i = n + i;
    else if (i > n)
        i = n;
    luaL_argcheck(l, i >= 1, 1, "index out of range");
    return n - (int)i;
}

static const struct rh_function functions[] = {
    { "assert", base_assert }, { "error", base_error },
    { "pcall", base_pcall },   { "print", base_print },
    { "select", base_select }, { "tostring", base_tostring },
    { "type", base_type },     { "ipairs", rh_iterate_list },
    { "pairs", rh_iterate },   { NULL, NULL },
};

void
rh_lib_base_open(lua_State *l)
{
    rh_library_add(l, functions);
    rh_library_borrow(l, luaopen_base, (const char *const[]){ "tonumber", NULL });
}
