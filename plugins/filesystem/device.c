/* SPDX-License-Identifier: Apache-2.0 */
/* device - a block device, or a file that is an image of one, held open. */

#include "device.h"

#include <errno.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <time.h>

enum { SECTOR = 512, LARGEST_SECTOR = 65536, EDGE = 1 << 20 };

static int
refused(struct device *d)
{
    device_close(d);
    return -1;
}

/* What is open: 0; or -1 after the reason was given. */
static int
look_at(rhost_ctx *ctx, struct device *d)
{
    char real[PATH_MAX];
    struct stat st;
    ssize_t len;
    off_t size;

    if (fstat(d->fd, &st) < 0)
        return device_fail_errno(ctx, d, "cannot stat '%s'", d->path);
    if (!S_ISBLK(st.st_mode) && (d->quiet || !S_ISREG(st.st_mode)))
        return device_fail(ctx, d, "'%s' is neither a block device nor a regular file", d->path);
    d->number = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
    size = lseek(d->fd, 0, SEEK_END);
    len = readlink(rhost_fmt(ctx, "/proc/self/fd/%d", d->fd), real, sizeof real - 1);
    if (size < 0 || len < 0)
        return device_fail_errno(ctx, d, "cannot read what '%s' is", d->path);
    d->size = (uint64_t)size;
    d->real = rhost_copy(ctx, real, (size_t)len);
    device_refresh(d);
    return 0;
}

int
device_open(rhost_ctx *ctx, const char *path, struct device *d)
{
    memset(d, 0, sizeof *d);
    d->path = path;
    /* A named pipe, or a drive without a medium, does not hold it up. */
    d->fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    if (d->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 1;
    if (d->fd < 0 && (errno == ENXIO || errno == ENODEV || errno == ENOMEDIUM))
        return rhost_fail(ctx, "cannot open '%s': the device has no medium, or is not connected", path);
    if (d->fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    return look_at(ctx, d) < 0 ? refused(d) : 0;
}

int
device_open_listed(rhost_ctx *ctx, const char *path, struct device *d)
{
    memset(d, 0, sizeof *d);
    d->path = path;
    d->quiet = 1;
    d->fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_NONBLOCK, 0);
    if (d->fd < 0)
        return -1;
    return look_at(ctx, d) < 0 ? refused(d) : 0;
}

void
device_refresh(const struct device *d)
{
    if (!d->number)
        return;
    (void)posix_fadvise(d->fd, 0, EDGE, POSIX_FADV_DONTNEED);
    if (d->size > EDGE)
        (void)posix_fadvise(d->fd, (off_t)(d->size - EDGE), EDGE, POSIX_FADV_DONTNEED);
}

void
device_close(struct device *d)
{
    rhost_path_close(d->fd);
    d->fd = -1;
}

int
device_check_path(rhost_ctx *ctx, const struct device *d)
{
    const char *const paths[] = { d->path, d->real };
    struct stat ours, st;

    if (fstat(d->fd, &ours) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", d->path);
    for (size_t i = 0; i < 2; i++) {
        if (rhost_path_trusted(ctx, paths[i]) < 0)
            return rhost_fail_path(ctx, "cannot change '%s'", paths[i]);
        if (rhost_path_stat(ctx, paths[i], RHOST_PATH_FOLLOW, &st) < 0)
            return rhost_fail_path(ctx, "cannot stat '%s'", paths[i]);
        if (d->number ? !S_ISBLK(st.st_mode) || st.st_rdev != d->number
                      : st.st_dev != ours.st_dev || st.st_ino != ours.st_ino)
            return rhost_fail(ctx, "'%s' was replaced by another device meanwhile; nothing was written",
                              d->path);
    }
    return 0;
}

int
device_lock(rhost_ctx *ctx, const struct device *d)
{
    const struct timespec tenth = { .tv_nsec = 100000000 };

    for (int i = 0; flock(d->fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return rhost_fail_errno(ctx, "cannot lock '%s'", d->path);
        if (i == 50)
            return rhost_fail(ctx, "'%s' is locked by another program; nothing was written", d->path);
        (void)nanosleep(&tenth, NULL);
    }
    return 0;
}

const char *
device_attribute(rhost_ctx *ctx, const struct device *d, const char *name)
{
    const char *path = rhost_fmt(ctx, "/sys/dev/block/%u:%u/%s", major(d->number), minor(d->number), name);
    int fd = d->number ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char text[4096];
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);

    rhost_path_close(fd);
    if (len < 0)
        return NULL;
    while (len && text[len - 1] == '\n')
        len--;
    return rhost_copy(ctx, text, (size_t)len);
}

unsigned
device_sector(rhost_ctx *ctx, const struct device *d)
{
    const char *size = device_attribute(ctx, d, "queue/logical_block_size");
    unsigned long n;

    if (!size) /* that of a partition is at its disk */
        size = device_attribute(ctx, d, "../queue/logical_block_size");
    n = size ? strtoul(size, NULL, 10) : SECTOR;
    return n >= SECTOR && n <= LARGEST_SECTOR ? (unsigned)n : SECTOR;
}
