/* SPDX-License-Identifier: Apache-2.0 */
/* place - makes what an archive has below a directory.
 *
 * Everything is reached through descriptors from that directory on, and no symbolic link is followed, so an
 * entry can't be written through a link that an earlier entry has made. Names are those of name_clean(). */
#ifndef ARCHIVE_PLACE_H
#define ARCHIVE_PLACE_H

#include <rhost/provider.h>

#include <sys/types.h>

struct place {
    rhost_ctx *ctx;
    int top;             /* the directory; the caller's */
    int64_t uid, gid;    /* who gets what is made; -1: who makes it */
    uint64_t made, most; /* files, directories and links so far, and how many there may be */
    char *parent;        /* the directory that was used last; NULL: none. place_close() frees it */
    int parent_fd;
};

void place_close(struct place *p);

/* Each answers 0, or a descriptor; or -1 with the reason given. What stands in the way from an earlier entry
 * of the name gives way, but for a directory. Permission bits are `mode`. */
int32_t place_directory(struct place *p, const char *name, mode_t mode);
int place_file(struct place *p, const char *name, mode_t mode);
int32_t place_symlink(struct place *p, const char *name, const char *target);

/* Another name for a file that was made before. */
int32_t place_hard_link(struct place *p, const char *name, const char *to);

/* A file that was made before, for writing, empty. */
int place_again(struct place *p, const char *name);

#endif
