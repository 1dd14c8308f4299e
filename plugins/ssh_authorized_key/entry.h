/* SPDX-License-Identifier: Apache-2.0 */
/* entry - the lines that are about one resource: found, reported and written. */
#ifndef SSH_AUTHORIZED_KEY_ENTRY_H
#define SSH_AUTHORIZED_KEY_ENTRY_H

#include "keys.h"

struct entry {
    size_t named, n_named; /* the line that has its name, if any does */
    size_t keyed, n_keyed; /* the first that has the key */
    struct key k;          /* of the line that counts */
};

/* The lines of this name, and those of this key (NULL: of none). Of several with the name the one with the
 * key counts, and else the first. */
struct entry entry_find(const struct rhost_lines *l, const char *name, const char *blob);

/* As attributes. A key that is cut short is none: it stays unknown, and what is wanted takes its place. */
void entry_report(rhost_value *into, const struct key *k);

/* Makes a change in the lines, as rhost_lines_how.edit. */
const char *entry_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);

#endif
