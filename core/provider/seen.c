/* SPDX-License-Identifier: Apache-2.0 */
/* seen - whether a file is still the one whose content was read and edited. */
#include "config.h"

#include "provider/file-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 200, PAUSE = 5000000 /* ns */ };

int
rh_seen_lock(int dir, const char *base, const struct rhost_file_seen *seen)
{
    const struct timespec pause = { .tv_nsec = PAUSE };
    int fd;

    if (!seen || !seen->exists)
        return -1;
    fd = openat(dir, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK)
            break;
        (void)nanosleep(&pause, NULL);
    }
    (void)close(fd);
    return -1;
}

bool
rh_seen_changed(int dir, const char *base, const struct rhost_file_seen *seen)
{
    struct stat now;

    if (!seen)
        return false;
    if (fstatat(dir, base, &now, AT_SYMLINK_NOFOLLOW) < 0)
        return errno != ENOENT || seen->exists;
    return !seen->exists || (uint64_t)now.st_dev != seen->dev || (uint64_t)now.st_ino != seen->ino
           || now.st_size != seen->size || now.st_mtim.tv_sec != seen->mtime_sec
           || now.st_mtim.tv_nsec != seen->mtime_nsec || now.st_ctim.tv_sec != seen->ctime_sec
           || now.st_ctim.tv_nsec != seen->ctime_nsec;
}
