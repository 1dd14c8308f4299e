/* SPDX-License-Identifier: Apache-2.0 */
/* meaning - whether a key of an entry is an attribute or a keyword. */
#ifndef RH_MANIFEST_KEYWORD_MEANING_H
#define RH_MANIFEST_KEYWORD_MEANING_H

struct rh_load;
struct rh_meaning;
struct rh_type;

/* Whether `key`, a key of a tree that rh_yaml_read made, is an attribute of the type (which
 * may be NULL) or a keyword. Valid until the next call. */
const struct rh_meaning *rh_key_meaning(struct rh_load *load, const struct rh_type *type,
                                        const char *key);

#endif
