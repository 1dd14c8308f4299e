/* SPDX-License-Identifier: Apache-2.0 */
/* buffer - texts that grow while errors may be raised. */
#ifndef RH_SCRIPT_BUFFER_H
#define RH_SCRIPT_BUFFER_H

#include "base/text.h"

#include <lua.h>

/* Pushes a buffer that goes with Lua's garbage at the latest. */
struct rh_buf *rh_buffer_push(lua_State *l);

/* Adds to it, on the budget, up to the limit of a text. */
void rh_buffer_add(lua_State *l, struct rh_buf *b, const char *s, size_t n);

/* After something else has added to it: counts that, and raises what is too much. */
void rh_buffer_account(lua_State *l, struct rh_buf *b);

/* Pushes what is in it as a text, and empties it. */
void rh_buffer_result(lua_State *l, struct rh_buf *b);

#endif
