/* SPDX-License-Identifier: Apache-2.0 */
/* entry-parts - what the kinds of entries share while one is read. */
#ifndef RH_MANIFEST_ENTRY_PARTS_H
#define RH_MANIFEST_ENTRY_PARTS_H

#include "manifest/keyword.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_held;
struct rh_load;
struct rh_resource;
struct rh_type;
struct rh_value;

struct rh_reading {
    struct rh_load *load;
    struct rh_value *entry;
    const struct rh_type *type;
    struct rh_said said;
    bool failed; /* something was wrong with the attributes or keywords */
};

/* Leaves the attributes in the entry, by the type's own names and read by their types, and notes
 * what keywords say. `at` is the key that is neither. */
void rh_entry_read_keys(struct rh_reading *r, size_t at);

/* entry-word.c: an entry that is no resource but does something with one: declare, edit, trigger;
 * or that includes a file.
 * rh_entry_word returns the number of its key, or SIZE_MAX when it is none of them. */
size_t rh_entry_word(const struct rh_value *entry);
int rh_entry_read_word(struct rh_load *load, struct rh_value *entry, size_t at);

/* Edits of what is declared later, when everything is read. */
int rh_entry_read_late(struct rh_load *load);

/* Notes what of it can only be known after something has run: a run that is no trial can't do it then.
 * -1 after a complaint: its name has to be known. */
int rh_entry_note_doubt(const struct rh_load *load, struct rh_resource *r);

/* entry.c: resources of `r->type` with these titles (a text, or a list of texts with places). */
int rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key);

#endif
