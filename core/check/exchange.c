/* SPDX-License-Identifier: Apache-2.0 */
/* exchange - the sockets of a process that is supervised. */
#include "config.h"

#include "check/exchange.h"

#if HAVE_SECCOMP

#include "base/io.h"
#include "base/wait.h"
#include "check/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MOST = 64 << 10, /* bytes of an answer */
    PATIENCE = 5000, /* milliseconds, for an answer to come */
};

static const char invalid_output[] = "\xff\x01{[(<\"' invalid \x80\xfe %s%n\r\n\r\n-1\t=:;,|\0\x7f\xc3\x28";

static int
open_memory(pid_t pid, int flags)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    return open(path, flags | O_CLOEXEC);
}

size_t
rh_exchange_read(pid_t pid, uint64_t from, void *to, size_t n)
{
    rh_autoclose int fd = open_memory(pid, O_RDONLY);
    ssize_t got = fd < 0 ? -1 : pread(fd, to, n, (off_t)from);

    return got < 0 ? 0 : (size_t)got;
}

int
rh_exchange_socket(const struct seccomp_notif *asked)
{
    rh_autoclose int process = (int)syscall(SYS_pidfd_open, (pid_t)asked->pid, 0);

    return process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)asked->data.args[0], 0);
}

void
rh_exchange_break(const struct seccomp_notif *asked)
{
    rh_autoclose int its = rh_exchange_socket(asked);

    if (its >= 0)
        (void)shutdown(its, SHUT_RDWR);
}

/* What it receives instead of what has come, or comes soon: the other end has done its work then. */
static ssize_t
receive(int its, int how, char *to, size_t n)
{
    struct pollfd p = { .fd = its, .events = POLLIN };
    ssize_t got = rh_wait_poll(&p, 1, PATIENCE) > 0 ? recv(its, to, n, MSG_DONTWAIT) : -1;

    if (got < 0)
        return -1;
    if (how != RH_USE_INVALID)
        return how == RH_USE_HALF ? got / 2 : 0;
    n = n < sizeof invalid_output ? n : sizeof invalid_output;
    memcpy(to, invalid_output, n);
    return (ssize_t)n;
}

int64_t
rh_exchange_receive(const struct seccomp_notif *asked, bool message, int how)
{
    pid_t pid = (pid_t)asked->pid;
    rh_autoclose int its = rh_exchange_socket(asked);
    rh_autoclose int memory = open_memory(pid, O_RDWR);
    uint64_t at = asked->data.args[1], room = asked->data.args[2];
    struct msghdr header = { 0 };
    struct iovec first = { 0 };
    char bytes[MOST];
    ssize_t n;

    if (its < 0 || memory < 0)
        return -1;
    if (message) {
        if (rh_exchange_read(pid, at, &header, sizeof header) != sizeof header || !header.msg_iovlen
            || rh_exchange_read(pid, (uint64_t)(uintptr_t)header.msg_iov, &first, sizeof first)
                   != sizeof first)
            return -1;
        header.msg_controllen = 0; /* nothing comes with it */
        header.msg_flags = 0;
        if (pwrite(memory, &header, sizeof header, (off_t)at) != (ssize_t)sizeof header)
            return -1;
        at = (uint64_t)(uintptr_t)first.iov_base;
        room = first.iov_len;
    }
    room = room < MOST ? room : MOST;
    n = receive(its, how, bytes, (size_t)room);
    if (n < 0 || pwrite(memory, bytes, (size_t)n, (off_t)at) != n)
        return -1;
    (void)shutdown(its, SHUT_RDWR);
    return n;
}

#endif
