/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the files behind recipes share. */
#ifndef RH_MANIFEST_RECIPE_PARTS_H
#define RH_MANIFEST_RECIPE_PARTS_H

#include "base/place.h"

#include <lua.h>
#include <stdbool.h>

struct rh_load;
struct rh_value;

/* The load that a function of ours was made for: its first upvalue. */
struct rh_load *rh_recipe_load(lua_State *l);

/* Sets `name` in the table on top of the stack to a function that knows its load. */
void rh_recipe_add(lua_State *l, struct rh_load *load, const char *name, lua_CFunction function);

/* The text at `index`; raises an error that says what was `wanted` instead. */
const char *rh_recipe_text(lua_State *l, int index, const char *wanted);

/* "type[title]" of the two texts at `index` and behind it, as a value with the place. */
struct rh_value *rh_recipe_reference(lua_State *l, int index);

/* The table at `index` as a hash whose keys and values have places of their own where they can be
 * found in the source; raises an error for anything else. */
struct rh_value *rh_recipe_attributes(lua_State *l, int index);

/* An entry whose first key is `word`, with the attributes of `rest` (may be NULL) behind it, goes the
 * way of all entries. */
void rh_recipe_enter(lua_State *l, const char *word, struct rh_value *what, struct rh_value *rest);

/* The same for resources of a type, whose attributes are kept apart from words of the same names: they
 * are those of `rest`, or its `attributes` where it has them. */
void rh_recipe_enter_apart(lua_State *l, const char *type, struct rh_value *titles, struct rh_value *rest);

/* Something was begun, which is said to be unfinished when the recipe ends unless what is returned
 * has become true. `what` is the arena's. */
bool *rh_recipe_await(struct rh_load *load, struct rh_place place, const char *what);

/* Raises an error unless the value at `index` is userdata with the metatable that is kept in the
 * registry under `key`. */
void *rh_recipe_check(lua_State *l, int index, const void *key);

/* resource.c: the function that a type's name stands for is pushed. */
void rh_recipe_push_type(lua_State *l, struct rh_load *load, const char *type);

/* Add to the table on top of the stack: resource; declare, edit, trigger and the others. */
void rh_recipe_open_resources(lua_State *l, struct rh_load *load);
void rh_recipe_open_words(lua_State *l, struct rh_load *load);

#endif
