/* SPDX-License-Identifier: Apache-2.0 */
/* kept - the file that has a table for the next boot. Its first line says of which table it is: another file
 * is never replaced, or removed. */
#ifndef NFT_TABLE_KEPT_H
#define NFT_TABLE_KEPT_H

#include <rhost/provider.h>

enum kept {
    KEPT_NONE,  /* there is none, or it is empty */
    KEPT_OURS,  /* it is of this table */
    KEPT_OTHER, /* it is of something else */
};

/* What there is, and *text, in memory of the call; -1: it cannot be read, and *why. */
int kept_look(rhost_ctx *ctx, const char *file, const char *table, const char **text, const char **why);

/* Why a file of something else is left as it is. */
const char *kept_other(rhost_ctx *ctx, const char *file);

/* What the file of a table with this content has. */
const char *kept_text(rhost_ctx *ctx, const char *table, const char *content);

/* The content of the table in a text of kept_text(); NULL: it has been changed. */
const char *kept_content(rhost_ctx *ctx, const char *table, const char *text);

/* Writes it, or removes it; where that fails, the resource has failed, with the reason. */
void kept_write(rhost_ctx *ctx, const char *file, const char *table, const char *content);
void kept_remove(rhost_ctx *ctx, const char *file, const char *table);

#endif
