/* SPDX-License-Identifier: Apache-2.0 */
/* library - what scripts can call, and the names that they find it by. */
#ifndef RH_SCRIPT_LIBRARY_H
#define RH_SCRIPT_LIBRARY_H

#include <lua.h>
#include <stdbool.h>

struct rh_suggest;

/* A function of the library. Before it runs it has paid for being called; when something secret is
 * among what it was called with, so is what it returns. */
struct rh_function {
    const char *name;
    lua_CFunction call;
};

void rh_library_open(lua_State *l);

/* Adds functions to the table at the top; the array ends with a NULL and must stay. */
void rh_library_add(lua_State *l, const struct rh_function *functions);

/* The same for functions and constants of a standard library that `open` makes, by name. */
void rh_library_borrow(lua_State *l, lua_CFunction open, const char *const *names);

/* The same for one function that has the standard one of its name for its second upvalue. */
void rh_library_add_with(lua_State *l, const struct rh_function *f, lua_CFunction open);

/* Pushes one function; the value at the top becomes its second upvalue. */
void rh_library_push(lua_State *l, const struct rh_function *f);

/* Replaces the table at the top by one that only reads it; `name` is for messages. */
void rh_library_seal(lua_State *l, const char *name);

enum { RH_LIBRARY_GUESS = 2000 }; /* what guessing costs what was meant, in instructions */

/* Tries the names in the table. */
void rh_library_suggest(lua_State *l, int table, struct rh_suggest *suggest);

/* Pushes a table of names for a recipe: those of the table at `globals`, then the library's. What
 * the recipe sets goes to `globals`. */
void rh_library_environment(lua_State *l, int globals);

/* lib: the parts of the library: each adds its functions to the table at the top. */

void rh_lib_base_open(lua_State *l);       /* what Lua has itself: pairs, type, pcall... */
void rh_lib_string_open(lua_State *l);     /* string, utf8 */
void rh_lib_pattern_open(lua_State *l);    /* string's find, match, gmatch, gsub */
void rh_lib_render_open(lua_State *l);     /* template, render */
void rh_lib_text_open(lua_State *l);       /* join, split, match... */
void rh_lib_data_open(lua_State *l);       /* keys, merge, map... */
void rh_lib_collection_open(lua_State *l); /* union, group_by... */
void rh_lib_list_open(lua_State *l);       /* first, flatten, pick... */
void rh_lib_line_open(lua_State *l);       /* indent, wrap, dirname, version_compare... */
void rh_lib_address_open(lua_State *l);    /* cidr_host, ip_version... */
void rh_lib_measure_open(lua_State *l);    /* parse_size, format_duration... */
void rh_lib_notation_open(lua_State *l);   /* yaml, from_yaml, toml, from_toml */
void rh_lib_ini_open(lua_State *l);        /* ini, from_ini */
void rh_lib_digest_open(lua_State *l);     /* sha256, md5, uuid5... */
void rh_lib_glob_open(lua_State *l);       /* glob_matches */
void rh_lib_password_open(lua_State *l);   /* password_hash */
void rh_lib_seed_open(lua_State *l);       /* seeded_random... */
void rh_lib_time_open(lua_State *l);       /* format_time */
void rh_lib_encode_open(lua_State *l);     /* json, base64, hex... */
void rh_lib_world_open(lua_State *l);      /* file, env, secret... */
void rh_lib_table_open(lua_State *l);      /* table, math */

#endif
