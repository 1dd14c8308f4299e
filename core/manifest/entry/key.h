/* SPDX-License-Identifier: Apache-2.0 */
/* key - the keys of an entry that are not its type: attributes and keywords. */
#ifndef RH_MANIFEST_ENTRY_KEY_H
#define RH_MANIFEST_ENTRY_KEY_H

#include <stddef.h>

struct rh_reading;

/* Leaves the attributes in the entry, by the type's own names and read by their types, and notes
 * what keywords say. `at` is the key that is neither. */
void rh_entry_read_keys(struct rh_reading *r, size_t at);

/* The same where the attributes (r->entry) and the words (r->words) stand apart. */
void rh_entry_read_apart(struct rh_reading *r);

#endif
