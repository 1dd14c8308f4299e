/* SPDX-License-Identifier: Apache-2.0 */
/* region - the lines of a file between two marker lines. */
#ifndef TEXT_BLOCK_REGION_H
#define TEXT_BLOCK_REGION_H

#include <rhost/lines.h>

struct region {
    const char *begin, *end; /* the marker lines, in memory of the call */
    int exists;
    size_t first, last; /* the lines that are the markers */
};

/* The markers that a resource has, `should` being its attributes, or NULL for the defaults. */
void region_markers(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct region *r);

/* Finds the region. NULL; or why it is not clear where it is, in memory of the call. */
const char *region_find(rhost_ctx *ctx, const struct rhost_lines *l, struct region *r);

/* The text between the markers, each line with a newline, in memory of the call, and its length. */
char *region_text(rhost_ctx *ctx, const struct rhost_lines *l, const struct region *r, size_t *len);

/* Puts the text there, whose lines end with newlines: in the place of what is between the markers, or with
 * markers in front of line `at`. */
void region_put(struct rhost_lines *l, struct region *r, size_t at, const char *text, size_t len);

#endif
