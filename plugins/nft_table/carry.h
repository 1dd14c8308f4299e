/* SPDX-License-Identifier: Apache-2.0 */
/* carry - the rules of nft_rule in a table: they are no part of its content, and stay when it is written
 * anew.
 *
 * They are those that the manifest declares. An undo has a manifest of what a run has changed alone: it takes
 * those besides that were noted when the table was written. */
#ifndef NFT_TABLE_CARRY_H
#define NFT_TABLE_CARRY_H

#include <rhost/provider.h>

#define CARRY_NOTED_KEY "rules"

struct carry {
    const char *table;
    const char *noted; /* lines of "CHAIN NAME" behind a line's end each; NULL: those of the manifest alone */
};

/* Of the namevars of a table, and what is wanted of it. */
struct carry carry_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *wanted);

/* Whether this line of a listing, in a chain or NULL, is a rule of nft_rule. */
int carry_has(rhost_ctx *ctx, const struct carry *c, const char *chain, const char *line, size_t len);

/* Commands that make such rules of a listing again, each as far as `content` has its chain: in front of the
 * first other rule of it, or at the end. */
const char *carry_commands(rhost_ctx *ctx, const struct carry *c, const char *listing, const char *content);

/* Notes those of a listing, for an undo. 0; or -1 with the reason given. */
int32_t carry_note(rhost_ctx *ctx, const rhost_value *name, const struct carry *c, const char *listing);

#endif
