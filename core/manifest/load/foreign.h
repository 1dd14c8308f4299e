/* SPDX-License-Identifier: Apache-2.0 */
/* foreign - words of other programs' manifests, and what they are here. */
#ifndef RH_MANIFEST_LOAD_FOREIGN_H
#define RH_MANIFEST_LOAD_FOREIGN_H

struct rh_type;

/* A hint for a key of an entry of this type; NULL when there is none. */
const char *rh_foreign_key(const struct rh_type *type, const char *key);

/* A hint for a key at the top of a manifest; NULL when there is none. */
const char *rh_foreign_top(const char *key);

#endif
