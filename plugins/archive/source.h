/* SPDX-License-Identifier: Apache-2.0 */
/* source - the file that is an archive: its digest, and a copy that no other user can change. */
#ifndef ARCHIVE_SOURCE_H
#define ARCHIVE_SOURCE_H

#include <rhost/provider.h>

#include <sys/stat.h>

struct source {
    int fd;
    struct stat st;
    const char *stamp; /* source_stamp() of it */
    char sum[65];      /* SHA-256; source_sum() fills it in */
};

/* What changes whenever a file does, in memory of the call. */
const char *source_stamp(rhost_ctx *ctx, const struct stat *st);

/* Opens the file, which must be a regular one. 0; RHOST_ABSENT: there is none, and errno says why; or -1 with
 * the reason given. */
int32_t source_open(rhost_ctx *ctx, const char *path, struct source *s);
void source_close(struct source *s);

int32_t source_sum(rhost_ctx *ctx, const char *path, struct source *s);

/* Whether an ordinary user can write to the file that is open, so that it could be changed while it is read.
 */
int source_is_exposed(const struct source *s);

/* Replaces the descriptor by one of a copy without a name in the directory `dir`. */
int32_t source_copy(rhost_ctx *ctx, const char *path, int dir, struct source *s);

/* After it was read: whether it is the file that was opened, unchanged. Otherwise -1 with the reason given.
 */
int32_t source_is_unchanged(rhost_ctx *ctx, const char *path, const struct source *s);

#endif
