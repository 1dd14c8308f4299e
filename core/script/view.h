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

/* Pushes entry `i` of the view at `index`: its key (or position), then its value. */
void rh_view_push_entry(lua_State *l, int index, size_t i);

#endif
