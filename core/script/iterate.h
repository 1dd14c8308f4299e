/* SPDX-License-Identifier: Apache-2.0 */
/* iterate - going through tables in an order that is always the same. */
#ifndef RH_SCRIPT_ITERATE_H
#define RH_SCRIPT_ITERATE_H

#include <lua.h>

int rh_iterate(lua_State *l);      /* pairs */
int rh_iterate_list(lua_State *l); /* ipairs */

/* Pushes a list of the keys of the table or view at `index`, in order; returns how many. */
lua_Integer rh_push_keys(lua_State *l, int index);

#endif
