/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one entry of `resources`: a type, a title or several, attributes and keywords. */
#ifndef RH_MANIFEST_ENTRY_ENTRY_H
#define RH_MANIFEST_ENTRY_ENTRY_H

#include <stddef.h>

struct rh_load;
struct rh_reference;
struct rh_resource;
struct rh_keyword_values;
struct rh_value;

/* Adds what the entry declares to the catalog. -1 when there was a complaint. `entry` is used up:
 * its values are read in place and become those of the resources. */
int rh_entry_read(struct rh_load *load, struct rh_value *entry);

/* word.c: an entry that is no resource but does something with one: declare, edit, trigger; or
 * that includes a file. */

/* The number of its key, or SIZE_MAX when it is none of them. */
size_t rh_entry_word(const struct rh_value *entry);
int rh_entry_read_word(struct rh_load *load, struct rh_value *entry, size_t at);

/* No resource is declared by this name. */
int rh_entry_refuse_undeclared(struct rh_load *load, const struct rh_reference *ref, const char *hint);

/* edit.c: `edit: REF`: a resource that is declared gets other attributes, other words, and
 * another place in the list. */

/* Edits the resource, now or (where it is not declared yet) when everything is read. `at` is the
 * number of the key `edit`. */
int rh_entry_edit(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref);

/* Edits of what is declared later, when everything is read. */
void rh_entry_edit_late(struct rh_load *load);

/* purge.c: `purge: TYPE`: what is there and in no manifest goes.
 *
 * Such an entry is read as a resource of the type 'purge' is (load/purge-type.h), whose title is the type and
 * whose attributes are `keep` and `limit`; so it has a place in the list, and relations, and is compiled,
 * like any other. Its provider is the one that the purged type is asked for, or 'purge'. */

/* Finds out what a resource of that type purges, and refuses what can't be. Nothing for others. */
int rh_purge_prepare(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_resource *r);

#endif
