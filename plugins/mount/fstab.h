/* SPDX-License-Identifier: Apache-2.0 */
/* fstab - the entries of a file in the format of fstab(5), found and edited in its lines.
 *
 * Of a line only the fields that change are written again: its blanks, and what stands behind its
 * fields, stay. An entry goes by its mount point, and one of a swap area, which has none, by its
 * device. */
#ifndef MOUNT_FSTAB_H
#define MOUNT_FSTAB_H

#include <rhost/lines.h>

enum fstab_field {
    FSTAB_DEVICE,
    FSTAB_TARGET,
    FSTAB_TYPE,
    FSTAB_OPTIONS,
    FSTAB_DUMP,
    FSTAB_PASS,
    FSTAB_FIELDS
};

/* Fields without their escapes, in memory of the call; what a line leaves out is NULL. */
struct fstab_entry {
    const char *field[FSTAB_FIELDS];
    const char *name;
    size_t line;
};

/* Whether line i is an entry, and then which. */
int fstab_at(rhost_ctx *ctx, const struct rhost_lines *l, size_t i, struct fstab_entry *entry);

/* The first entry with this name; 0 when there is none. */
int fstab_find(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, struct fstab_entry *entry);

/* Gives that entry these fields, those that are not NULL. */
void fstab_change(rhost_ctx *ctx, struct rhost_lines *l, const struct fstab_entry *entry,
                  const char *const *fields);

/* A new one at the end, or in front of the first that is mounted below it: `mount -a` goes by the order. */
void fstab_add(rhost_ctx *ctx, struct rhost_lines *l, const char *const *fields);

/* Takes out all entries with this name. */
void fstab_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *name);

/* Whether `path` is below `above`, or is it. */
int fstab_is_below(const char *path, const char *above);

/* A device as it is compared: without quotes around the value of a tag, and no '/' too much. */
const char *fstab_tidy_device(rhost_ctx *ctx, const char *device);

/* A path without '/' too much. */
const char *fstab_tidy_path(rhost_ctx *ctx, const char *path);

/* Whether a part of it is "." or "..". */
int fstab_has_dots(const char *path);

#endif
