/* SPDX-License-Identifier: Apache-2.0 */
/* mounted - whether something is mounted where a walk is about to go on. */
#include "config.h"

#include "base/mounted.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#ifndef STATX_BASIC_STATS
/* A musl that has no statx() of its own yet. */
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)
{
    return (int)syscall(SYS_statx, dir, path, flags, mask, to);
}
#endif

/* By the numbers of the devices: for a kernel before 5.8. */
static bool
is_another_device(int dir, const char *name)
{
    const char *slash = strrchr(name, '/');
    rh_autofree char *parent = rh_xstrndup(name, slash > name ? (size_t)(slash - name) : slash ? 1 : 0);
    struct stat st, above;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)) == 0
           && fstatat(dir,
                      *parent ? parent
                      : *name ? "."
                              : "..",
                      &above, 0)
                  == 0
           && st.st_dev != above.st_dev;
}

bool
rh_is_mounted(int dir, const char *name)
{
    struct statx x = { 0 };
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);

    if (statx(dir, name, flags, STATX_BASIC_STATS, &x) < 0)
        return false;
    if (x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
        return x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
    return is_another_device(dir, name);
}
