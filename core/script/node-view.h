/* SPDX-License-Identifier: Apache-2.0 */
/* node-view - `node`: the merged attributes, read one top-level key at a time. */
#ifndef RH_SCRIPT_NODE_VIEW_H
#define RH_SCRIPT_NODE_VIEW_H

#include <lua.h>

struct rh_script;
struct rh_value;

/* Pushes `node`. */
void rh_node_view_push(lua_State *l);

/* All of it, facts too; NULL when there is no node. */
const struct rh_value *rh_node_view_whole(struct rh_script *s);

#endif
