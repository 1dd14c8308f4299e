/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-path.h - the extension rhost.path/1 for <rhost/fake-host.h>, which includes it where <rhost/path.h>
 * was included: the plain calls, which follow whatever link there is. For unit tests. */
#ifndef RHOST_FAKE_PATH_H
#define RHOST_FAKE_PATH_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/path.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline int32_t
rhost_fake_path_answer(int result)
{
    return result < 0 ? -errno : result;
}

RHOST_UNUSED static inline int32_t
rhost_fake_path_open(rhost_ctx *ctx, const char *path, uint64_t flags, int32_t open_flags, uint32_t mode)
{
    (void)ctx;
    return rhost_fake_path_answer(
        open(path, open_flags | O_CLOEXEC | (flags & RHOST_PATH_FOLLOW ? 0 : O_NOFOLLOW), (mode_t)mode));
}

/* Where a link at the end of the path leads, in memory of the call. */
static inline const char *
rhost_fake_path_target(rhost_ctx *ctx, const char *path)
{
    char target[4096];

    for (int i = 0; i < 40; i++) {
        const char *slash = strrchr(path, '/');
        size_t before = slash ? (size_t)(slash - path) + 1 : 0;
        ssize_t len = readlink(path, target, sizeof target);
        char *next;

        if (len <= 0)
            break;
        if (target[0] == '/')
            before = 0;
        next = (char *)ctx->host->alloc(ctx, before + (size_t)len + 1);
        memcpy(next, path, before);
        memcpy(next + before, target, (size_t)len);
        next[before + (size_t)len] = '\0';
        path = next;
    }
    return path;
}

RHOST_UNUSED static inline int32_t
rhost_fake_path_parent(rhost_ctx *ctx, const char *path, uint64_t flags, const char **name)
{
    const char *whole = flags & RHOST_PATH_FOLLOW ? rhost_fake_path_target(ctx, path) : path;
    const char *slash = strrchr(whole, '/');
    size_t before = slash ? (size_t)(slash - whole) : 0;
    char *dir = (char *)ctx->host->alloc(ctx, before + 2);
    const char *last = slash ? slash + 1 : whole;
    char *copy = (char *)ctx->host->alloc(ctx, strlen(last) + 1);

    memcpy(dir, whole, before);
    memcpy(copy, last, strlen(last) + 1);
    if (before == 0)
        dir[0] = slash ? '/' : '.';
    dir[before ? before : 1] = '\0';
    *name = copy;
    return *copy ? rhost_fake_path_answer(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) : -EISDIR;
}

RHOST_UNUSED static inline const char *
rhost_fake_path_unsafe(rhost_ctx *ctx)
{
    (void)ctx;
    return NULL;
}

/* Not in one step, as the host does it. */
RHOST_UNUSED static inline int32_t
rhost_fake_path_symlink(rhost_ctx *ctx, const char *target, const char *path, uint64_t flags)
{
    struct stat st;

    (void)ctx;
    if (lstat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return -EISDIR;
        if (!S_ISLNK(st.st_mode) && !(flags & RHOST_PATH_REPLACE))
            return -EEXIST;
        if (unlink(path) < 0)
            return -errno;
    }
    return rhost_fake_path_answer(symlink(target, path));
}

RHOST_UNUSED static inline int32_t
rhost_fake_path_own(rhost_ctx *ctx, int32_t fd, int64_t uid, int64_t gid, int64_t mode)
{
    (void)ctx;
    if ((uid >= 0 || gid >= 0) && fchown(fd, (uid_t)uid, (gid_t)gid) < 0) /* -1 stays what it is */
        return -errno;
    return mode < 0 ? 0 : rhost_fake_path_answer(fchmod(fd, (mode_t)mode));
}

RHOST_UNUSED static inline int32_t
rhost_fake_path_trusted(rhost_ctx *ctx, const char *path)
{
    (void)ctx;
    return *path == '/' ? 0 : -EINVAL;
}

RHOST_UNUSED static inline int32_t
rhost_fake_path_hidden_mount(rhost_ctx *ctx, int32_t dir, const char *name)
{
    (void)ctx, (void)dir, (void)name;
    return 0;
}

RHOST_UNUSED static inline const void *
rhost_fake_path(void)
{
    static struct rhost_path extension;

    extension.struct_size = sizeof extension;
    extension.open = rhost_fake_path_open;
    extension.parent = rhost_fake_path_parent;
    extension.unsafe = rhost_fake_path_unsafe;
    extension.symlink = rhost_fake_path_symlink;
    extension.own = rhost_fake_path_own;
    extension.trusted = rhost_fake_path_trusted;
    extension.hidden_mount = rhost_fake_path_hidden_mount;
    return &extension;
}

#ifdef __cplusplus
}
#endif

#endif
