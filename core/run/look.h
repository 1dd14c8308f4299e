/* SPDX-License-Identifier: Apache-2.0 */
/* look - what a provider may see of the catalog that it is part of. */
#ifndef RH_RUN_LOOK_H
#define RH_RUN_LOOK_H

struct rh_arena;
struct rh_catalog;
struct rh_type;
struct rh_value;

/* The resource type[title] as a hash, NULL when there is none; all of the type as an array when
 * `title` is NULL; with "" as type, the paths below `title` that any resource names. See <rhost/catalog.h>. `asker` sees what is sensitive in its own type alone. */
const struct rh_value *rh_look(const struct rh_catalog *c, const struct rh_type *asker,
                               struct rh_arena *a, const char *type, const char *title);

#endif
