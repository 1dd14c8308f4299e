/* SPDX-License-Identifier: Apache-2.0 */
/* wait - see the header. The kernel has few of these errors, but a filter of system calls, a tracer or a
 * container's runtime may return any. */
#include "config.h"

#include "base/wait.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

enum { PAUSE = 50, MOST_FAILURES = 20 }; /* milliseconds; that is a second */
enum { WATCH_EVERY = 100 };              /* milliseconds */

static void (*watcher)(void *data);
static void *watcher_data;

bool
rh_wait_again(struct rh_wait *w)
{
    static const struct timespec pause = { .tv_nsec = PAUSE * 1000000L };
    int why = errno;

    if (why == EINTR)
        return true;
    if (why == ECHILD || why == EINVAL || why == EFAULT || ++w->failures > MOST_FAILURES)
        return false; /* the first three do not pass */
    (void)nanosleep(&pause, NULL);
    errno = why;
    return true;
}

int
rh_wait_poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    struct rh_wait w = { 0 };
    int ready;

    while ((ready = poll(fds, n, milliseconds)) < 0 && errno != EINTR && rh_wait_again(&w))
        continue;
    return ready;
}

void
rh_wait_watch(void (*watch)(void *data), void *data)
{
    watcher = watch;
    watcher_data = data;
}

int
rh_wait_idle(struct pollfd *fds, nfds_t n, int milliseconds)
{
    int ready = 0, left = milliseconds;

    if (!watcher || !milliseconds)
        return rh_wait_poll(fds, n, milliseconds);
    while (!ready && left) {
        int part = left < 0 || left > WATCH_EVERY ? WATCH_EVERY : left;

        watcher(watcher_data);
        ready = rh_wait_poll(fds, n, part);
        left -= left < 0 ? 0 : part;
    }
    return ready;
}

void
rh_wait_end(pid_t pid)
{
    struct rh_wait w = { 0 };
    siginfo_t info;

    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && rh_wait_again(&w))
        continue;
}

int
rh_wait_child(pid_t pid, int *status)
{
    struct rh_wait w = { 0 };
    pid_t reaped;

    while ((reaped = waitpid(pid, status, 0)) < 0 && rh_wait_again(&w))
        continue;
    return reaped < 0 ? -1 : 0;
}
