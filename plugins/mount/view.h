/* SPDX-License-Identifier: Apache-2.0 */
/* view - everything about one mount, as it is: in fstab, and mounted. */
#ifndef MOUNT_VIEW_H
#define MOUNT_VIEW_H

#include "fstab.h"
#include "mounts.h"

#define FSTAB_DEFAULT "/etc/fstab"

struct view {
    struct rhost_lines *lines;
    struct libmnt_table *table; /* to be given back */
    struct fstab_entry entry;
    int in_fstab;
    struct libmnt_fs *fs; /* NULL: nothing is mounted there */
    int is_it;            /* what is mounted there is what should be */
};

/* What is wanted stands in `should` (NULL: nothing is), else in fstab. -1 after the reason was given; else
 * the table is the caller's, for mnt_unref_table(). */
int view_read(rhost_ctx *ctx, const char *name, const rhost_value *should, struct view *v);

/* Its entry alone, after somebody else has changed the file. -1 after the reason was given. */
int view_read_again(rhost_ctx *ctx, const char *name, const rhost_value *should, struct view *v);

/* Whether what is mounted should not be. */
int view_is_unwanted(const rhost_value *should);

/* The options of an entry, and the number that its field `dump` or `pass` is. */
struct options view_options(rhost_ctx *ctx, const struct fstab_entry *entry);
int64_t view_number(const char *field);

/* As attributes. */
void view_report_entry(rhost_ctx *ctx, const struct fstab_entry *entry, rhost_value *into);
void view_report_mount(rhost_ctx *ctx, struct libmnt_fs *fs, rhost_value *into);

/* Whether values can hold it: NULL can be. */
int view_is_text(const char *s);
int view_is_all_text(const struct fstab_entry *entry);

#endif
