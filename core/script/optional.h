/* SPDX-License-Identifier: Apache-2.0 */
/* optional - default(ATTRIBUTE, OTHER), exists(ATTRIBUTE) and ATTRIBUTE or OTHER: what may be missing.
 *
 * Reading an attribute that does not exist is an error. The first argument of these two functions, and a path
 * like node.web.port in front of 'or', are the exceptions: each is compiled to a function of its own, and
 * what is missing in it ends just that. */
#ifndef RH_SCRIPT_OPTIONAL_H
#define RH_SCRIPT_OPTIONAL_H

#include <lua.h>
#include <stddef.h>

/* Text that is inserted into a chunk in front of the byte at `at`. */
struct rh_insertion {
    size_t at;
    const char *text;
};

/* What is to be inserted into the chunk so that each of these is a function, in the order of `at`. The
 * caller's, by free(); NULL with `count` 0 where there is none. */
struct rh_insertion *rh_optional_find(const char *text, size_t n, size_t *count);

/* Where `not a == b` stands, which compares a boolean with b: the offset of the word 'not'; `n` where it
 * stands nowhere. */
size_t rh_optional_find_negation(const char *text, size_t n);

/* Whether what is missing is to be left to the call of default() or exists() that is under way: then
 * rh_optional_leave leaves it. It does not return. */
_Noreturn void rh_optional_leave(lua_State *l);

/* The two functions. */
int rh_optional_default(lua_State *l);
int rh_optional_exists(lua_State *l);

/* What is inserted calls these, by names that no script has: default() around a path, and what makes of a
 * function that is called 'default' or 'exists' one that takes a function for its first argument. Those of
 * the library do; a script's own gets its values. */
#define RH_OPTIONAL_PATH "_default"
#define RH_OPTIONAL_CALLED "_called"
int rh_optional_called(lua_State *l);

#endif
