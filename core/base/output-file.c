/* SPDX-License-Identifier: Apache-2.0 */
/* output-file - a file that somebody named to have something written to it. */
#include "config.h"

#include "base/output-file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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
    return st->st_uid == 0 || st->st_uid == geteuid();
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
fail_to_open(const char *path, bool fifo, const struct rh_unsafe *unsafe, struct rh_error *err)
{
    const int why = errno;

    if (*unsafe->why)
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': %s", path, unsafe->why);
    if (why == ENXIO && fifo)
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': no program reads this FIFO", path);
    return rh_error_system(err, why, "cannot write '%s'", path);
}

/* Opens what is there, without replacing it. Only a FIFO for what is `live` does not block. */
static int
open_existing(const char *path, bool live, bool *is_standard, struct rh_error *err)
{
    rh_autoclose int there = open(path, O_PATH | O_CLOEXEC), fd = -1;
    struct rh_unsafe unsafe = { "" };
    struct stat st;
    int standard;

    if (there < 0 || fstat(there, &st) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", path);
    if (S_ISBLK(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': it is a block device", path);
    standard = standard_of(&st);
    *is_standard = standard == STDOUT_FILENO;
    if (standard >= 0) {
        fd = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return fd < 0 ? rh_error_system(err, errno, "cannot write '%s'", path) : rh_take_fd(&fd);
    }
    /* What root writes would be for that user, or would wait for a reader. */
    if (geteuid() == 0 && S_ISFIFO(st.st_mode) && st.st_uid != 0 && !is_descriptor(path))
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': it is a FIFO of another user", path);
    fd = open_in_time(path, &st, &unsafe);
    if (fd < 0)
        return fail_to_open(path, S_ISFIFO(st.st_mode), &unsafe, err);
    if ((S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
        || (!(live && S_ISFIFO(st.st_mode)) && fcntl(fd, F_SETFL, 0) < 0))
        return rh_error_system(err, errno, "cannot write '%s'", path);
    return rh_take_fd(&fd);
}

static int
open_file(struct rh_output_file *f, const char *path, unsigned mode, bool live, struct rh_error *err)
{
    struct stat own, st;
    bool link = lstat(path, &own) == 0 && S_ISLNK(own.st_mode);

    *f = (struct rh_output_file){ .fd = -1, .mode = (mode_t)mode, .new = RH_NEW_FILE_NONE };
    if (link && !is_followed(&own))
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': it is a symbolic link of another user", path);
    if (stat(path, &st) == 0 && (link || !S_ISREG(st.st_mode)))
        f->fd = open_existing(path, live, &f->standard, err);
    else if (rh_new_file_open(&f->new, path, link, err) == 0)
        f->fd = f->new.fd;
    if (f->fd < 0)
        return -1;
    f->path = rh_xstrdup(path);
    return 0;
}

int
rh_output_file_open(struct rh_output_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    return open_file(f, path, mode, false, err);
}

int
rh_output_file_close(struct rh_output_file *f, bool keep)
{
    bool replaces = f->new.fd >= 0;
    int rc = keep && replaces && !f->fresh ? rh_new_file_place(&f->new, f->mode) : 0, why = errno;

    if (replaces)
        f->new.fd = -1; /* an error of close(2) counts */
    if (close(f->fd) < 0 && rc == 0) {
        rc = -1;
        why = errno;
    }
    rh_new_file_clear(&f->new);
    free(f->path);
    *f = (struct rh_output_file){ .fd = -1, .new = RH_NEW_FILE_NONE };
    errno = why;
    return rc;
}

int
rh_output_file_open_live(struct rh_output_file *f, const char *path, unsigned mode, struct rh_error *err)
{
    int why;

    if (open_file(f, path, mode, true, err) < 0)
        return -1;
    if (f->new.fd < 0)
        return 0;
    if (rh_new_file_place(&f->new, f->mode) == 0) {
        f->fresh = true;
        return 0;
    }
    why = errno;
    (void)rh_output_file_close(f, false);
    return rh_error_system(err, why, "cannot write '%s'", path);
}

int
rh_write_output(const char *path, const void *p, size_t n, unsigned mode, struct rh_error *err)
{
    struct rh_output_file f;
    bool written;
    int why;

    if (rh_output_file_open(&f, path, mode, err) < 0)
        return -1;
    written = rh_write_all(f.fd, p, n) == 0;
    why = errno;
    if (rh_output_file_close(&f, written) < 0 && written) {
        written = false;
        why = errno;
    }
    return written ? 0 : rh_error_system(err, why, "cannot write '%s'", path);
}
