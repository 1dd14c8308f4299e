/* SPDX-License-Identifier: Apache-2.0 */
/* arguments - what functions of the library are called with. */
#ifndef RH_SCRIPT_ARGUMENTS_H
#define RH_SCRIPT_ARGUMENTS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* As scripts see it: a view is a table. */
const char *rh_script_type(lua_State *l, int index);

/* Pushes what tostring makes of it, without addresses. */
void rh_script_text(lua_State *l, int index);

/* Raises what is wrong with argument `arg`. */
void rh_wrong_argument(lua_State *l, int arg, const char *wanted) __attribute__((noreturn));

/* A table or view; a list, as opposed to a hash: what is empty is one when it says so. */
bool rh_is_table(lua_State *l, int index);
bool rh_is_list(lua_State *l, int index);

/* A table or view at `arg`; its length, which has been paid for. */
lua_Integer rh_check_list(lua_State *l, int arg);
void rh_check_table(lua_State *l, int arg);

/* iterate.c: going through tables in an order that is always the same. */

int rh_iterate(lua_State *l);      /* pairs */
int rh_iterate_list(lua_State *l); /* ipairs */

/* Pushes a list of the keys of the table or view at `index`, in order; returns how many. */
lua_Integer rh_push_keys(lua_State *l, int index);

/* sort.c: lists in order, whatever the function that compares says. */

/* Sorts positions 1..n of the table at `index`, equal ones as they stood; `less` is the index of a
 * function, or of a nil. */
void rh_sort(lua_State *l, int index, lua_Integer n, int less);

#endif
