/* SPDX-License-Identifier: Apache-2.0 */
/* name - names of entries of an archive: what becomes of them, and which are refused. */
#ifndef ARCHIVE_NAME_H
#define ARCHIVE_NAME_H

#include <rhost/provider.h>

enum { NAME_DEEPEST = 150 }; /* directories within each other: what is deeper can't be removed in one walk */

/* The name without "." and empty parts, and without the first `strip` parts, in memory of the call: "" where
 * nothing is left of it. NULL where it is refused, with the reason in *why. */
const char *name_clean(rhost_ctx *ctx, const char *raw, int64_t strip, const char **why);

/* Why a symbolic link `name` (a clean one) may not point to `target`: NULL where it stays in the tree. The
 * text is a constant. ".." is accepted at the beginning only: behind another part, where it leads depends on
 * links. */
const char *name_link_refused(const char *name, const char *target);

#endif
