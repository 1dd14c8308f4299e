/* SPDX-License-Identifier: Apache-2.0 */
/* known-key - the keys that a hash of a manifest may have. */
#ifndef RH_MANIFEST_LOAD_KNOWN_KEY_H
#define RH_MANIFEST_LOAD_KNOWN_KEY_H

#include <stdbool.h>
#include <stddef.h>

struct rh_complaints;
struct rh_type;
struct rh_value;

/* Whether the key of this entry is one of `keys`, which end with NULL; complains that `what` ("a
 * notification") has none of that name, with the one that may have been meant, or all. */
bool rh_known_key(struct rh_complaints *complaints, const struct rh_value *hash, size_t i,
                  const char *const *keys, const char *what);

/* Whether the key is left to whoever writes the manifest: `x-base: &base {...}` is a home for an anchor. */
static inline bool
rh_is_extension_key(const char *key)
{
    return key[0] == 'x' && key[1] == '-';
}

/* foreign.c: words of other programs' manifests, and what they are here. */

/* A hint for a key of an entry of this type; NULL when there is none. */
const char *rh_foreign_key(const struct rh_type *type, const char *key);

/* A hint for a type of another program, the caller's; NULL when there is none. */
char *rh_foreign_type(const char *type);

/* A hint for a key at the top of a manifest; NULL when there is none. */
const char *rh_foreign_top(const char *key);

#endif
