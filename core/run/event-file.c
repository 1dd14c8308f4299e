/* SPDX-License-Identifier: Apache-2.0 */
/* event-file - where the events of a run are written as they happen. */
#include "config.h"

#include "run/event-file.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/output-file.h"
#include "base/text.h"
#include "run/report.h"
#include "run/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_WAITING = 4 << 20, /* bytes for a reader that is slow */
    PATIENCE = 10000,       /* milliseconds for such a reader to take something */
};

struct rh_event_file {
    int fd;
    bool own; /* the descriptor is closed with it */
    struct rh_output_file file;
    char *name;  /* for messages */
    bool direct; /* a regular file, or a device: it takes what it gets */
    bool gone;   /* nothing is written any more */
    int trouble; /* errno of a write that failed */
    struct rh_stamp stamp;
    size_t n;          /* lines so far */
    struct rh_buf out; /* lines that were not taken yet, the last may be under way */
    size_t taken;      /* bytes of them */
    off_t whole;       /* bytes of whole lines in a file that is new; -1: something else may be in it */
};

static struct rh_event_file *
new_file(int fd, bool own, char *name)
{
    struct rh_event_file *f = rh_xalloc(sizeof *f);
    struct stat st;

    f->fd = fd;
    f->own = own;
    f->name = name;
    f->direct = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    f->whole = -1;
    return f;
}

struct rh_event_file *
rh_event_file_of(int fd)
{
    return new_file(fd, false, rh_printf("descriptor %d", fd));
}

struct rh_event_file *
rh_event_file_open(const char *to, struct rh_error *err)
{
    struct rh_output_file file;
    struct rh_event_file *f;

    if (strcmp(to, "-") == 0)
        return new_file(STDOUT_FILENO, false, rh_xstrdup("standard output"));
    if (strncmp(to, "fd:", 3) == 0)
        return rh_event_file_of((int)strtol(to + 3, NULL, 10));
    if (rh_output_file_open_live(&file, to, 0600, err) < 0) {
        rh_error_prefix(err, "cannot write the events");
        return NULL;
    }
    f = new_file(file.fd, true, rh_printf("'%s'", to));
    f->file = file;
    if (f->direct && file.fresh)
        f->whole = 0;
    return f;
}

/* Nothing more is written. A line that was begun is taken back where that can be done. */
static void
give_up(struct rh_event_file *f, int why)
{
    f->gone = true;
    if (why != EPIPE && why != ECONNRESET)
        f->trouble = why;
    if (f->whole >= 0 && ftruncate(f->fd, f->whole) < 0)
        f->trouble = why;
    rh_buf_truncate(&f->out, 0);
    f->taken = 0;
}

/* Whether something can be written without waiting; waits up to so many milliseconds for it. */
static bool
is_ready(const struct rh_event_file *f, int wait)
{
    struct pollfd p = { .fd = f->fd, .events = POLLOUT };
    double until = rh_now() + wait / 1e3;
    int rc;

    if (f->direct)
        return true;
    while ((rc = poll(&p, 1, wait)) < 0 && errno == EINTR) {
        double left = until - rh_now();

        wait = left > 0 ? (int)(left * 1e3) : 0;
    }
    return rc != 0;
}

/* Writes what is taken; waits up to so many milliseconds for each part. False: the reader is not ready. */
static bool
write_waiting(struct rh_event_file *f, int wait)
{
    while (!f->gone && f->taken < f->out.n) {
        size_t n = f->out.n - f->taken;
        ssize_t done;

        if (!is_ready(f, wait))
            return false;
        /* So much a pipe takes as a whole when it takes anything. */
        done = write(f->fd, f->out.s + f->taken, f->direct || n < PIPE_BUF ? n : PIPE_BUF);
        if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (errno == EAGAIN && !wait)
                return false;
            continue;
        }
        if (done < 0)
            give_up(f, errno);
        else
            f->taken += (size_t)done;
    }
    if (f->whole >= 0)
        f->whole += (off_t)f->taken;
    rh_buf_truncate(&f->out, 0);
    f->taken = 0;
    return true;
}

void
rh_event_file_flush(struct rh_event_file *f)
{
    (void)write_waiting(f, 0);
}

/* What was taken goes, when it is as much as what waits. */
static void
compact(struct rh_event_file *f)
{
    size_t left = f->out.n - f->taken;

    if (!f->taken || f->taken < left)
        return;
    memmove(f->out.s, f->out.s + f->taken, left);
    rh_buf_truncate(&f->out, left);
    f->taken = 0;
}

struct rh_buf *
rh_event_file_begin(struct rh_event_file *f, const char *event)
{
    compact(f);
    rh_buf_addc(&f->out, '{');
    rh_json_text(&f->out, "event", event);
    rh_json_number(&f->out, "n", (int64_t)f->n++);
    rh_stamp_add(&f->stamp, &f->out);
    return &f->out;
}

void
rh_event_file_end(struct rh_event_file *f)
{
    rh_buf_add(&f->out, "}\n");
    if (f->gone) {
        rh_buf_truncate(&f->out, 0);
        return;
    }
    if (!write_waiting(f, 0) && f->out.n - f->taken > MOST_WAITING && !write_waiting(f, PATIENCE))
        give_up(f, ETIMEDOUT);
}

int
rh_event_file_close(struct rh_event_file *f, struct rh_error *err)
{
    int rc = 0;

    if (!f)
        return 0;
    if (!write_waiting(f, PATIENCE))
        give_up(f, ETIMEDOUT);
    if (f->own && rh_output_file_close(&f->file, true) < 0 && !f->trouble)
        f->trouble = errno;
    if (f->trouble == ETIMEDOUT)
        rc = rh_error_set(err, RH_ESYSTEM,
                          "events were lost: the reader of %s did not take any for %d seconds", f->name,
                          PATIENCE / 1000);
    else if (f->trouble)
        rc = rh_error_system(err, f->trouble, "cannot write the events to %s", f->name);
    rh_buf_clear(&f->out);
    free(f->name);
    free(f);
    return rc;
}
