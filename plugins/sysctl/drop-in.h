/* SPDX-License-Identifier: Apache-2.0 */
/* drop-in - files NAME.conf in several directories, of which programs such as sysctl(8) and modprobe(8) read
 * all.
 *
 * They are read in the order of their names, whatever their directory is. Of two with one name, that of the
 * earlier directory alone counts. */
#ifndef SYSCTL_DROP_IN_H
#define SYSCTL_DROP_IN_H

#include <rhost/provider.h>

struct drop_ins {
    const char **path; /* in memory of the call */
    size_t n, room;
};

/* The name of a file, without its directory. */
const char *drop_in_name(const char *path);

/* Whether the file is directly in one of these directories. */
int drop_in_is_in(const char *path, const char *const *folders, size_t n);

/* All files that count, in their order. A directory that is missing has none. -1 after the reason was given.
 */
int drop_ins_find(rhost_ctx *ctx, const char *const *folders, size_t n, struct drop_ins *files);

/* One more at the end. */
void drop_ins_add(rhost_ctx *ctx, struct drop_ins *files, const char *path);

#endif
