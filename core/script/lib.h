/* SPDX-License-Identifier: Apache-2.0 */
/* lib - the parts of the library: each adds its functions to the table at the top. */
#ifndef RH_SCRIPT_LIB_H
#define RH_SCRIPT_LIB_H

#include <lua.h>

void rh_lib_base_open(lua_State *l);    /* what Lua has itself: pairs, type, pcall... */
void rh_lib_string_open(lua_State *l);  /* string, utf8 */
void rh_lib_pattern_open(lua_State *l); /* string's find, match, gmatch, gsub */
void rh_lib_render_open(lua_State *l);  /* template, render */
void rh_lib_text_open(lua_State *l);    /* join, split, match... */
void rh_lib_data_open(lua_State *l);    /* keys, merge, map... */
void rh_lib_encode_open(lua_State *l);  /* json, base64, sha256... */
void rh_lib_world_open(lua_State *l);   /* file, env, secret... */
void rh_lib_table_open(lua_State *l);   /* table, math */

#endif
