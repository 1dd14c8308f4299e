/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/path.h - the extension rhost.path/1: reach what a path names, without being led astray.
 *
 * A provider that runs as root must not follow a symbolic link that an ordinary user could have made: it
 * leads wherever that user wants. These functions walk a path by descriptors. A link is followed only when nobody
 * but root could have put it there; anything else is refused with "unsafe path". Use them in the place of open(),
 * stat(), unlink(), mkdir() and symlink(), whatever the path: as another user than root they behave as those.
 *
 *   int fd = rhost_path_open(ctx, path, 0, O_RDONLY, 0);
 *
 *   if (fd < 0 && errno == ENOENT)
 *       return RHOST_ABSENT;
 *   if (fd < 0)
 *       return rhost_fail_path(ctx, "cannot read '%s'", path);
 *
 * They set errno like the calls of their name; ELOOP stands also for what was refused, and rhost_fail_path() says
 * which part of the path that was. Needs POSIX.1-2008. */
#ifndef RHOST_PATH_H
#define RHOST_PATH_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/provider.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_PATH_ID "rhost.path/1"

#define RHOST_PATH_FOLLOW UINT64_C(1)  /* a symbolic link at the end of the path is followed as well */
#define RHOST_PATH_REPLACE UINT64_C(2) /* symlink(): a file that is there gives way, not only a link */

struct rhost_path {
    size_t struct_size;

    /* Opens an absolute path with the flags and the mode of open(2); O_CLOEXEC, O_NOCTTY and, without
     * RHOST_PATH_FOLLOW, O_NOFOLLOW are added. The descriptor, which is the provider's to close; or an errno,
     * negative. */
    int32_t (*open)(rhost_ctx *ctx, const char *path, uint64_t flags, int32_t open_flags, uint32_t mode);

    /* Opens the directory that the last part of an absolute path is in, for openat(2), unlinkat(2) and others, and
     * gives that last part, in memory of the call. With RHOST_PATH_FOLLOW, where a link there leads.
     * The descriptor is good for those calls alone (O_PATH). Answers as above. */
    int32_t (*parent)(rhost_ctx *ctx, const char *path, uint64_t flags, const char **name);

    /* Why the last call of open(), parent() or trusted() was refused, in memory of the call; NULL when it was not. */
    const char *(*unsafe)(rhost_ctx *ctx);

    /* Puts a symbolic link in its place, in one step: in the place of a link, or, with RHOST_PATH_REPLACE,
     * of anything that is no directory (otherwise EEXIST). 0, or an errno, negative. */
    int32_t (*symlink)(rhost_ctx *ctx, const char *target, const char *path, uint64_t flags);

    /* Gives what is open, and not by O_PATH, another owner, group and permission bits; -1: as it is. Another
     * owner or group takes away what was granted under the former ones: setuid and setgid bits that
     * `mode` does not state, capabilities, and the access ACL. 0, or an errno, negative. */
    int32_t (*own)(rhost_ctx *ctx, int32_t fd, int64_t uid, int64_t gid, int64_t mode);

    /* Whether only root can put something else where an absolute path leads: in the place of what it names, or of a
     * directory or symbolic link on the way. For programs that have to be given a path. Whether there is anything
     * doesn't matter, and who owns it only in a directory that everybody can write to. 0, or an errno, negative;
     * -ELOOP when an ordinary user can, and unsafe() says where. */
    int32_t (*trusted)(rhost_ctx *ctx, const char *path);

    /* Whether something was mounted on `name` in the directory `dir`, or on `dir` itself (""), that this process does not
     * see, since it is confined and the mount is newer. What is there must not be removed or replaced: that takes the
     * mount off the machine. 1 or 0. */
    int32_t (*hidden_mount)(rhost_ctx *ctx, int32_t dir, const char *name);
};

static inline const struct rhost_path *
rhost_path_extension(rhost_ctx *ctx)
{
    return (const struct rhost_path *)ctx->host->extension(ctx, RHOST_PATH_ID);
}

/* What the extension answered, as the C library would. */
static inline int
rhost_path_answer(int32_t answer)
{
    if (answer >= 0)
        return answer;
    errno = -answer;
    return -1;
}

/* As open(2): a descriptor, or -1 with errno. */
static inline int
rhost_path_open(rhost_ctx *ctx, const char *path, uint64_t flags, int open_flags, mode_t mode)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return rhost_path_answer(ext ? ext->open(ctx, path, flags, open_flags, (uint32_t)mode) : -ENOSYS);
}

/* The directory that `path` is in, and *name in it; or -1 with errno. */
static inline int
rhost_path_parent(rhost_ctx *ctx, const char *path, uint64_t flags, const char **name)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return rhost_path_answer(ext ? ext->parent(ctx, path, flags, name) : -ENOSYS);
}

static inline void
rhost_path_close(int fd)
{
    int why = errno;

    if (fd >= 0)
        (void)close(fd);
    errno = why;
}

/* As lstat(2), or with RHOST_PATH_FOLLOW stat(2). */
RHOST_UNUSED static inline int
rhost_path_stat(rhost_ctx *ctx, const char *path, uint64_t flags, struct stat *st)
{
    const char *name;
    int dir = rhost_path_parent(ctx, path, flags, &name), result;

    if (dir < 0 && errno == EISDIR) { /* "/" */
        dir = rhost_path_open(ctx, path, flags, O_RDONLY | O_DIRECTORY, 0);
        result = dir < 0 ? -1 : fstat(dir, st);
    } else {
        result = dir < 0 ? -1 : fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
    }
    rhost_path_close(dir);
    return result;
}

/* As readlink(2), with a NUL behind what was read. */
RHOST_UNUSED static inline ssize_t
rhost_path_readlink(rhost_ctx *ctx, const char *path, char *target, size_t size)
{
    const char *name;
    int dir = rhost_path_parent(ctx, path, 0, &name);
    ssize_t len = dir < 0 ? -1 : readlinkat(dir, name, target, size - 1);

    rhost_path_close(dir);
    if (len >= 0)
        target[len] = '\0';
    return len;
}

/* 1 when something is mounted there that this process does not see, else 0; see above. For those who remove by
 * unlinkat(2) themselves; rhost_path_unlink() asks. */
RHOST_UNUSED static inline int
rhost_path_hidden_mount(rhost_ctx *ctx, int dir, const char *name)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return ext && ext->struct_size > offsetof(struct rhost_path, hidden_mount) && ext->hidden_mount(ctx, dir, name) > 0;
}

/* As unlink(2), or with AT_REMOVEDIR as rmdir(2). What is mounted somewhere stays there (EBUSY). */
RHOST_UNUSED static inline int
rhost_path_unlink(rhost_ctx *ctx, const char *path, int at_flags)
{
    const char *name;
    int dir = rhost_path_parent(ctx, path, 0, &name), result = -1;

    if (dir >= 0 && rhost_path_hidden_mount(ctx, dir, name))
        errno = EBUSY;
    else if (dir >= 0)
        result = unlinkat(dir, name, at_flags);
    rhost_path_close(dir);
    return result;
}

/* As mkdir(2). */
RHOST_UNUSED static inline int
rhost_path_mkdir(rhost_ctx *ctx, const char *path, mode_t mode)
{
    const char *name;
    int dir = rhost_path_parent(ctx, path, 0, &name);
    int result = dir < 0 ? -1 : mkdirat(dir, name, mode);

    rhost_path_close(dir);
    return result;
}

/* Makes a directory if nothing is there, with this mode whatever the umask is; 1 when it did. */
RHOST_UNUSED static inline int
rhost_path_make_directory(rhost_ctx *ctx, const char *path, mode_t mode)
{
    const char *name;
    int dir = rhost_path_parent(ctx, path, RHOST_PATH_FOLLOW, &name), fd, result = 1;

    if (dir < 0)
        return errno == EISDIR ? 0 : -1; /* "/" */
    if (mkdirat(dir, name, mode) < 0) {
        result = errno == EEXIST ? 0 : -1;
    } else {
        fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fchmod(fd, mode) < 0)
            result = -1;
        rhost_path_close(fd);
    }
    rhost_path_close(dir);
    return result;
}

/* As symlink(2), but a link that is there gives way. */
RHOST_UNUSED static inline int
rhost_path_symlink(rhost_ctx *ctx, const char *target, const char *path, uint64_t flags)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return rhost_path_answer(ext ? ext->symlink(ctx, target, path, flags) : -ENOSYS);
}

static inline int
rhost_path_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a directory without "." and "..", sorted, in memory of the call; how many, or -1 with errno. */
RHOST_UNUSED static inline ssize_t
rhost_path_list(rhost_ctx *ctx, const char *path, uint64_t flags, const char ***names)
{
    int fd = rhost_path_open(ctx, path, flags, O_RDONLY | O_DIRECTORY, 0), why;
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const char **all = NULL;
    size_t n = 0, room = 0;
    struct dirent *e;

    if (!folder) {
        rhost_path_close(fd);
        return -1;
    }
    for (errno = 0; (e = readdir(folder)); errno = 0) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (n == room) {
            const char **more = (const char **)ctx->host->alloc(ctx, (room = room * 2 + 32) * sizeof *more);

            if (n)
                memcpy(more, all, n * sizeof *more);
            all = more;
        }
        all[n++] = rhost_strdup(ctx, e->d_name);
    }
    why = errno;
    (void)closedir(folder);
    errno = why;
    if (why)
        return -1;
    if (n)
        qsort((void *)all, n, sizeof *all, rhost_path_by_name);
    *names = all;
    return (ssize_t)n;
}

/* A regular file of at most `largest` bytes, whole, in memory of the call, with a NUL behind it; NULL with errno:
 * EFBIG when it is larger, EISDIR or EINVAL when it is something else. `len` and `found` may be NULL. A named pipe
 * does not hold it up. */
RHOST_UNUSED static inline char *
rhost_path_read(rhost_ctx *ctx, const char *path, uint64_t flags, size_t largest, size_t *len, struct stat *found)
{
    int fd = rhost_path_open(ctx, path, flags, O_RDONLY | O_NONBLOCK, 0);
    size_t room = 0, n = 0;
    char *text = NULL;
    ssize_t got = 1;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0) {
        got = -1;
    } else if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        got = -1;
    } else if ((uint64_t)st.st_size > largest) {
        errno = EFBIG;
        got = -1;
    }
    while (got > 0) {
        if (n == room) { /* at first; or it grew meanwhile, or has no size, as in /proc: there is room for the NUL */
            size_t more = room ? room * 2 : (size_t)st.st_size + 1;
            char *larger = (char *)ctx->host->alloc(ctx, more);

            if (n)
                memcpy(larger, text, n);
            text = larger;
            room = more;
        }
        got = read(fd, text + n, room - n);
        if (got < 0 && errno == EINTR) {
            got = 1;
        } else if (got > 0) {
            n += (size_t)got;
            if (n > largest) {
                errno = EFBIG;
                got = -1;
            }
        }
    }
    rhost_path_close(fd);
    if (got < 0)
        return NULL;
    text[n] = '\0';
    if (len)
        *len = n;
    if (found)
        *found = st;
    return text;
}

/* Owner, group and mode of what is open; see above. */
RHOST_UNUSED static inline int
rhost_path_own(rhost_ctx *ctx, int fd, int64_t uid, int64_t gid, int64_t mode)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return rhost_path_answer(ext ? ext->own(ctx, fd, uid, gid, mode) : -ENOSYS);
}

/* 0 when only root can put something else where the path leads, see above; or -1 with errno. A program that is given
 * a path follows the links that it finds. This says beforehand whether an ordinary user could have made one. */
RHOST_UNUSED static inline int
rhost_path_trusted(rhost_ctx *ctx, const char *path)
{
    const struct rhost_path *ext = rhost_path_extension(ctx);

    return rhost_path_answer(ext && ext->struct_size > offsetof(struct rhost_path, trusted) ? ext->trusted(ctx, path) : -ENOSYS);
}

/* After one of these has failed: which part of the path is not safe, in memory of the call; NULL: it failed for
 * another reason. Keeps errno. */
RHOST_UNUSED static inline const char *
rhost_path_unsafe(rhost_ctx *ctx)
{
    int why = errno;
    const struct rhost_path *ext = rhost_path_extension(ctx);
    const char *unsafe = ext && why == ELOOP ? ext->unsafe(ctx) : NULL;

    errno = why;
    return unsafe;
}

/* As rhost_fail_errno(), after one of these has failed: says also which part of the path is not safe. */
RHOST_UNUSED static inline int RHOST_PRINTF(2, 3)
rhost_fail_path(rhost_ctx *ctx, const char *fmt, ...)
{
    int why = errno;
    const char *unsafe = rhost_path_unsafe(ctx);
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return unsafe ? rhost_fail(ctx, "%s: %s", text, unsafe) : ctx->host->fail(ctx, why, NULL, text);
}

#ifdef __cplusplus
}
#endif

#endif
