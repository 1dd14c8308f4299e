/* SPDX-License-Identifier: Apache-2.0 */
/* state - the sandbox's Lua state, for those that add functions to it (manifest/recipe).
 *
 * The functions that are added are called by scripts: they get what they are called with, check
 * all of it, and raise errors by rh_script_raise, never luaL_error with text from outside as a
 * format. */
#ifndef RH_SCRIPT_STATE_H
#define RH_SCRIPT_STATE_H

#include "base/cleanup.h"
#include "base/place.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct rh_script;
struct rh_error;
struct rh_value;

struct rh_script *rh_script_of(lua_State *l);

/* Pushes a value: scalars as Lua's own, hashes and arrays as read-only views that index, iterate
 * and have a length like tables; undef as nil. */
void rh_script_push(lua_State *l, const struct rh_value *v);

/* The value at `index`, in the options' arena: tables become arrays (1..n without holes; an
 * empty one is an empty hash unless `list` was said by the library's `list {}`) or hashes with
 * their keys sorted. Text that holds a secret that was read is marked. Raises an error for
 * functions, holes, tables within themselves, and what is too deep or too large. */
struct rh_value *rh_script_take(lua_State *l, int index);

/* Raises an error at the place of the script's function that called, `level` levels up (0: the
 * innermost). Does not return. */
void rh_script_raise(lua_State *l, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* rh_script_raise with a hint of its own (may be NULL). */
void rh_script_raise_hint(lua_State *l, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* The same with a text and its code, or 0 where the text is its own wording. */
void rh_script_raise_code(lua_State *l, const char *hint, unsigned code, const char *text)
    __attribute__((noreturn));

/* For functions that were added: takes the work that one does off the budget, in instructions, and
 * the bytes that it keeps. Ends the evaluation when that is too much. */
void rh_script_pay(lua_State *l, unsigned instructions, size_t bytes);

/* Whether the text at `index` is a secret, or has one in it. */
bool rh_script_has_secret(lua_State *l, int index);

/* The file and line that is being executed. */
struct rh_place rh_script_place(lua_State *l);

/* Loads `text` as a chunk and runs it with the names of the table that `globals` returns (it is
 * called with `data` as light userdata); what that lacks is looked for in the library. -1 after a
 * error; 1 when it ended at a lookup that is not asked for now. */
RH_CHECKED int rh_script_run(struct rh_script *s, const char *text, size_t n, unsigned file,
                             lua_CFunction globals, void *data, struct rh_error *err);

/* Calls a function of a recipe: `push`, called with `data` as light userdata, returns it and what
 * it is called with. -1 after an error, 1 as above. */
RH_CHECKED int rh_script_call(struct rh_script *s, unsigned file, lua_CFunction push, void *data,
                              struct rh_error *err);

#endif
