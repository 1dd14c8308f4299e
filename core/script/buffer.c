/* SPDX-License-Identifier: Apache-2.0 */
/* buffer - texts that grow while errors may be raised. */
#include "config.h"

#include "script/buffer.h"

#include "script/parts.h"

static char metatable; /* its address is where that is kept */

/* What it has taken counts as the script's memory. */
struct buffer {
    struct rh_buf b;
    size_t counted;
};

static int
clear(lua_State *l)
{
    struct buffer *buffer = lua_touserdata(l, 1);

    rh_script_of(l)->used -= buffer->counted;
    buffer->counted = 0;
    rh_buf_clear(&buffer->b);
    return 0;
}

struct rh_buf *
rh_buffer_push(lua_State *l)
{
    struct buffer *buffer = lua_newuserdatauv(l, sizeof *buffer, 0);
    struct rh_buf *b = &buffer->b;

    *buffer = (struct buffer){ 0 };
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

static void
recount(struct rh_script *s, struct buffer *buffer)
{
    s->used = s->used - buffer->counted + buffer->b.cap;
    buffer->counted = buffer->b.cap;
}

void
rh_buffer_account(lua_State *l, struct rh_buf *b)
{
    struct rh_script *s = rh_script_of(l);

    recount(s, (struct buffer *)b);
    rh_script_charge_text(l, b->n);
    if (s->used > s->options.limits.memory)
        rh_script_stop(l, RH_STOP_MEMORY);
}

void
rh_buffer_add(lua_State *l, struct rh_buf *b, const char *s, size_t n)
{
    struct rh_script *script = rh_script_of(l);

    if (b->n > script->options.limits.output || n > script->options.limits.output - b->n)
        rh_script_stop(l, RH_STOP_OUTPUT);
    rh_script_charge_text(l, n);
    if (b->cap - b->n > n) {
        rh_buf_addn(b, s, n);
        return;
    }
    /* It grows to twice its size: room for all of it once more. */
    if (b->n + n > rh_script_room(script) / 2)
        lua_gc(l, LUA_GCCOLLECT);
    if (b->n + n > rh_script_room(script) / 2)
        rh_script_stop(l, RH_STOP_MEMORY);
    rh_buf_addn(b, s, n);
    recount(script, (struct buffer *)b);
}

void
rh_buffer_result(lua_State *l, struct rh_buf *b)
{
    struct buffer *buffer = (struct buffer *)b;

    lua_pushlstring(l, rh_buf_text(b), b->n);
    rh_buf_clear(b);
    recount(rh_script_of(l), buffer);
}
