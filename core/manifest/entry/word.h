/* SPDX-License-Identifier: Apache-2.0 */
/* word - an entry that is no resource but does something with one: declare, edit, trigger; or
 * that includes a file. */
#ifndef RH_MANIFEST_ENTRY_WORD_H
#define RH_MANIFEST_ENTRY_WORD_H

#include <stddef.h>

struct rh_load;
struct rh_reference;
struct rh_value;

/* The number of its key, or SIZE_MAX when it is none of them. */
size_t rh_entry_word(const struct rh_value *entry);
int rh_entry_read_word(struct rh_load *load, struct rh_value *entry, size_t at);

/* No resource is declared by this name. */
int rh_entry_refuse_undeclared(struct rh_load *load, const struct rh_reference *ref,
                               const char *hint);

#endif
