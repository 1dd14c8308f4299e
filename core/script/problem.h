/* SPDX-License-Identifier: Apache-2.0 */
/* problem - what went wrong in a script, and where. */
#ifndef RH_SCRIPT_PROBLEM_H
#define RH_SCRIPT_PROBLEM_H

#include "base/place.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_script;
struct rh_error;

/* The names of chunks: this, and the number of the file, or an 'e' for an expression. What Lua puts
 * in front of its messages is found by it. */
enum { RH_SCRIPT_MARK = '\x01', RH_SCRIPT_HINT = '\x02' };

/* With the error at the top of the stack, before that is unwound: keeps what to say of it. */
void rh_script_note(lua_State *l);

/* Forgets it again: it was caught. */
void rh_script_forget(struct rh_script *s);

/* Fills `err` (may be NULL) after a failure. */
void rh_script_explain(struct rh_script *s, int status, struct rh_error *err);

/* Adds a text that leaves the script, an error's or what `print` says, without the secrets that it has met;
 * false, with nothing added, when there are none in it. */
bool rh_script_redact(struct rh_script *s, const char *text, size_t n, struct rh_buf *to);

/* The place in front of a message, and the message behind that; false when there is none. */
bool rh_script_prefix(const char *message, struct rh_place *place, const char **rest);

/* Makes the error at the top of the stack one that may be shown to the script itself. */
void rh_script_plain_error(lua_State *l);

/* Where in an expression's text what the message is about stands. */
size_t rh_script_find(const char *text, size_t n, unsigned line, const char *message);

#endif
