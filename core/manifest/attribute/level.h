/* SPDX-License-Identifier: Apache-2.0 */
/* level - levels of attributes, and what files put into one.
 *
 * An expression sees what is written above it. Each value keeps its place. */
#ifndef RH_MANIFEST_ATTRIBUTE_LEVEL_H
#define RH_MANIFEST_ATTRIBUTE_LEVEL_H

#include "node/node.h"

#include <stdbool.h>

struct rh_load;
struct rh_suggest;
struct rh_value;

/* The level of this name, -1 after a complaint at `place`. */
int rh_attributes_level(struct rh_load *load, const char *name, struct rh_place place);
void rh_attributes_suggest_level(struct rh_suggest *s);

/* Reads a value, for this path (NULL: the top), that has no expression left above it; what can't be
 * read is unknown, so that nothing complains about it again. */
void rh_attributes_read_value(struct rh_load *load, const struct rh_value *path,
                              struct rh_value *v);

/* A table for one level; `what` is the key under which it stands. `join`: lists are joined with those
 * that the level has, as it is done with roles. */
void rh_attributes_lay(struct rh_load *load, enum rh_node_level level, struct rh_value *table,
                       const char *what, bool join);

/* One value at a path: a hash is merged with what is there. `fully`: instead of all that the level's
 * precedence has there. */
void rh_attributes_set(struct rh_load *load, enum rh_node_level level, const struct rh_value *path,
                       struct rh_value *v, struct rh_place place, bool fully);

#endif
