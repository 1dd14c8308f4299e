/* SPDX-License-Identifier: Apache-2.0 */
/* edit - `edit: REF`: a resource that is declared gets other attributes, other words, and
 * another place in the list. */
#ifndef RH_MANIFEST_ENTRY_EDIT_H
#define RH_MANIFEST_ENTRY_EDIT_H

#include <stddef.h>

struct rh_load;
struct rh_reference;
struct rh_value;

/* Edits the resource, now or (where it is not declared yet) when everything is read. `at` is the
 * number of the key `edit`. */
int rh_entry_edit(struct rh_load *load, struct rh_value *entry, size_t at,
                  const struct rh_reference *ref);

/* Edits of what is declared later, when everything is read. */
int rh_entry_edit_late(struct rh_load *load);

#endif
