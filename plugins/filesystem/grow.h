/* SPDX-License-Identifier: Apache-2.0 */
/* grow - how large a file system is, and growing it to the size of its device. */
#ifndef FILESYSTEM_GROW_H
#define FILESYSTEM_GROW_H

#include "device.h"

/* The size in bytes that the file system on the device has by its superblock, or, of a mounted xfs, by the
 * kernel. 0; or -1 after the reason was given. vfat, which is not grown here: 0 bytes. */
int grow_size(rhost_ctx *ctx, const struct device *d, const char *fstype, uint64_t *size);

/* Whether there is room for more: the 4 MiB that a file system may leave unused at the end are none. */
int grow_has_room(const struct device *d, uint64_t size);

/* Refuses what cannot be grown as it is: xfs and btrfs that are not mounted. 0; or -1 after the reason was
 * given. */
int grow_check(rhost_ctx *ctx, const struct device *d, const char *fstype);

/* Grows it. 0; or -1 after the reason was given. */
int32_t grow_it(rhost_ctx *ctx, const struct device *d, const char *fstype);

#endif
