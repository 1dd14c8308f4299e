/* SPDX-License-Identifier: Apache-2.0 */
/* body - what stands in a file, read when its turn comes: entries above all. */
#ifndef RH_MANIFEST_BODY_H
#define RH_MANIFEST_BODY_H

struct rh_file;
struct rh_load;

/* Reads what the file declares, by what kind of file it is, and only once: manifests, roles (those
 * that they name come first), recipes, compiled catalogs. Their attributes are settled already
 * (node-attributes.h). The complaints are counted. */
void rh_body_read(struct rh_load *load, struct rh_file *file);

#endif
