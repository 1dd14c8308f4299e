/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - what is mounted in a directory, as the kernel lists it. */
#ifndef USER_MOUNTS_H
#define USER_MOUNTS_H

#include <rhost/provider.h>

/* Whether something is mounted in the directory `fd`, at any depth, or at `fd` itself: 1, with the path in
 * `where`; 0; or -1 after the reason was given. The directory is not walked: its owner could make it as deep
 * as he likes. */
int32_t mounts_find(rhost_ctx *ctx, int fd, char *where, size_t size);

#endif
