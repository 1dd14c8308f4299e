/* SPDX-License-Identifier: Apache-2.0 */
/* path - paths of attributes as files write them (web.port, or [web, port]), and those
 * that lead to a secret. */
#ifndef RH_MANIFEST_ATTRIBUTE_PATH_H
#define RH_MANIFEST_ATTRIBUTE_PATH_H

#include <stdbool.h>

struct rh_load;
struct rh_value;

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
