/* SPDX-License-Identifier: Apache-2.0 */
/* content - what was unpacked to a directory, compared with an archive, and unpacked anew. */
#ifndef ARCHIVE_CONTENT_H
#define ARCHIVE_CONTENT_H

#include "record.h"

struct content {
    int is_ours;  /* rhost has unpacked it there, perhaps not to the end of the run */
    int is_known; /* the record says what it is */
    int is_empty; /* nothing is in it */
    int fd;       /* for content_put(): the directory */
    struct record record;
};

/* What is known of the directory `fd` at the path. 0; or -1 with the reason given. */
int32_t content_read(rhost_ctx *ctx, const rhost_value *name, const char *path, int fd, struct content *c);

/* Reports it as attributes. The path of the archive only while that file is as it was: an undo unpacks it
 * again. */
void content_report(rhost_ctx *ctx, const struct content *c, rhost_value *current);

/* Under noop: whether the archive exists, or will, and has the checksum that is desired. `r` is what is
 * there, or NULL. */
int32_t content_foresee(rhost_ctx *ctx, const struct record *r, const rhost_value *should);

/* insync() of `source`. */
int32_t content_compare_source(rhost_ctx *ctx, const struct rhost_change *change);

/* Whether the archive has to be unpacked: 1 or 0; -1 with the reason given. */
int content_differs(rhost_ctx *ctx, const struct content *c, const rhost_value *should);

/* Unpacks the archive beside the path and puts the directory into its place: of `former`, or, with NULL,
 * where nothing is. 0; or -1 with the reason given, and what was there is there. */
int32_t content_put(rhost_ctx *ctx, const struct rhost_change *change, const struct content *former);

#endif
