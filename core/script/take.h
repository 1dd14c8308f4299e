/* SPDX-License-Identifier: Apache-2.0 */
/* take - what a script has made, as a value: rh_script_take of script/state.h, and lists. */
#ifndef RH_SCRIPT_TAKE_H
#define RH_SCRIPT_TAKE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct rh_value;

/* Says that the table at `index` is a list, even while it is empty. */
void rh_list_mark(lua_State *l, int index);
bool rh_list_is(lua_State *l, int index);

/* Counts, and charges, what the arena is about to get. */
void rh_script_count(lua_State *l, size_t n);

/* Charges the text that is about to be made of a value; each level is indented by so much. */
void rh_script_charge_value(lua_State *l, const struct rh_value *v, unsigned indent);

#endif
