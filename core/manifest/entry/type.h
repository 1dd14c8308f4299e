/* SPDX-License-Identifier: Apache-2.0 */
/* type - which key of an entry names the type.
 *
 * A word can be a type and an attribute of another: `user` of a cron job. The first key that is no
 * keyword is the type where all the others are attributes of it, and nothing else is looked up. */
#ifndef RH_MANIFEST_ENTRY_TYPE_H
#define RH_MANIFEST_ENTRY_TYPE_H

#include <stddef.h>

struct rh_load;
struct rh_type;
struct rh_value;

/* The type, by the provider that the entry asks for, and the number of its key. NULL after a
 * complaint; what the entry would have declared is then excused (catalog/catalog.h). */
const struct rh_type *rh_entry_type(struct rh_load *load, const struct rh_value *entry, size_t *at);

/* The same for the type that a text names. */
const struct rh_type *rh_entry_type_named(struct rh_load *load, const struct rh_value *entry,
                                          struct rh_value *name, const struct rh_value *titles);

/* Relations that name what an entry would have declared are no second error. */
void rh_entry_excuse(struct rh_load *load, const char *type, const struct rh_value *titles);

#endif
