/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - what is mounted, from the kernel's table alone: no file system is asked for anything, since one
 * whose server is gone would not answer. */
#ifndef MOUNT_MOUNTS_H
#define MOUNT_MOUNTS_H

#include "options.h"

#include <libmount.h>

/* What is mounted now; the caller's, for mnt_unref_table(). NULL after the reason was given. */
struct libmnt_table *mounts_read(rhost_ctx *ctx);

/* What is mounted at this path, on top of others; NULL: nothing. */
struct libmnt_fs *mounts_at(rhost_ctx *ctx, struct libmnt_table *table, const char *path);

/* Refuses a path with a symbolic link in it that another user could have made. -1 after the reason was given.
 */
int mounts_check_path(rhost_ctx *ctx, struct libmnt_table *table, const char *path);

/* Whether that is this device, with this type. */
int mounts_is(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *device,
              const char *type, const struct options *options);

/* Whether that is of this block device, or the image behind it. */
int mounts_is_of(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *device);

/* The options that the kernel shows for it. */
struct options mounts_options(rhost_ctx *ctx, struct libmnt_fs *fs);

/* Whether it is one of a device or a server, and whole, so that its device and type say it all. */
int mounts_is_real(struct libmnt_fs *fs);

/* Whether what is in it would be lost with it. */
int mounts_is_in_memory(struct libmnt_fs *fs);

/* Who keeps it from being unmounted, as far as that is cheap to tell: "..." or NULL. */
const char *mounts_users(rhost_ctx *ctx, struct libmnt_table *table, const char *path);

#endif
