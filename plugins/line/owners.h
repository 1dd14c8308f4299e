/* SPDX-License-Identifier: Apache-2.0 */
/* owners - `mode`, `owner` and `group` of a file of which a resource keeps a part. */
#ifndef LINE_OWNERS_H
#define LINE_OWNERS_H

#include <rhost/lines.h>

/* Fills in how the file is replaced: mode and owners as they are wanted, `validate`, and as a secret where
 * the attribute `text` is sensitive. */
void owners_like(rhost_ctx *ctx, const struct rhost_change *change, const char *text,
                 struct rhost_new_file *file);

/* Why an owner that is wanted can't be set, in memory of the call; NULL: nothing is wrong. */
const char *owners_unknown(rhost_ctx *ctx, const rhost_value *should);

#endif
