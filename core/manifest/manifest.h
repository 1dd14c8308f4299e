/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - files to a catalog.
 *
 * Everything that is wrong in any of the files is a complaint, with its place; a broken entry does
 * not hide the next one. Nothing here touches the machine. */
#ifndef RH_MANIFEST_MANIFEST_H
#define RH_MANIFEST_MANIFEST_H

#include "manifest/load/input.h"

#include <stddef.h>

struct rh_arena;
struct rh_catalog;
struct rh_complaints;
struct rh_error;
struct rh_type;
struct rh_value;

/* Reads the files (YAML, JSON, compiled catalogs; `-` is standard input) and what they name,
 * reads the attributes of the node (node-attributes.c), and adds what they declare to the catalog, in
 * order: resources validated against their types, the action list, and what they state about each other. The
 * caller then resolves relations (catalog/order.h), also after a failure: what was refused here does not
 * become an error there. Values belong to the catalog's arena. Returns -1 when there was any complaint. */
int rh_manifest_load(struct rh_catalog *c, const struct rh_manifest_types *types, const char *const *files,
                     size_t n, struct rh_complaints *complaints);

/* The same for text that is there already, shown as `name`. */
int rh_manifest_load_text(struct rh_catalog *c, const struct rh_manifest_types *types, const char *name,
                          const char *text, size_t n, struct rh_complaints *complaints);

/* The same for a compiled catalog (catalog/export.h) that is there already, as a value. Without the marks of
 * one: it may have values that JSON cannot say. */
int rh_manifest_load_compiled(struct rh_catalog *c, const struct rh_manifest_types *types, struct rh_value *v,
                              struct rh_complaints *complaints);

/* The type of a definition that rhost has itself: `tree`. NULL when there is none of that name, or with the
 * reason. */
const struct rh_type *rh_manifest_own_type(struct rh_arena *a, const char *name, struct rh_error *err);

#endif
