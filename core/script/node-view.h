/* SPDX-License-Identifier: Apache-2.0 */
/* node-view - `node`: the merged attributes, read one top-level key at a time. */
#ifndef RH_SCRIPT_NODE_VIEW_H
#define RH_SCRIPT_NODE_VIEW_H

#include <lua.h>

/* Pushes `node`. */
void rh_node_view_push(lua_State *l);

#endif
