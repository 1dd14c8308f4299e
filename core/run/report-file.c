/* SPDX-License-Identifier: Apache-2.0 */
/* report-file - where a report is written. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIFO_TRIES = 200 /* of 50 ms each */, BESIDE_TRIES = 100 };

static bool
same_file(const struct stat *a, int fd)
{
    struct stat b;

    return fstat(fd, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* A link may lead anywhere: only its owner's or root's is followed, as in a sticky directory. */
static bool
is_followed(const struct stat *st)
{
    return !S_ISLNK(st->st_mode) || st->st_uid == 0 || st->st_uid == geteuid();
}

/* The names of the descriptors of this process, which no link in a file system can be put in place of. */
static bool
is_descriptor(const char *path)
{
    return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0;
}

/* Standard output or error, when it is this file: two positions in one file would write over each other. */
static int
standard_of(const struct stat *st)
{
    for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++)
        if (same_file(st, standard))
            return standard;
    return -1;
}

/* The path from the root on, the caller's; NULL with errno. */
static char *
whole_path(const char *path)
{
    rh_autofree char *here = *path == '/' ? NULL : getcwd(NULL, 0);

    if (*path == '/')
        return rh_xstrdup(path);
    return here ? rh_printf("%s/%s", here, path) : NULL;
}

/* What was looked at before, without blocking, and as root through no link that a lesser user could have
 * made. A FIFO that no program reads would be waited for without end. */
static int
open_in_time(const char *path, const struct stat *st, struct rh_unsafe *unsafe)
{
    const struct timespec pause = { .tv_nsec = 50000000 };
    const int flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    rh_autofree char *whole = whole_path(path);
    rh_autoclose int fd = -1;

    if (!whole)
        return -1;
    for (int i = 0; i < FIFO_TRIES; i++) {
        fd = is_descriptor(path) ? open(path, flags) : rh_safe_open(whole, true, flags, 0, unsafe);
        if (fd >= 0 || errno != ENXIO || !S_ISFIFO(st->st_mode))
            break;
        (void)nanosleep(&pause, NULL);
        errno = ENXIO;
    }
    if (fd >= 0 && !same_file(st, fd)) {
        errno = ESTALE;
        return -1;
    }
    return rh_take_fd(&fd);
}

static int
fail_to_open(const char *path, bool fifo, bool live, const struct rh_unsafe *unsafe, struct rh_error *err)
{
    const int why = errno;

    if (*unsafe->why)
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': %s", path, unsafe->why);
    if (why == ENXIO && fifo && live)
        return rh_error_set(err, RH_EINPUT, "cannot write the events to '%s': no program reads this FIFO",
                            path);
    if (why == ENXIO && fifo)
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': no program reads this FIFO", path);
    return rh_error_system(err, why, "cannot write the report '%s'", path);
}

/* Opens what is there, without replacing it. Only a FIFO for what is `live` does not block. */
static int
open_existing(const char *path, bool live, struct rh_error *err)
{
    rh_autoclose int there = open(path, O_PATH | O_CLOEXEC), fd = -1;
    struct rh_unsafe unsafe = { "" };
    struct stat st;
    int standard;

    if (there < 0 || fstat(there, &st) < 0)
        return rh_error_system(err, errno, "cannot write the report '%s'", path);
    if (S_ISBLK(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': it is a block device", path);
    standard = standard_of(&st);
    if (standard >= 0) {
        fd = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return fd < 0 ? rh_error_system(err, errno, "cannot write the report '%s'", path) : rh_take_fd(&fd);
    }
    /* What root writes would be for that user, or would wait for a reader. */
    if (geteuid() == 0 && S_ISFIFO(st.st_mode) && st.st_uid != 0 && !is_descriptor(path))
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': it is a FIFO of another user",
                            path);
    fd = open_in_time(path, &st, &unsafe);
    if (fd < 0)
        return fail_to_open(path, S_ISFIFO(st.st_mode), live, &unsafe, err);
    if ((S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
        || (!(live && S_ISFIFO(st.st_mode)) && fcntl(fd, F_SETFL, 0) < 0))
        return rh_error_system(err, errno, "cannot write the report '%s'", path);
    return rh_take_fd(&fd);
}

/* A name that no other file has: that of the file, and six letters. */
static int
make_beside(int dir, char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char random[6];
    char *end = name + strlen(name) - sizeof random;

    for (int i = 0; i < BESIDE_TRIES; i++) {
        int fd;

        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        for (size_t k = 0; k < sizeof random; k++)
            end[k] = letters[random[k] % 32];
        fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* The new file, in the directory of the old one. As root it is reached through no link that a lesser user
 * could have made, and the descriptor stays: the name is given in it. */
static int
open_beside(struct rh_report_file *f, const char *path, struct rh_error *err)
{
    rh_autofree char *whole = whole_path(path);
    struct rh_unsafe unsafe = { "" };
    char name[NAME_MAX + 1];
    int why;

    f->dir = whole ? rh_safe_parent(whole, false, name, &unsafe) : -1;
    if (f->dir < 0 && *unsafe.why)
        return rh_error_set(err, RH_EINPUT, "cannot create the report '%s': %s", path, unsafe.why);
    if (f->dir < 0)
        return rh_error_system(err, errno, "cannot create the report '%s'", path);
    f->name = rh_xstrdup(name);
    f->beside = rh_printf("%s.XXXXXX", name);
    f->fd = make_beside(f->dir, f->beside);
    if (f->fd >= 0)
        return f->fd;
    why = errno;
    (void)close(f->dir);
    free(f->name);
    free(f->beside);
    *f = (struct rh_report_file){ .fd = -1, .dir = -1 };
    return rh_error_system(err, why, "cannot create the report '%s'", path);
}

static int
open_file(struct rh_report_file *f, const char *path, unsigned mode, bool live, struct rh_error *err)
{
    struct stat st;

    *f = (struct rh_report_file){ .fd = -1, .dir = -1, .mode = mode };
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (!is_followed(&st))
            return rh_error_set(err, RH_EINPUT,
                                "cannot write the report '%s': it is a symbolic link of another user", path);
        f->fd = open_existing(path, live, err);
    } else {
        f->fd = open_beside(f, path, err);
    }
    if (f->fd < 0)
        return -1;
    f->path = rh_xstrdup(path);
    return 0;
}

int
rh_report_file_open(struct rh_report_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    return open_file(f, path, mode, false, err);
}

/* What the name stands for may have become something else while the run went on. */
static int
put_in_place(const struct rh_report_file *f)
{
    struct stat st;

    if (fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    return fchmod(f->fd, (mode_t)f->mode) < 0 ? -1 : renameat(f->dir, f->beside, f->dir, f->name);
}

int
rh_report_file_close(struct rh_report_file *f, bool keep)
{
    int rc = keep && f->beside ? put_in_place(f) : 0, why = errno;

    if (f->beside && (!keep || rc < 0))
        (void)unlinkat(f->dir, f->beside, 0);
    if (close(f->fd) < 0 && rc == 0) {
        rc = -1;
        why = errno;
    }
    if (f->name)
        (void)close(f->dir);
    free(f->path);
    free(f->name);
    free(f->beside);
    *f = (struct rh_report_file){ .fd = -1, .dir = -1 };
    errno = why;
    return rc;
}

int
rh_report_file_open_live(struct rh_report_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    struct stat st;
    int why;

    if (open_file(f, path, mode, true, err) < 0)
        return lstat(path, &st) == 0 && S_ISFIFO(st.st_mode)
                   ? -1
                   : rh_error_prefix(err, "cannot write the events");
    if (!f->beside)
        return 0;
    f->fresh = true;
    if (put_in_place(f) == 0) {
        free(f->beside);
        f->beside = NULL;
        return 0;
    }
    why = errno;
    (void)rh_report_file_close(f, false);
    return rh_error_system(err, why, "cannot write the events to '%s'", path);
}
