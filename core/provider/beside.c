/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the name that a new file has until it takes its place. */
#include "config.h"

#include "provider/file-parts.h"
#include "provider/leftover.h"

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
