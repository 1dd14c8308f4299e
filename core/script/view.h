/* SPDX-License-Identifier: Apache-2.0 */
/* view - values as scripts see them: tables that can't be written. */
#ifndef RH_SCRIPT_VIEW_H
#define RH_SCRIPT_VIEW_H

#include <lua.h>
#include <stdbool.h>

struct rh_value;

void rh_views_open(lua_State *l);

/* Pushes a value that is found under `name` (which lives as long as the value; may be NULL). */
void rh_view_push(lua_State *l, const struct rh_value *v, const char *name);

/* The value that is viewed at `index`, NULL when that is no view. `sensitive`: it is within
 * something that is. */
const struct rh_value *rh_view_of(lua_State *l, int index, bool *sensitive);

/* For `node`, which is a view of nothing in particular: it has the metatable at the top, which is
 * popped, and which finds values by rh_view_push_found. */
void rh_view_push_root(lua_State *l, const char *name);

/* Pushes the value that the view at index 1 has under the key at index 2; raises that there is none when it
 * is NULL. */
void rh_view_push_found(lua_State *l, const struct rh_value *v);
int rh_view_refuse(lua_State *l); /* what writing to a view does */

/* lua_gettable, but nil where a view at `index` has nothing under the key. */
void rh_view_get(lua_State *l, int index);

/* Pushes entry `i` of the view at `index`: its key (or position), then its value. */
void rh_view_push_entry(lua_State *l, int index, size_t i);

/* node-view.c: `node`: the merged attributes, read one top-level key at a time. */

/* Pushes `node`. */
void rh_node_view_push(lua_State *l);

/* node-write.c: `node` in recipes, where attributes can be written as well (RFC 23):
 *
 *   node.default.web.port = 80                  an assignment at a level
 *   node["default!"].web = { port = 80 }        a full assignment
 *   node.normal_unless.web.user = "www-data"    unless there is one
 *   node:rm("web", "tls")                       and all other operations, by their names
 *   node:write("default", "web", "port", 80)    the level first, the value last
 *   node.attributes.combined_default.web        a view
 *   node.web.port                               the merged value, as everywhere */

/* Pushes it. */
void rh_node_write_push(lua_State *l);

#endif
