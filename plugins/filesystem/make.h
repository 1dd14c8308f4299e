/* SPDX-License-Identifier: Apache-2.0 */
/* make - makes a file system on a device that has none.
 *
 * The file system gets a UUID that was chosen before. So it can be told afterwards that it is the one that
 * was made, on the device that was checked; and in the next run that its making was interrupted. */
#ifndef FILESYSTEM_MAKE_H
#define FILESYSTEM_MAKE_H

#include "device.h"

struct maker {
    const char *fstype, *program, *package;
    size_t longest_label;
};

/* What makes file systems of this type; NULL: nothing does. */
const struct maker *make_find(const char *fstype);

/* Whether each word of the attribute `options` is an option of mkfs that names no other device and forces
 * nothing. 0; or -1 after the reason was given. */
int make_check_options(rhost_ctx *ctx, const rhost_value *resource);

/* Refuses a device that must not get a file system: see use.h and signature.h. 0; or -1 after the reason was
 * given. */
int make_check_device(rhost_ctx *ctx, const struct device *d);

/* Makes it. 0; or -1 after the reason was given. */
int32_t make_it(rhost_ctx *ctx, const struct rhost_change *change);

/* Whether the making of the file system with this UUID was begun, and did not end well. */
int make_is_half(rhost_ctx *ctx, const rhost_value *name, const char *uuid);

#endif
