/* SPDX-License-Identifier: Apache-2.0 */
/* unmount - unmounting what lies in a directory that others can change; see the header. */

#include "unmount.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A process of its own, since the kernel may wait for a server or a disk. Its exit status is the errno. */
static int
await(pid_t child, uint32_t timeout)
{
    const struct timespec most = { .tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000L };
    struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
    int ready = ended.fd < 0 ? 1 : ppoll(&ended, 1, &most, NULL), status = 0;

    if (ended.fd >= 0)
        (void)close(ended.fd);
    if (ready == 0) {
        (void)kill(child, SIGKILL); /* it ends when the kernel does not wait any more */
        return ETIMEDOUT;
    }
    if (waitpid(child, &status, 0) < 0)
        return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int
unmount_at(const char *path, uint32_t timeout)
{
    pid_t child = fork();

    if (child == 0)
        _exit(umount2(path, UMOUNT_NOFOLLOW) < 0 ? errno : 0);
    return child < 0 ? errno : await(child, timeout);
}
