/* SPDX-License-Identifier: Apache-2.0 */
/* define - new types made of resources: their parameters have types, their resources go into the
 * one set, and their list of actions runs at the instance's place.
 *
 *   - define: vhost
 *     parameters:
 *       port: Integer[1, 65535]
 *       root: {type: "String[1]", default: /srv/www, desc: Where its files are.}
 *     resources:
 *       - file: /etc/nginx/sites/${title}.conf
 *         content: "listen ${port}"
 *   - vhost: example.org
 *     port: 8080 */
#ifndef RH_MANIFEST_ENTRY_DEFINE_H
#define RH_MANIFEST_ENTRY_DEFINE_H

#include <stdbool.h>

struct rh_arena;
struct rh_definition;
struct rh_error;
struct rh_load;
struct rh_resource;
struct rh_type;
struct rh_value;

/* Reads the entries among `resources` that are definitions, so that they are known wherever their
 * instances stand. */
void rh_define_read_all(struct rh_load *load, const struct rh_value *resources);
/* One of them; NULL after a complaint. */
struct rh_definition *rh_define_read(struct rh_load *load, const struct rh_value *entry);

/* One without resources of its own, whose `expand` the caller sets. */
struct rh_definition *rh_define_add(struct rh_load *load, const struct rh_type *type);

/* The type of a definition with these parameters, as descriptions of types have attributes. NULL with the
 * reason. */
struct rh_type *rh_define_make(struct rh_arena *a, const char *name, struct rh_value *parameters,
                               struct rh_error *err);

/* tree.c: the definition `tree`, which rhost has itself: a directory with all that a directory beside the
 * manifest has in it. Its resources are a directory for each directory, a file for each file, and a link for
 * each link.
 *
 *   - tree: /srv/www
 *     source: files/www
 *     templates: .tmpl */

/* Makes it known, unless a plugin has a type of that name. */
void rh_define_tree(struct rh_load *load);

/* Its type. NULL with the reason. */
const struct rh_type *rh_define_tree_type(struct rh_arena *a, struct rh_error *err);

bool rh_is_definition(const struct rh_value *entry);

/* Puts the resources of an instance into the catalog, which has the instance already; and, `listed`,
 * its actions at the end of the list. -1 after a complaint. */
int rh_define_expand(struct rh_load *load, struct rh_resource *instance, bool listed);

/* A type with these parameters, of whatever types, for an instance in a compiled catalog. */
const struct rh_type *rh_define_type_of(struct rh_load *load, const char *type,
                                        const struct rh_value *attributes);

#endif
