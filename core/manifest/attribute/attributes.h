/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - what files say of the node's attributes, put into it:
 *
 *   attributes:                       attributes:
 *     default:                          - {op: set, level: default, path: [web, port], value: 80}
 *       web: {port: 8080}               - {op: rm, path: web.legacy}
 *     sensitive: [web.password]
 *
 * Plain scalars are read by YAML's core schema. An expression sees what is written above it. Each
 * value keeps its place. */
#ifndef RH_MANIFEST_ATTRIBUTE_ATTRIBUTES_H
#define RH_MANIFEST_ATTRIBUTE_ATTRIBUTES_H

#include "node/node.h"

#include <stdbool.h>

struct rh_load;
struct rh_suggest;
struct rh_value;

/* Levels or operations, as they stand under `attributes:`. Used up: values are read in place. The
 * complaints are counted. */
void rh_attributes_read(struct rh_load *load, struct rh_value *v);

/* level.c: levels of attributes, and what files put into one.
 *
 * An expression sees what is written above it. Each value keeps its place. */

/* The level of this name, -1 after a complaint at `place`. */
int rh_attributes_level(struct rh_load *load, const char *name, struct rh_place place);
void rh_attributes_suggest_level(struct rh_suggest *s);

/* Reads a value, for this path (NULL: the top), that has no expression left above it; what can't be
 * read is unknown, so that nothing complains about it again. */
void rh_attributes_read_value(struct rh_load *load, const struct rh_value *path, struct rh_value *v);

/* A table for one level; `what` is the key under which it stands. `join`: lists are joined with those
 * that the level has, as it is done with roles. */
void rh_attributes_lay(struct rh_load *load, enum rh_node_level level, struct rh_value *table,
                       const char *what, bool join);

/* One value at a path: a hash is merged with what is there. `fully`: instead of all that the level's
 * precedence has there. */
void rh_attributes_set(struct rh_load *load, enum rh_node_level level, const struct rh_value *path,
                       struct rh_value *v, struct rh_place place, bool fully);

/* path.c: paths of attributes as files write them (web.port, or [web, port]), and those
 * that lead to a secret. */

/* Reads a path in place: a list of texts and whole numbers. NULL after a complaint; `again`: without
 * one, since somebody else reads it as well. */
struct rh_value *rh_attributes_path(struct rh_load *load, struct rh_value *v, bool again);

/* Notes the paths that `sensitive` lists, in levels and operations, so that they are known before
 * any value is read, whichever file it stands in. */
void rh_attributes_note_secrets(struct rh_load *load, const struct rh_value *v);
void rh_attributes_note_secret_list(struct rh_load *load, const struct rh_value *paths);

/* Hides what of `v`, which is for `path` (NULL: the top), is to be shown nowhere. */
void rh_attributes_hide(struct rh_load *load, const struct rh_value *path, struct rh_value *v);

#endif
