/* SPDX-License-Identifier: Apache-2.0 */
/* arguments - what functions of the library are called with. */
#ifndef RH_SCRIPT_ARGUMENTS_H
#define RH_SCRIPT_ARGUMENTS_H

#include <lua.h>
#include <stddef.h>

/* As scripts see it: a view is a table. */
const char *rh_script_type(lua_State *l, int index);

/* Pushes what tostring makes of it, without addresses. */
void rh_script_text(lua_State *l, int index);

/* Raises what is wrong with argument `arg`. */
int rh_wrong_argument(lua_State *l, int arg, const char *wanted) __attribute__((noreturn));

/* A table or view at `arg`; its length, which has been paid for. */
lua_Integer rh_check_list(lua_State *l, int arg);
void rh_check_table(lua_State *l, int arg);

#endif
