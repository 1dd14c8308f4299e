/* SPDX-License-Identifier: Apache-2.0 */
/* lua-place - where the names in a recipe's table were written.
 *
 * Lua knows the line on which a table begins, and no more. */
#ifndef RH_MANIFEST_TEXT_LUA_PLACE_H
#define RH_MANIFEST_TEXT_LUA_PLACE_H

#include "base/place.h"

#include <stddef.h>

struct rh_sources;
struct rh_value;

/* Where a line of a file was found last, so that lines in order are found in one pass. All zero at
 * first. */
struct rh_line {
    unsigned file;
    uint32_t line;
    size_t at;
};

/* Gives each value of the hash the place of its key in a table that begins on the line of `here`,
 * or that place itself where the key is not found: a name that was computed. */
void rh_recipe_set_places(const struct rh_sources *sources, struct rh_line *last, struct rh_place here,
                          struct rh_value *hash);

#endif
