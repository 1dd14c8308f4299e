/* SPDX-License-Identifier: Apache-2.0 */
/* file - files for swap areas: without holes, for root alone. */

#include "file.h"

#include <rhost/dry-run.h>

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

enum { PIECE = 1 << 16 };
enum { NO_REPLACE = 1 }; /* of renameat2(2), which not every C library has */

/* Where the file system has no call for it: zeros. 0, or -1 with errno. */
static int
write_zeros(int fd, uint64_t size)
{
    static const char zeros[PIECE];

    for (uint64_t at = 0; at < size;) {
        size_t n = size - at < sizeof zeros ? (size_t)(size - at) : sizeof zeros;
        ssize_t done = pwrite(fd, zeros, n, (off_t)at);

        if (done < 0 && errno != EINTR)
            return -1;
        at += done > 0 ? (uint64_t)done : 0;
    }
    return 0;
}

static int
fill(int fd, uint64_t size)
{
    struct statfs fs;
    int flags;

    /* btrfs swaps only to what it does not copy on write, which must be said while the file is empty. */
    if (fstatfs(fd, &fs) == 0 && (unsigned)fs.f_type == BTRFS_SUPER_MAGIC
        && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        if (ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0)
            return -1;
    }
    if (fallocate(fd, 0, 0, (off_t)size) < 0 && (errno != EOPNOTSUPP || write_zeros(fd, size) < 0))
        return -1;
    return fsync(fd);
}

const char *
file_make(rhost_ctx *ctx, const char *path, uint64_t size)
{
    const char *name, *other, *made = NULL;
    int directory = rhost_path_parent(ctx, path, 0, &name), fd = -1;

    if (directory < 0) {
        (void)rhost_fail_create(ctx, path);
        return NULL;
    }
    other = rhost_fmt(ctx, ".%.200s.rhost-swap", name);
    /* What is left of a run that was killed. */
    (void)unlinkat(directory, other, 0);
    fd = openat(directory, other, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        (void)rhost_fail_create(ctx, path);
    } else if (fchmod(fd, 0600) < 0 || fill(fd, size) < 0) {
        (void)rhost_fail_errno(ctx, "cannot make '%s' with %llu bytes", path, (unsigned long long)size);
        (void)unlinkat(directory, other, 0);
    } else {
        made = rhost_fmt(ctx, "%.*s%s", (int)(strrchr(path, '/') - path) + 1, path, other);
    }
    rhost_path_close(fd);
    rhost_path_close(directory);
    return made;
}

int
file_put(rhost_ctx *ctx, const char *made, const char *path)
{
    const char *name, *from = strrchr(made, '/') + 1;
    int directory = rhost_path_parent(ctx, path, 0, &name), result = -1;

    if (directory < 0 || syscall(SYS_renameat2, directory, from, directory, name, NO_REPLACE) < 0) {
        (void)rhost_fail_path(ctx, "cannot create '%s'", path);
        if (directory >= 0)
            (void)unlinkat(directory, from, 0);
    } else {
        result = 0;
        rhost_touched(ctx, path);
    }
    rhost_path_close(directory);
    return result;
}

int
file_check(rhost_ctx *ctx, const struct device *d)
{
    struct stat st;

    if (d->number)
        return 0;
    if (fstat(d->fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", d->path);
    if (st.st_uid != 0 || (st.st_mode & 077))
        return rhost_fail(
            ctx,
            "'%s' belongs to user %u and has mode 0%03o: a swap area must belong to root with mode "
            "0600; 'file: %s' with 'owner' and 'mode' makes it so",
            d->path, st.st_uid, st.st_mode & 0777, d->path);
    /* SEEK_HOLE takes what was allocated and not written for a hole, and the kernel does not. */
    if ((uint64_t)st.st_blocks * 512 < d->size)
        return rhost_fail(
            ctx, "'%s' has holes, and the kernel does not swap to it; remove it to have it made anew",
            d->path);
    return 0;
}
