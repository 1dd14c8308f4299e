/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the files that read whole files share. */
#ifndef RH_MANIFEST_PARTS_H
#define RH_MANIFEST_PARTS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_file;
struct rh_load;
struct rh_value;

/* body.c: what stands in a file, read when its turn comes: entries above all. */

/* Reads what the file declares, by what kind of file it is, and only once: manifests, roles (those
 * that they name come first), recipes, compiled catalogs. Their attributes are settled already
 * (node-attributes.c). The complaints are counted. */
void rh_body_read(struct rh_load *load, struct rh_file *file);

/* include.c: entries of other files, read where they are named:
 *
 *   - include: roles/web.yaml
 *   - include: [base.yaml, "conf.d/?.yaml"]
 *
 * Paths are relative to the file in which they stand. A file counts once, however often it is
 * included. Names with '*', '?' or '[' stand for the files that match, in the order of their
 * bytes. */

/* Reads the files that entry `entry` names by its key number `at`; complaints about them are counted. -1: the
 * entry itself is refused. */
int rh_include_read(struct rh_load *load, struct rh_value *entry, size_t at);

/* The same for a path or a list of paths alone; complaints are counted. */
void rh_include_paths(struct rh_load *load, struct rh_value *paths);

/* include-fixed.c: what is included whatever happens: calls `one` for each file that can be read. Complains
 * only of what is wrong inside of these files. */
void rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                      void (*one)(void *to, struct rh_file *included, const struct rh_value *path), void *to);

/* Complains where an included file sets attributes, and must not, since it is of a module: -1 then. */
int rh_include_check_attributes(struct rh_load *load, const struct rh_file *file);

/* module-definitions.c: the definitions of the module that "acme::site" is of, if the site has module "acme".
 * They are read once, with what the module requires checked before. -1 with the reason when the module cannot
 * be used, or does not define the type. Errors in its files are added to the complaints. */
RH_CHECKED int rh_module_definitions_read(struct rh_load *load, const char *type, struct rh_error *err);

/* compiled.c: reading back what catalog/export.h writes.
 *
 * Resources are held against the types that are installed here, as those of a manifest are; their
 * places stay those of the manifest they came from. Automatic relations are made anew. */

/* Adds all of it to the catalog; complains of what is wrong. */
void rh_compiled_read(struct rh_load *load, struct rh_value *v);

/* node-attributes.c: the attributes, before any resource is looked at.
 *
 * Facts are there from the start (and asked for when somebody reads them). Then come, each later one
 * over the earlier ones of its level: the data files; the environment; the roles, those of the manifests
 * first and those of the command line last, what a role names before the role; `attributes:` of each
 * manifest, behind those of the files that it includes whatever happens; --attributes; --attribute. */

/* Settles them, for these files of the command line (NULL among them: what could not be read), and
 * returns the roles of the command line behind those of the manifests: the caller's, *n of them. */
struct rh_file **rh_node_attributes_read(struct rh_load *load, struct rh_file *const *arguments,
                                         size_t n_arguments, size_t *n);

/* Those of a file that is included now, and of what it includes: unless they are settled. */
void rh_node_attributes_read_file(struct rh_load *load, struct rh_file *file);

#endif
