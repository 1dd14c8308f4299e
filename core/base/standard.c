/* SPDX-License-Identifier: Apache-2.0 */
/* standard - what is written to standard output. */
#include "config.h"

#include "base/standard.h"

#include "base/io.h"
#include "base/status-line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static int write_errno; /* errno of the first rh_standard_write that failed */

void
rh_standard_write(int fd, const void *p, size_t n)
{
    if (n)
        rh_status_line_hide();
    if (rh_write_all(fd, p, n) < 0 && errno != EPIPE && !write_errno)
        write_errno = errno;
}

/* Whether it is a pipe or a socket whose reader has gone. */
static bool
has_no_reader(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
}

/* stdio forgets why an earlier write failed, so one more byte is written to what has lost others already:
 * errno, 0 if that works. */
static int
reason_again(int fd)
{
    return fd < 0 || write(fd, "\n", 1) == 1 ? 0 : errno;
}

int
rh_standard_close(void)
{
    rh_autoclose int fd = dup(STDOUT_FILENO);
    bool failed = write_errno || ferror(stdout);
    bool unread = has_no_reader(STDOUT_FILENO);

    errno = 0;
    if (fclose(stdout) != 0) /* some file systems report a full disk only here */
        failed = true;
    if (!failed)
        return 0;
    errno = write_errno ? write_errno : errno ? errno : unread ? EPIPE : reason_again(fd);
    return -1;
}
