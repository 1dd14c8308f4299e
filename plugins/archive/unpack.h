/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - reads an archive with libarchive and makes what it has below a directory, within limits. */
#ifndef ARCHIVE_UNPACK_H
#define ARCHIVE_UNPACK_H

#include <rhost/provider.h>

struct unpack_order {
    int from;            /* the archive, a regular file, from its start */
    const char *path;    /* its path, for messages */
    uint64_t size;       /* its bytes, for progress; 0: not known */
    int into;            /* an empty directory that only we can reach */
    int64_t strip;       /* leading parts of names that are dropped */
    int64_t uid, gid;    /* who gets the files; -1: who unpacks */
    int64_t size_limit;  /* bytes of all files together */
    int64_t entry_limit; /* entries of the archive, and files, directories and links that are made */
};

/* 0; or -1 with the reason given, and some of it unpacked. */
int32_t unpack(rhost_ctx *ctx, const struct unpack_order *order);

#endif
