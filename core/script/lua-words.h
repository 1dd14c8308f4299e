/* SPDX-License-Identifier: Apache-2.0 */
/* lua-words - what Lua says of arguments, in the words of the library. */
#ifndef RH_SCRIPT_LUA_WORDS_H
#define RH_SCRIPT_LUA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "bad argument #1 to 'split' (string expected, got nil)" as "argument 1 of 'split' must be a string,
 * not nil", and its code. false: it is another message. */
bool rh_lua_argument_error(const char *message, char *text, size_t n, unsigned *code);

#endif
