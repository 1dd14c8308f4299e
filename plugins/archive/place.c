/* SPDX-License-Identifier: Apache-2.0 */
/* place - makes what an archive has below a directory. */

#include "place.h"

#include <rhost/path.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t
fail(struct place *p, const char *name)
{
    return rhost_fail_errno(p->ctx, "cannot unpack '%s'", name);
}

/* Takes over errno from openat(2): what is in the way is said. */
static int32_t
fail_way(struct place *p, const char *name)
{
    if (errno == ELOOP || errno == ENOTDIR)
        return rhost_fail(
            p->ctx, "cannot unpack '%s': it lies below what the archive has as a file or as a symbolic link",
            name);
    return fail(p, name);
}

void
place_close(struct place *p)
{
    if (p->parent) {
        free(p->parent);
        p->parent = NULL;
        (void)close(p->parent_fd);
    }
}

static int32_t
count(struct place *p)
{
    if (p->made++ < p->most)
        return 0;
    return rhost_fail_attr(p->ctx, "entry_limit",
                           "the archive has more than %llu files, directories and links",
                           (unsigned long long)p->most);
}

static int32_t
give(struct place *p, int fd, const char *name)
{
    if ((p->uid >= 0 || p->gid >= 0) && fchown(fd, (uid_t)p->uid, (gid_t)p->gid) < 0)
        return rhost_fail_errno(p->ctx, "cannot change the owner of '%s'", name);
    return 0;
}

/* The directory `part` in `dir`, made if it is not there; the caller's. */
static int
enter(struct place *p, int dir, const char *part, const char *name)
{
    int fd = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT) {
        if (count(p) < 0)
            return -1;
        if (mkdirat(dir, part, 0755) < 0)
            return fail(p, name);
        fd = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && (give(p, fd, name) < 0 || fchmod(fd, 0755) < 0)) {
            (void)fail(p, name);
            (void)close(fd);
            return -1;
        }
    }
    return fd < 0 ? fail_way(p, name) : fd;
}

/* The directory that `name` lies in, and its last part; it is not the caller's. */
static int
parent_of(struct place *p, const char *name, const char **last)
{
    const char *end = strrchr(name, '/'), *at = name;
    size_t len = end ? (size_t)(end - name) : 0;
    int dir;

    *last = end ? end + 1 : name;
    if (!end)
        return p->top;
    if (p->parent && strlen(p->parent) == len && memcmp(p->parent, name, len) == 0)
        return p->parent_fd;
    place_close(p);
    dir = p->top;
    while (at < end) {
        size_t n = strcspn(at, "/");
        int next = enter(p, dir, rhost_copy(p->ctx, at, n), name);

        if (dir != p->top)
            (void)close(dir);
        if (next < 0)
            return -1;
        dir = next;
        at += n + 1;
    }
    p->parent = strndup(name, len);
    if (!p->parent) {
        (void)close(dir);
        errno = ENOMEM;
        return fail(p, name);
    }
    p->parent_fd = dir;
    return dir;
}

/* Removes what an earlier entry of the name has left. */
static int32_t
clear(struct place *p, int dir, const char *last, const char *name)
{
    if (unlinkat(dir, last, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno == EISDIR || errno == EPERM)
        return rhost_fail(p->ctx, "cannot unpack '%s': the archive has it as a directory, too", name);
    return fail(p, name);
}

int32_t
place_directory(struct place *p, const char *name, mode_t mode)
{
    const char *last;
    int dir = parent_of(p, name, &last), fd;
    int32_t result = 0;

    if (dir < 0)
        return -1;
    fd = enter(p, dir, last, name);
    if (fd < 0)
        return -1;
    if (fchmod(fd, mode) < 0)
        result = fail(p, name);
    (void)close(fd);
    return result;
}

int
place_file(struct place *p, const char *name, mode_t mode)
{
    const char *last;
    int dir = parent_of(p, name, &last), fd;

    if (dir < 0 || count(p) < 0 || clear(p, dir, last, name) < 0)
        return -1;
    fd = openat(dir, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(p, name);
    if (give(p, fd, name) == 0) {
        if (fchmod(fd, mode) == 0)
            return fd;
        (void)fail(p, name);
    }
    (void)close(fd);
    return -1;
}

int32_t
place_symlink(struct place *p, const char *name, const char *target)
{
    const char *last;
    int dir = parent_of(p, name, &last);

    if (dir < 0 || count(p) < 0 || clear(p, dir, last, name) < 0)
        return -1;
    if (symlinkat(target, dir, last) < 0)
        return fail(p, name);
    if ((p->uid >= 0 || p->gid >= 0)
        && fchownat(dir, last, (uid_t)p->uid, (gid_t)p->gid, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(p->ctx, "cannot change the owner of '%s'", name);
    return 0;
}

/* The file of this name, a regular one, for writing. */
static int
open_made(struct place *p, const char *name, int flags)
{
    const char *last;
    int dir = parent_of(p, name, &last), fd;
    struct stat st;

    if (dir < 0)
        return -1;
    if (fstatat(dir, last, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return rhost_fail(p->ctx, "cannot unpack a hard link to '%s': the archive has no such file before it",
                          name);
    fd = openat(dir, last, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? fail(p, name) : fd;
}

int
place_again(struct place *p, const char *name)
{
    return open_made(p, name, O_WRONLY | O_TRUNC);
}

int32_t
place_hard_link(struct place *p, const char *name, const char *to)
{
    int fd = open_made(p, to, O_RDONLY), from, into;
    const char *to_last, *last;
    int32_t result = 0;

    if (fd < 0)
        return -1;
    (void)close(fd);
    if (strcmp(name, to) == 0)
        return 0;
    from = parent_of(p, to, &to_last);
    from = from < 0 ? -1
                    : openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* the next call may close it */
    if (from < 0)
        return fail(p, to);
    into = parent_of(p, name, &last);
    if (into < 0 || count(p) < 0 || clear(p, into, last, name) < 0)
        result = -1;
    else if (linkat(from, to_last, into, last, 0) < 0)
        result = fail(p, name);
    (void)close(from);
    return result;
}
