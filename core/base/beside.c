/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the new file that is to take the place of another one, until it does. */
#include "config.h"

#include "base/beside.h"

#include "base/cleanup.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a. Nobody gains by a collision: the names are of one directory, and made one after the other. */
static uint64_t
digest(const char *base)
{
    uint64_t h = 14695981039346656037U;

    for (; *base; base++)
        h = (h ^ (unsigned char)*base) * 1099511628211U;
    return h;
}

bool
rh_beside_claim(int fd, int dir, const char *name)
{
    struct stat st, there;

    if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return false;
    return !name
           || (fstat(fd, &st) == 0 && fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0
               && st.st_dev == there.st_dev && st.st_ino == there.st_ino);
}

void
rh_beside_release(int fd)
{
    (void)flock(fd, LOCK_UN);
}

/* Removes what a killed process left under the name. A file that its maker still claims stays, and what we
 * can't look at. */
static bool
remove_leftover(int dir, const char *name)
{
    rh_autoclose int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st, there;

    if (fd < 0 && errno != ELOOP) /* a link has no claim */
        return false;
    if (fd >= 0) {
        if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || flock(fd, LOCK_EX | LOCK_NB) < 0)
            return false;
        /* Whoever removes a leftover has it locked: while it has the name now, the name stays its own. */
        if (fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != there.st_dev
            || st.st_ino != there.st_ino)
            return false;
    }
    return unlinkat(dir, name, 0) == 0; /* if it fails, another name is tried */
}

static void
name_of(char name[NAME_MAX + 1], const char *base, uint64_t number)
{
    (void)snprintf(name, NAME_MAX + 1, ".%.200s.rhost-%016" PRIx64, base, number);
}

bool
rh_leftover_remove(const char *path)
{
    char base[NAME_MAX + 1], name[NAME_MAX + 1];
    struct rh_unsafe unsafe;
    struct stat st;
    rh_autoclose int dir = rh_safe_parent(path, true, base, &unsafe);

    if (dir < 0 || fstat(dir, &st) < 0 || !rh_safe_directory(&st))
        return false;
    name_of(name, base, digest(base));
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && remove_leftover(dir, name);
}

int
rh_beside(int dir, const char *base, rh_beside_make *make, void *data, char name[NAME_MAX + 1])
{
    uint64_t number = digest(base);
    struct stat st;
    bool ours;

    if (fstat(dir, &st) < 0)
        goto failed;
    ours = rh_safe_directory(&st);
    for (int attempt = 0; attempt < RH_BESIDE_TRIES; attempt++) {
        if ((!ours || attempt > 1) && getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            break;
        name_of(name, base, number);
        if (make(data, dir, name) == 0)
            return 0;
        if (errno != EEXIST)
            break;
        if (ours && attempt == 0)
            (void)remove_leftover(dir, name);
    }
failed:
    name[0] = '\0';
    return -1;
}

struct made {
    int fd;
};

static int
make_named(void *data, int dir, const char *name)
{
    struct made *made = data;

    made->fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (made->fd < 0)
        return -1;
    if (rh_beside_claim(made->fd, dir, name))
        return 0;
    (void)close(made->fd);
    made->fd = -1;
    errno = EEXIST;
    return -1;
}

/* Root needs no /proc for that. Asked once: it is so for all files, or for none. */
static bool
can_link(void)
{
    static enum { UNKNOWN, YES, NO } known;

    if (known == UNKNOWN)
        known = geteuid() == 0 || access("/proc/self/fd", X_OK) == 0 ? YES : NO;
    return known == YES;
}

int
rh_beside_open(int dir, const char *base, mode_t mode, char beside[NAME_MAX + 1])
{
    struct made made = { -1 };

    beside[0] = '\0';
    if (can_link()) {
        made.fd = openat(dir, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode & 0777);
        if (made.fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
            return made.fd;
    }
    return rh_beside(dir, base, make_named, &made, beside) < 0 ? -1 : made.fd;
}

/* The direct way is open to root and, on newer kernels, to whoever opened the file; the way through
 * /proc takes twice as long, and needs a /proc. */
int
rh_beside_link(int fd, int dir, const char *name)
{
    char self[40];

    if (linkat(fd, "", dir, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOENT)
        return -1;
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW);
}

static int
link_made(void *data, int dir, const char *name)
{
    const struct made *made = data;

    return rh_beside_link(made->fd, dir, name);
}

int
rh_beside_name(int fd, int dir, const char *base, char beside[NAME_MAX + 1])
{
    struct made made = { fd };

    (void)rh_beside_claim(fd, dir,
                          NULL); /* before it has a name that another run could take for a leftover */
    return rh_beside(dir, base, link_made, &made, beside);
}
