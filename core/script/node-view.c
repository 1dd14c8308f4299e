/* SPDX-License-Identifier: Apache-2.0 */
/* node-view - `node`: the merged attributes, read one top-level key at a time. */
#include "config.h"

#include "script/node-view.h"

void
rh_node_view_push(lua_State *l)
{
    lua_pushnil(l);
}
