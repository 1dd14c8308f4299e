/* SPDX-License-Identifier: Apache-2.0 */
/* report-file - where a report is written. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIFO_TRIES = 200 /* of 50 ms each */ };

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

/* Opens what is there, without replacing it. */
static int
open_existing(const char *path, struct rh_error *err)
{
    rh_autoclose int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot write the report '%s'", path);
    if (S_ISBLK(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': it is a block device", path);
    /* Two positions in one file would write over each other: this way they share one. */
    for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++)
        if (same_file(&st, standard)) {
            int copy = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

            return copy < 0 ? rh_error_system(err, errno, "cannot write the report '%s'", path) : copy;
        }
    if (S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
        return rh_error_system(err, errno, "cannot write the report '%s'", path);
    return rh_take_fd(&fd);
}

int
rh_report_file_open(struct rh_report_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    rh_autofree char *beside = NULL;
    struct stat st;

    *f = (struct rh_report_file){ .fd = -1, .mode = mode };
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (!is_followed(&st))
            return rh_error_set(err, RH_EINPUT,
                                "cannot write the report '%s': it is a symbolic link of another user", path);
        f->fd = open_existing(path, err);
    } else {
        beside = rh_printf("%s.XXXXXX", path);
        f->fd = mkostemp(beside, O_CLOEXEC);
        if (f->fd < 0)
            return rh_error_system(err, errno, "cannot create the report '%s'", path);
        f->beside = rh_take(&beside);
    }
    if (f->fd < 0)
        return -1;
    f->path = rh_xstrdup(path);
    return 0;
}

/* A FIFO that nobody reads would be waited for without end. */
static int
open_fifo(const char *path, struct rh_error *err)
{
    const struct timespec pause = { .tv_nsec = 50000000 };
    rh_autoclose int fd = -1;
    struct stat st;

    for (int i = 0; i < FIFO_TRIES; i++) {
        fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (fd >= 0 || errno != ENXIO)
            break;
        (void)nanosleep(&pause, NULL);
    }
    if (fd < 0 && errno == ENXIO)
        return rh_error_set(err, RH_EINPUT, "cannot write the events to '%s': no program reads this FIFO",
                            path);
    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot write the events to '%s'", path);
    if (!S_ISFIFO(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot write the events to '%s': it is no FIFO any more", path);
    return rh_take_fd(&fd);
}

/* What the name stands for may have become something else while the run went on. */
static int
put_in_place(const struct rh_report_file *f)
{
    struct stat st;

    if (lstat(f->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    return fchmod(f->fd, (mode_t)f->mode) < 0 ? -1 : rename(f->beside, f->path);
}

int
rh_report_file_close(struct rh_report_file *f, bool keep)
{
    int rc = keep && f->beside ? put_in_place(f) : 0, why = errno;

    if (f->beside && (!keep || rc < 0))
        (void)unlink(f->beside);
    if (close(f->fd) < 0 && rc == 0) {
        rc = -1;
        why = errno;
    }
    free(f->path);
    free(f->beside);
    *f = (struct rh_report_file){ .fd = -1 };
    errno = why;
    return rc;
}

int
rh_report_file_open_live(struct rh_report_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    struct stat st;
    int why;

    if (lstat(path, &st) == 0 && S_ISFIFO(st.st_mode)) {
        *f = (struct rh_report_file){ .fd = open_fifo(path, err), .mode = mode };
        if (f->fd < 0)
            return -1;
        f->path = rh_xstrdup(path);
        return 0;
    }
    if (rh_report_file_open(f, path, mode, err) < 0)
        return rh_error_prefix(err, "cannot write the events");
    if (!f->beside)
        return 0;
    if (put_in_place(f) == 0) {
        free(f->beside);
        f->beside = NULL;
        return 0;
    }
    why = errno;
    (void)rh_report_file_close(f, false);
    return rh_error_system(err, why, "cannot write the events to '%s'", path);
}
