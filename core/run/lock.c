/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one run at a time per state directory. */
#include "config.h"

#include "run/lock.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct rh_lock {
    char *state_dir, *path;
    int dir, file;         /* `dir` is the caller's */
    unsigned waited, wait; /* tenths of a second */
    bool reported;         /* that we wait */
};

/* Who holds it, as the holder wrote it down: for people, not for deciding anything. */
static char *
holder(int fd)
{
    char text[200];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    char *end;

    if (n <= 0)
        return rh_xstrdup("another run");
    text[n] = '\0';
    end = strchr(text, '\n');
    if (end)
        *end = '\0';
    return rh_safe_text(text);
}

static void
write_down(int fd)
{
    char when[40] = "";
    time_t now = time(NULL);
    struct tm tm;

    if (localtime_r(&now, &tm))
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    rh_autofree char *text = rh_printf("the run of process %d, started %s\n", (int)getpid(), when);

    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
        rh_debug("cannot write down who holds the lock: %s", strerror(errno));
}

/* A moment's wait for `who`; -1 when there was enough of it. */
static int
wait_for(struct rh_lock *l, const char *who, struct rh_error *err)
{
    const struct timespec pause = { .tv_nsec = 100000000 };

    if (l->waited >= l->wait)
        return rh_error_set(err, RH_ELOCKED, "%s holds the lock '%s'; --wait-lock=SECONDS waits for it", who,
                            l->path);
    if (!l->reported)
        rh_log(RH_NOTICE, "waiting for %s to end", who);
    l->reported = true;
    (void)nanosleep(&pause, NULL);
    l->waited++;
    return 0;
}

static bool
same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int
lock_file(struct rh_lock *l, struct rh_error *err)
{
    struct stat opened, named;

    for (;;) {
        if (l->file >= 0)
            (void)close(l->file);
        l->file = openat(l->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (l->file < 0 || fstat(l->file, &opened) < 0)
            return rh_error_system(err, errno, "cannot open the lock '%s'", l->path);
        if (!S_ISREG(opened.st_mode))
            return rh_error_set(err, RH_EINPUT, "cannot open the lock '%s': it is not a regular file",
                                l->path);
        if (flock(l->file, LOCK_EX | LOCK_NB) < 0) {
            int why = errno;
            rh_autofree char *who = holder(l->file);

            if (why != EWOULDBLOCK && why != EINTR)
                return rh_error_system(err, why, "cannot lock '%s'", l->path);
            if (wait_for(l, who, err) < 0)
                return -1;
        } else if (fstatat(l->dir, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 && same(&opened, &named)) {
            return 0;
        } /* else it was removed while we waited for it: that lock is nobody's any more */
    }
}

static int
lock_directory(struct rh_lock *l, struct rh_error *err)
{
    while (flock(l->dir, LOCK_EX | LOCK_NB) < 0) {
        int why = errno;
        rh_autofree char *who = holder(l->file);
        rh_autofree char *left = rh_printf("a command that %s has left behind", who);

        if (why != EWOULDBLOCK && why != EINTR) {
            rh_debug("cannot lock the directory '%s': %s", l->state_dir, strerror(why));
            return 0; /* as on NFS: the file is locked */
        }
        if (wait_for(l, left, err) < 0)
            return -1;
    }
    return 0;
}

int
rh_lock_check(const struct rh_lock *l, struct rh_error *err)
{
    struct stat opened, named;

    if (fstat(l->dir, &opened) == 0 && stat(l->state_dir, &named) == 0 && same(&opened, &named))
        return 0;
    return rh_error_set(err, RH_ESYSTEM, "the state directory '%s' was removed or replaced during the run",
                        l->state_dir);
}

struct rh_lock *
rh_lock_take(const char *state_dir, int dir, unsigned wait, struct rh_error *err)
{
    struct rh_lock *l = rh_xalloc(sizeof *l);

    *l = (struct rh_lock){
        .state_dir = rh_xstrdup(state_dir),
        .path = rh_printf("%s/lock", state_dir),
        .dir = dir,
        .file = -1,
        .wait = wait > UINT_MAX / 10 ? UINT_MAX : wait * 10,
    };
    if (lock_file(l, err) < 0 || lock_directory(l, err) < 0 || rh_lock_check(l, err) < 0) {
        rh_lock_free(l);
        return NULL;
    }
    write_down(l->file);
    return l;
}

void
rh_lock_free(struct rh_lock *l)
{
    if (!l)
        return;
    if (l->file >= 0)
        (void)close(l->file);
    free(l->state_dir);
    free(l->path);
    free(l);
}
