/* SPDX-License-Identifier: Apache-2.0 */
/* grow - how large a file system is, and growing it to the size of its device. */

#include "grow.h"

#include "tool.h"
#include "use.h"

#include <sys/statvfs.h>

enum { EXT_AT = 1024, BTRFS_AT = 65536, BTRFS_ITEM = 0xc9, ROOM = 4 << 20 };

static uint64_t
little(const unsigned char *b, size_t n)
{
    uint64_t v = 0;

    while (n--)
        v = v << 8 | b[n];
    return v;
}

static uint64_t
big(const unsigned char *b, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v = v << 8 | b[i];
    return v;
}

static int
read_at(rhost_ctx *ctx, const struct device *d, off_t at, unsigned char *b, size_t n)
{
    ssize_t got = pread(d->fd, b, n, at);

    if (got == (ssize_t)n)
        return 0;
    return got < 0 ? device_fail_errno(ctx, d, "cannot read '%s'", d->path)
                   : device_fail(ctx, d, "'%s' ends before its superblock", d->path);
}

/* The superblock of a mounted xfs comes to the device late; what its log takes is not counted by the kernel.
 */
static int
mounted_xfs(rhost_ctx *ctx, const struct device *d, uint64_t log, uint64_t *size)
{
    const char *where = use_visible_mount(ctx, d);
    int fd = where ? rhost_path_open(ctx, where, RHOST_PATH_FOLLOW, O_PATH, 0) : -1;
    struct statvfs now;
    struct stat st;
    int known = fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == d->number && fstatvfs(fd, &now) == 0;

    rhost_path_close(fd);
    if (known)
        *size = ((uint64_t)now.f_blocks + log) * now.f_frsize;
    return known;
}

int
grow_size(rhost_ctx *ctx, const struct device *d, const char *fstype, uint64_t *size)
{
    unsigned char b[1024];
    uint64_t blocks;

    *size = 0;
    if (strncmp(fstype, "ext", 3) == 0) {
        if (read_at(ctx, d, EXT_AT, b, sizeof b) < 0)
            return -1;
        blocks = little(b + 4, 4) | (b[0x60] & 0x80 ? little(b + 0x150, 4) << 32 : 0);
        *size = blocks << (10 + (b[24] & 7));
    } else if (strcmp(fstype, "xfs") == 0) {
        if (read_at(ctx, d, 0, b, 512) < 0)
            return -1;
        if (!mounted_xfs(ctx, d, big(b + 48, 8) ? big(b + 96, 4) : 0, size))
            *size = big(b + 8, 8) * big(b + 4, 4);
    } else if (strcmp(fstype, "btrfs") == 0) {
        if (read_at(ctx, d, BTRFS_AT, b, 512) < 0)
            return -1;
        *size = little(b + BTRFS_ITEM + 8, 8);
    }
    return 0;
}

int
grow_has_room(const struct device *d, uint64_t size)
{
    return size && d->size > size && d->size - size >= ROOM;
}

static int
needs_mount(const char *fstype)
{
    return strncmp(fstype, "ext", 3) != 0;
}

int
grow_check(rhost_ctx *ctx, const struct device *d, const char *fstype)
{
    const char *flag = device_attribute(ctx, d, "ro"), *where;

    if (strcmp(fstype, "vfat") == 0)
        return rhost_fail_attr(ctx, "grow", "a file system of type vfat cannot be grown");
    if (flag && strcmp(flag, "0") != 0)
        return rhost_fail(ctx, "'%s' is read-only", d->path);
    if (!needs_mount(fstype) || use_visible_mount(ctx, d))
        return 0;
    where = use_mount_point(ctx, d);
    if (where)
        return rhost_fail_attr(
            ctx, "grow",
            "'%s' is mounted at '%s', and something else is mounted over it; a file system of "
            "type %s grows by that path",
            d->path, where, fstype);
    return rhost_fail_attr(ctx, "grow",
                           "a file system of type %s grows only while it is mounted, and '%s' is not", fstype,
                           d->path);
}

/* ext that was mounted since its last check is not resized before another one. -p repairs only what is safe.
 */
static int
check_ext(rhost_ctx *ctx, const struct device *d)
{
    const char *const argv[] = { "e2fsck", "-f", "-p", d->real, NULL };
    const char *why;
    int status = tool_run(ctx, argv, &why);

    if (status < 0)
        return -1;
    return status <= 1 ? 0
                       : rhost_fail(ctx, "the file system on '%s' has errors, and is not grown: e2fsck: %s",
                                    d->path, why);
}

static const char *
btrfs_most(rhost_ctx *ctx, const struct device *d)
{
    unsigned char b[8];

    if (read_at(ctx, d, BTRFS_AT + BTRFS_ITEM, b, sizeof b) < 0)
        return NULL;
    return rhost_fmt(ctx, "%llu:max", (unsigned long long)little(b, 8));
}

int32_t
grow_it(rhost_ctx *ctx, const struct device *d, const char *fstype)
{
    const char *where = needs_mount(fstype) ? use_visible_mount(ctx, d) : use_mount_point(ctx, d);
    const char *argv[8], *why;
    size_t n = 0;
    int status;

    if (device_check_path(ctx, d) < 0 || grow_check(ctx, d, fstype) < 0)
        return -1;
    if (where && needs_mount(fstype) && rhost_path_trusted(ctx, where) < 0)
        return rhost_fail_path(ctx, "cannot grow what is mounted at '%s'", where);
    if (strncmp(fstype, "ext", 3) == 0) {
        if (!where && (use_refuse_any(ctx, d) < 0 || check_ext(ctx, d) < 0))
            return -1;
        argv[n++] = "resize2fs";
        argv[n++] = d->real;
    } else if (strcmp(fstype, "xfs") == 0) {
        argv[n++] = "xfs_growfs";
        argv[n++] = "-d";
        argv[n++] = where;
    } else {
        argv[n++] = "btrfs";
        argv[n++] = "filesystem";
        argv[n++] = "resize";
        if (!(argv[n++] = btrfs_most(ctx, d)))
            return -1;
        argv[n++] = where;
    }
    argv[n] = NULL;
    status = tool_run(ctx, argv, &why);
    if (status < 0)
        return -1;
    return status == 0 ? 0 : rhost_fail(ctx, "%s failed: %s", argv[0], why);
}
