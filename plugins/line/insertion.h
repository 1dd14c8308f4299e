/* SPDX-License-Identifier: Apache-2.0 */
/* insertion - where new lines of a file come, by the parameters `below`, `above` and `literal`. For `line`,
 * and for `text_block`, which is built with it. */
#ifndef LINE_INSERTION_H
#define LINE_INSERTION_H

#include <rhost/lines.h>

/* The number of the line in front of which new ones come: behind the last that `below` of `wanted` matches,
 * in front of the first that `above` matches, or at the end. 0; or -1 with the reason in *why (memory of the
 * call) and the attribute at fault in *attribute. */
int insertion_point(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, size_t *at,
                    const char **attribute, const char **why);

/* For canonicalize: `attribute` of the resource, if it has it, is a pattern. -1 after the reason was given.
 */
int insertion_check(rhost_ctx *ctx, const rhost_value *resource, const char *attribute);

#endif
