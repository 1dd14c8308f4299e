/* SPDX-License-Identifier: Apache-2.0 */
/* ending - texts whose lines end as `line_ending` says. */
#ifndef FILE_ENDING_H
#define FILE_ENDING_H

#include <rhost/provider.h>

/* Whether `line_ending` says anything. */
int ending_is_desired(const rhost_value *should);

/* Refuses text with a NUL in it; a Binary is written as it is. 0, or -1 after the reason was given. */
int ending_validate(rhost_ctx *ctx, const rhost_value *resource);

/* Gives the lines of `content` the ending that is wanted. */
void ending_tidy(rhost_ctx *ctx, rhost_value *resource);

/* Whether the lines of a text end otherwise than is wanted. */
int ending_differs(const rhost_value *should, const char *text, size_t n);

/* An insync() of content that was read: what differs when only the endings do. */
int32_t ending_compare(rhost_ctx *ctx, const struct rhost_change *change);

/* What `source` has, with the ending of its lines, in memory of the call, and *n its bytes. NULL with errno,
 * where it cannot be read; NULL with errno 0 after the reason was given: it is no text. */
const char *ending_source(rhost_ctx *ctx, const rhost_value *should, const char *source, size_t *n);

#endif
