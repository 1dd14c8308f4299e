/* SPDX-License-Identifier: Apache-2.0 */
/* safe-path - open what a path names, without following a link that a lesser user could have put there.
 *
 * A path without any symbolic link, which is the usual case, costs one openat2(2): the kernel refuses links.
 * Only when it does, the path is walked part by part. */
#include "config.h"

#include "base/safe-path.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_LINKS = 40, ALWAYS = O_CLOEXEC | O_NOCTTY };

/* Within a user namespace, what belongs to the outside shows as this number: not a user who could do anything
 * in here. -1 where every number stands for a user. */
static int64_t
outside_uid(void)
{
    static int64_t known = -2;
    unsigned long first, outer, count;
    FILE *f;

    if (known != -2)
        return known;
    known = -1;
    f = fopen("/proc/self/uid_map", "re");
    if (!f)
        return known;
    if (fscanf(f, "%lu %lu %lu", &first, &outer, &count) == 3 && count < 4294967295UL) {
        long number = 65534;
        FILE *overflow = fopen("/proc/sys/kernel/overflowuid", "re");

        if (overflow && fscanf(overflow, "%ld", &number) != 1)
            number = 65534;
        if (overflow)
            (void)fclose(overflow);
        known = number;
    }
    (void)fclose(f);
    return known;
}

static bool
is_trusted(uid_t uid)
{
    return uid == 0 || uid == geteuid() || (int64_t)uid == outside_uid();
}

bool
rh_safe_directory(const struct stat *dir)
{
    return is_trusted(dir->st_uid) && !(dir->st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether only root and the effective user can exchange this entry of the directory. */
static bool
safe_entry(const struct stat *dir, const struct stat *entry)
{
    return rh_safe_directory(dir)
           || (is_trusted(dir->st_uid) && (dir->st_mode & S_ISVTX) && is_trusted(entry->st_uid));
}

/* Where a walk is: in the directory `fd`, with `rest` still to go. */
struct walk {
    int fd;
    struct stat st;
    unsigned links;
    char rest[2 * PATH_MAX];
    char seen[PATH_MAX]; /* the way so far, for messages */
    struct rh_unsafe *unsafe;
};

static void
enter(struct walk *w, int fd)
{
    if (w->fd >= 0)
        (void)close(w->fd);
    w->fd = fd;
}

static int
start_at_root(struct walk *w)
{
    int fd = open("/", O_PATH | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &w->st) < 0) {
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    enter(w, fd);
    w->seen[0] = '\0';
    return 0;
}

static void
note_seen(struct walk *w, const char *part)
{
    size_t n = strlen(w->seen);

    (void)snprintf(w->seen + n, sizeof w->seen - n, "/%s", part);
}

static int
refuse(struct walk *w, const char *part, const struct stat *link)
{
    uid_t uid = is_trusted(w->st.st_uid) ? link->st_uid : w->st.st_uid;
    struct passwd pw, *found = NULL;
    char text[2048], who[96] = "other users";

    if (!is_trusted(uid) && getpwuid_r(uid, &pw, text, sizeof text, &found) == 0 && found)
        (void)snprintf(who, sizeof who, "user '%.80s'", found->pw_name);
    else if (!is_trusted(uid))
        (void)snprintf(who, sizeof who, "user %lu", (unsigned long)uid);
    if (w->unsafe)
        (void)snprintf(w->unsafe->why, sizeof w->unsafe->why,
                       "unsafe path: '%.*s/%s' is a symbolic link that %s can change", PATH_MAX - 300,
                       w->seen, part, who);
    errno = ELOOP;
    return -1;
}

/* Puts what the link says in the place of its name. */
static int
follow_link(struct walk *w, int link, const char *part, const char *behind)
{
    char target[PATH_MAX], *rest;
    struct stat st;
    ssize_t len;
    int n;

    if (fstat(link, &st) < 0)
        return -1;
    if (geteuid() == 0 && !safe_entry(&w->st, &st))
        return refuse(w, part, &st);
    if (++w->links > MAX_LINKS) {
        errno = ELOOP;
        return -1;
    }
    len = readlinkat(link, "", target, sizeof target - 1);
    if (len < 0)
        return -1;
    target[len] = '\0';
    rest = strdup(behind);
    if (!rest)
        return -1;
    n = snprintf(w->rest, sizeof w->rest, "%s%s%s", target, *rest ? "/" : "", rest);
    free(rest);
    if (n >= (int)sizeof w->rest) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return target[0] == '/' ? start_at_root(w) : 0;
}

/* Takes one part off `rest`; 0: there is none; -1 with errno. */
static int
next_part(struct walk *w, char part[NAME_MAX + 1], const char **behind)
{
    const char *p = w->rest + strspn(w->rest, "/");
    size_t len = strcspn(p, "/");

    if (len > NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, p, len);
    part[len] = '\0';
    *behind = p + len + strspn(p + len, "/");
    return len > 0;
}

/* Walks until one part is left, which is `name` ("." when there is none), with `follow` also through a link
 * there. */
static int
walk_to_last(struct walk *w, bool follow, char name[NAME_MAX + 1])
{
    char part[NAME_MAX + 1];
    const char *behind;
    int there;

    for (;;) {
        rh_autoclose int fd = -1;
        struct stat st;
        bool last;

        there = next_part(w, part, &behind);
        if (there < 0)
            return -1;
        last = !*behind && strcmp(part, "..") != 0;
        if (there == 0 || (last && !follow)) {
            memcpy(name, there ? part : ".", there ? strlen(part) + 1 : 2);
            return 0;
        }
        if (strcmp(part, ".") == 0 && !last) {
            memmove(w->rest, behind, strlen(behind) + 1);
            continue;
        }
        fd = openat(w->fd, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && last && errno == ENOENT) {
            memcpy(name, part, strlen(part) + 1);
            return 0;
        }
        if (fd < 0 || fstat(fd, &st) < 0)
            return -1;
        if (S_ISLNK(st.st_mode)) {
            if (follow_link(w, fd, part, behind) < 0)
                return -1;
            continue;
        }
        if (last) {
            memcpy(name, part, strlen(part) + 1);
            return 0;
        }
        if (!S_ISDIR(st.st_mode)) {
            errno = ENOTDIR;
            return -1;
        }
        memmove(w->rest, behind, strlen(behind) + 1);
        note_seen(w, part);
        w->st = st;
        enter(w, rh_take_fd(&fd));
    }
}

static int
walk_start(struct walk *w, const char *path, struct rh_unsafe *unsafe)
{
    w->fd = -1;
    w->links = 0;
    w->unsafe = unsafe;
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(w->rest, path, strlen(path) + 1);
    return start_at_root(w);
}

/* The walk, for root, and where the kernel has no openat2(2). */
static int
walk_open(const char *path, bool follow, int flags, mode_t mode, struct rh_unsafe *unsafe)
{
    char name[NAME_MAX + 1];
    struct walk w;
    int fd = -1, why;

    if (walk_start(&w, path, unsafe) == 0 && walk_to_last(&w, follow, name) == 0)
        fd = openat(w.fd, name, flags | O_NOFOLLOW | ALWAYS, mode);
    why = errno;
    if (w.fd >= 0)
        (void)close(w.fd);
    errno = why;
    return fd;
}

/* Without any link; ELOOP when there is one. */
static int
open_without_links(const char *path, int flags, mode_t mode)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | ALWAYS),
        .mode = flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode : 0,
        .resolve = RESOLVE_NO_SYMLINKS,
    };

    if (flags & O_PATH)
        how.flags = (uint64_t)(unsigned)((flags | O_CLOEXEC) & ~O_NOCTTY);
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int
rh_safe_open(const char *path, bool follow, int flags, mode_t mode, struct rh_unsafe *unsafe)
{
    int fd;

    if (unsafe)
        unsafe->why[0] = '\0';
    if (path[0] != '/') {
        errno = EINVAL;
        return -1;
    }
    fd = open_without_links(path, flags | (follow ? 0 : O_NOFOLLOW), mode);
    if (fd >= 0 || (errno != ELOOP && errno != ENOSYS && errno != EPERM && errno != EINVAL))
        return fd;
    if (geteuid() != 0)
        return open(path, flags | ALWAYS | (follow ? 0 : O_NOFOLLOW), mode);
    return walk_open(path, follow, flags, mode, unsafe);
}

/* Where the last part begins, when it can be told without looking: an ordinary name behind a '/'. */
static const char *
plain_last(const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash + 1;
    size_t len = strlen(last);

    return len == 0 || len > NAME_MAX || strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ? NULL : last;
}

int
rh_safe_parent(const char *path, bool follow, char name[NAME_MAX + 1], struct rh_unsafe *unsafe)
{
    const char *last;
    struct walk w;
    int why;

    if (unsafe)
        unsafe->why[0] = '\0';
    if (path[0] != '/' || strlen(path) >= PATH_MAX) {
        errno = path[0] != '/' ? EINVAL : ENAMETOOLONG;
        return -1;
    }
    last = plain_last(path);
    if (last) {
        char parent[PATH_MAX];
        int fd;

        memcpy(parent, path, (size_t)(last - path));
        parent[last - path] = '\0';
        fd = open_without_links(parent, O_PATH | O_DIRECTORY, 0);
        if (fd >= 0 && follow) {
            struct stat st;

            if (fstatat(fd, last, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode)) {
                (void)close(fd);
                fd = -1;
                errno = ELOOP;
            }
        }
        if (fd >= 0) {
            memcpy(name, last, strlen(last) + 1);
            return fd;
        }
        if (errno != ELOOP && errno != ENOSYS && errno != EPERM)
            return -1;
    }
    if (walk_start(&w, path, unsafe) == 0 && walk_to_last(&w, follow, name) == 0) {
        if (strcmp(name, ".") != 0)
            return w.fd;
        errno = EISDIR;
    }
    why = errno;
    if (w.fd >= 0)
        (void)close(w.fd);
    errno = why;
    return -1;
}
