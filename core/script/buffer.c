/* SPDX-License-Identifier: Apache-2.0 */
/* buffer - texts that grow while errors may be raised. */
#include "config.h"

#include "script/buffer.h"

#include "script/parts.h"

static char metatable; /* its address is where that is kept */

static int
clear(lua_State *l)
{
    rh_buf_clear(lua_touserdata(l, 1));
    return 0;
}

struct rh_buf *
rh_buffer_push(lua_State *l)
{
    struct rh_buf *b = lua_newuserdatauv(l, sizeof *b, 0);

    *b = (struct rh_buf){ 0 };
    if (lua_rawgetp(l, LUA_REGISTRYINDEX, &metatable) != LUA_TTABLE) {
        lua_pop(l, 1);
        lua_createtable(l, 0, 1);
        lua_pushcfunction(l, clear);
        lua_setfield(l, -2, "__gc");
        lua_pushvalue(l, -1);
        lua_rawsetp(l, LUA_REGISTRYINDEX, &metatable);
    }
    lua_setmetatable(l, -2);
    return b;
}

void
rh_buffer_add(lua_State *l, struct rh_buf *b, const char *s, size_t n)
{
    if (n > rh_script_of(l)->options.limits.output - b->n)
        rh_script_stop(l, RH_STOP_OUTPUT);
    rh_script_charge_text(l, n);
    rh_buf_addn(b, s, n);
}

void
rh_buffer_result(lua_State *l, struct rh_buf *b)
{
    lua_pushlstring(l, rh_buf_text(b), b->n);
    rh_buf_clear(b);
}
