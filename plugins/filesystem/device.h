/* SPDX-License-Identifier: Apache-2.0 */
/* device - a block device, or a file that is an image of one, held open.
 *
 * While the descriptor is open, the kernel gives neither the number of a block device nor a loop device to
 * something else: what was checked by the descriptor is what a program finds at the path, as long as only
 * root can change the path. Both are checked here. */
#ifndef FILESYSTEM_DEVICE_H
#define FILESYSTEM_DEVICE_H

#include <rhost/path.h>

#include <sys/types.h>

struct device {
    const char *path; /* as it was given */
    const char *real; /* without symbolic links: what programs are given; in memory of the call */
    uint64_t size;    /* in bytes */
    dev_t number;     /* of the block device; 0: it is a file */
    int fd;           /* to read */
    int quiet; /* reading it fails without a message: for lists, in which a device that can't be read is left
                  out */
};

/* As rhost_fail() and rhost_fail_errno(), for what fails while the device is read. */
#define device_fail(ctx, d, ...) ((d)->quiet ? -1 : rhost_fail(ctx, __VA_ARGS__))
#define device_fail_errno(ctx, d, ...) ((d)->quiet ? -1 : rhost_fail_errno(ctx, __VA_ARGS__))

/* Opens a device by an absolute path, whose symbolic links are followed where only root could have made them.
 * 0, and the caller closes it; 1: there is none; -1 after the reason was given, also for what is neither a
 * block device nor a regular file. */
int device_open(rhost_ctx *ctx, const char *path, struct device *d);

/* The same for a list: 0; or -1 without a message, also for what is no block device. */
int device_open_listed(rhost_ctx *ctx, const char *path, struct device *d);

void device_close(struct device *d);

/* What the kernel has cached of the first and the last MiB is read from the device again: file systems write
 * past the cache. */
void device_refresh(const struct device *d);

/* Whether the path still leads to what is open, and only root can change that. 0; or -1 after the reason was
 * given. */
int device_check_path(rhost_ctx *ctx, const struct device *d);

/* Takes the lock that udev and other programs that write to devices heed (flock), for as long as the device
 * is open. Waits for up to 5 seconds. 0; or -1 after the reason was given. */
int device_lock(rhost_ctx *ctx, const struct device *d);

/* The text of a file of sysfs about the device, one line without its end, in memory of the call; NULL: there
 * is none. */
const char *device_attribute(rhost_ctx *ctx, const struct device *d, const char *name);

/* The size of its sectors in bytes; 512 of a file. */
unsigned device_sector(rhost_ctx *ctx, const struct device *d);

#endif
