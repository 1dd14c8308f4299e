/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one run at a time per state directory. */
#include "config.h"

#include "run/lock.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

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

int
rh_lock_take(const char *state_dir, unsigned wait, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/lock", state_dir);
    rh_autoclose int fd = -1;
    unsigned waited = 0;
    bool told = false;

    if (rh_make_directory(state_dir, 0700, err) < 0)
        return rh_error_prefix(err, "cannot use the state directory");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot open the lock '%s'", path);
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        const struct timespec pause = { .tv_nsec = 100000000 };
        int why = errno;
        rh_autofree char *who = holder(fd);

        if (why != EWOULDBLOCK && why != EINTR)
            return rh_error_system(err, why, "cannot lock '%s'", path);
        if (waited / 10 >= wait)
            return rh_error_set(err, RH_ELOCKED, "%s holds the lock '%s'; --wait-lock=SECONDS waits "
                                                 "for it", who, path);
        if (!told)
            rh_log(RH_NOTICE, "waiting for %s to end", who);
        told = true;
        (void)nanosleep(&pause, NULL);
        waited++;
    }
    write_down(fd);
    return rh_take_fd(&fd);
}
