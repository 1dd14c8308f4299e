/* SPDX-License-Identifier: Apache-2.0 */
/* compiled - reading back what catalog/export.h writes.
 *
 * Resources are held against the types that are installed here, as those of a manifest are; their
 * places stay those of the manifest they came from. Automatic relations are made anew. */
#ifndef RH_MANIFEST_COMPILED_H
#define RH_MANIFEST_COMPILED_H

struct rh_load;
struct rh_value;

/* Adds all of it to the catalog. -1 when there was a complaint. */
int rh_compiled_read(struct rh_load *load, struct rh_value *v);

#endif
