/* SPDX-License-Identifier: Apache-2.0 */
/* node-view - `node`: the merged attributes, read one top-level key at a time, so that facts that
 * nobody looks at are not asked for. */
#include "config.h"

#include "script/view.h"

#include "script/parts.h"

#include "base/value.h"
#include "node/node.h"

#include <string.h>

static char metatable; /* its address is where `node` is kept */

static int
node_index(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const struct rh_value *v = NULL;
    size_t n, before = rh_node_size(s->options.node);
    const char *key;

    if (lua_type(l, 2) == LUA_TSTRING) {
        key = lua_tolstring(l, 2, &n);
        v = strlen(key) == n ? rh_node_read_key(s->options.node, key) : NULL;
    }
    rh_script_account(s, rh_node_size(s->options.node) - before);
    rh_view_push_found(l, v);
    return 1;
}

static int
node_length(lua_State *l)
{
    lua_pushinteger(l, 0);
    return 1;
}

static int
node_equal(lua_State *l)
{
    lua_pushboolean(l, lua_touserdata(l, 1) == lua_touserdata(l, 2));
    return 1;
}

void
rh_node_view_push(lua_State *l)
{
    static const luaL_Reg slots[] = {
        { "__index", node_index },
        { "__newindex", rh_view_refuse },
        { "__len", node_length },
        { "__eq", node_equal },
        { NULL, NULL },
    };

    if (lua_rawgetp(l, LUA_REGISTRYINDEX, &metatable) == LUA_TUSERDATA)
        return;
    lua_pop(l, 1);
    lua_newtable(l);
    luaL_setfuncs(l, slots, 0);
    lua_pushliteral(l, "table"); /* what messages call it */
    lua_setfield(l, -2, "__name");
    rh_view_push_root(l, "node");
    lua_pushvalue(l, -1);
    lua_rawsetp(l, LUA_REGISTRYINDEX, &metatable);
}
