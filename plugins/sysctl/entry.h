/* SPDX-License-Identifier: Apache-2.0 */
/* entry - "key = value" in a file of sysctl.d(5). */
#ifndef SYSCTL_ENTRY_H
#define SYSCTL_ENTRY_H

#include <rhost/lines.h>

/* The value that the file gives a key (the last one counts), tidy, in memory of the call; NULL when it
 * gives none. `key` is canonical; the file may write it in other ways. */
char *entry_value(rhost_ctx *ctx, const struct rhost_lines *l, const char *key);

/* Has the file give it this value: in its place, or at the end. */
void entry_put(rhost_ctx *ctx, struct rhost_lines *l, const char *key, const char *value);

/* Takes out all entries for the key. */
void entry_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *key);

#endif
