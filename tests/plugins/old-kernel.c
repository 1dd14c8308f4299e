/* SPDX-License-Identifier: Apache-2.0 */
/* old-kernel - runs a command as if the kernel had an older version of Landlock: old-kernel VERSION
 * COMMAND...
 *
 * A filter of seccomp has the calls reported that ask for the version, and a second process answers them.
 * With version 0 there is no Landlock: its calls fail with ENOSYS. */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_RULESET = 444, RESTRICT_SELF = 446, FLAG_VERSION = 1 };

static int
send_descriptor(int to, int fd)
{
    char byte = 0;
    struct iovec part = { &byte, 1 };
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { .head = { CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS } };
    const struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };

    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

static int
take_descriptor(int from)
{
    char byte;
    struct iovec part = { &byte, 1 };
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    int fd = -1;

    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

/* Until nobody is left who could ask. */
static void
answer(int fd, int version)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    while (poll(&wait, 1, -1) >= 0 && !(wait.revents & POLLHUP)) {
        struct seccomp_notif asked = { 0 };
        struct seccomp_notif_resp given = { 0 };

        if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
            continue;
        given.id = asked.id;
        given.val = version;
        (void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &given);
    }
}

static int
install(int version)
{
    const uint32_t all = SECCOMP_RET_ERRNO | ENOSYS, some = SECCOMP_RET_USER_NOTIF;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CREATE_RULESET, 0, 5),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, version ? CREATE_RULESET : RESTRICT_SELF, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, version ? FLAG_VERSION : UINT32_MAX, 1, version ? 2 : 0),
        BPF_JUMP(BPF_JMP | BPF_JA | BPF_K, 0, 0, 0),
        BPF_STMT(BPF_RET | BPF_K, version ? some : all),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { .len = sizeof code / sizeof *code, .filter = code };

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, version ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0,
                        &program);
}

int
main(int argc, char **argv)
{
    int version = argc > 2 ? (int)strtol(argv[1], NULL, 10) : -1, pair[2], fd;
    pid_t child;

    if (version < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return 71;
    child = version ? fork() : 1;
    if (child == 0) {
        (void)close(pair[0]);
        answer(take_descriptor(pair[1]), version);
        return 0;
    }
    if (geteuid() != 0)
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    fd = child < 0 ? -1 : install(version);
    if (fd < 0 || (version && send_descriptor(pair[0], fd) < 0)) {
        perror("old-kernel");
        return 71;
    }
    if (version)
        (void)close(fd);
    (void)execv(argv[2], argv + 2);
    perror(argv[2]);
    return 71;
}
