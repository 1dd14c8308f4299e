/* SPDX-License-Identifier: Apache-2.0 */
/* use - whether something uses a device, and what. */
#ifndef FILESYSTEM_USE_H
#define FILESYSTEM_USE_H

#include "device.h"

/* Where the device is mounted, the first place, in memory of the call; NULL: nowhere that this process sees.
 */
const char *use_mount_point(rhost_ctx *ctx, const struct device *d);

/* The same, of the mounts over which no other one is: a program that gets the path has this file system. */
const char *use_visible_mount(rhost_ctx *ctx, const struct device *d);

/* Whether it is a swap area in use; then its priority, which is negative when the kernel has chosen it. */
int use_is_swap(rhost_ctx *ctx, const struct device *d, int64_t *priority);

/* A word of a table of the kernel without its escapes ("\040" is a blank), in place. */
char *use_unescape(char *word);

/* Refuses a device that another one (RAID, LVM, LUKS, multipath) is made of as a whole. 0; or -1 after the
 * reason was given. */
int use_refuse_held(rhost_ctx *ctx, const struct device *d);

/* Refuses a device that must not be written to: one that is mounted, a swap area in use, one that another
 * device (RAID, LVM, LUKS) or a loop device is made of, one with partitions that the kernel knows, one that
 * is claimed by anything else, and one that is read-only. 0; or -1 after the reason was given. */
int use_refuse_any(rhost_ctx *ctx, const struct device *d);

#endif
