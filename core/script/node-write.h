/* SPDX-License-Identifier: Apache-2.0 */
/* node-write - `node` in recipes, where attributes can be written as well (RFC 23):
 *
 *   node.default.web.port = 80                  an assignment at a level
 *   node["default!"].web = { port = 80 }        a full assignment
 *   node.normal_unless.web.user = "www-data"    unless there is one
 *   node:rm("web", "tls")                       and all other operations, by their names
 *   node:write("default", "web", "port", 80)    the level first, the value last
 *   node.attributes.combined_default.web        a view
 *   node.web.port                               the merged value, as everywhere */
#ifndef RH_SCRIPT_NODE_WRITE_H
#define RH_SCRIPT_NODE_WRITE_H

#include <lua.h>

/* Pushes it. */
void rh_node_write_push(lua_State *l);

#endif
