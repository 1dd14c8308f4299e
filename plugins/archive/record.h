/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was unpacked to a directory, kept in the state directory (rhost/private.h).
 *
 * A directory is known by its inode and the time when it was made. So a record does not count for a directory
 * that something else has put in the place of ours. */
#ifndef ARCHIVE_RECORD_H
#define ARCHIVE_RECORD_H

#include <rhost/provider.h>

struct record {
    const char *sum;    /* SHA-256 of the archive */
    const char *stamp;  /* of its file then: struct source */
    const char *source; /* the path of that */
    int64_t strip;
};

/* Which directory this is, in memory of the call; NULL with the reason given. */
const char *record_identity(rhost_ctx *ctx, int fd);

/* What was unpacked to the directory with this identity: 1; 0: nothing that is known. */
int record_read(rhost_ctx *ctx, const rhost_value *name, const char *identity, struct record *r);
int32_t record_write(rhost_ctx *ctx, const rhost_value *name, const char *identity, const struct record *r);

/* A directory beside the path, under work: its name there, and what it can be (NULL: not known yet), the new
 * tree or, when that has taken its place, the former one. It is noted before it is made. */
struct record_work {
    const char *beside, *fresh, *former;
};

int record_work_read(rhost_ctx *ctx, const rhost_value *name, struct record_work *w);
int32_t record_work_write(rhost_ctx *ctx, const rhost_value *name, const struct record_work *w);
int32_t record_work_end(rhost_ctx *ctx, const rhost_value *name);

#endif
