/* SPDX-License-Identifier: Apache-2.0 */
/* sort - lists in order, whatever the function that compares says. */
#ifndef RH_SCRIPT_SORT_H
#define RH_SCRIPT_SORT_H

#include <lua.h>

/* Sorts positions 1..n of the table at `index`, equal ones as they stood; `less` is the index of a
 * function, or of a nil. */
void rh_sort(lua_State *l, int index, lua_Integer n, int less);

#endif
