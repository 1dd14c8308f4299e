/* SPDX-License-Identifier: Apache-2.0 */
/* supervise - what a process uses of the machine. */
#include "config.h"

#include "check/supervise.h"

#include "base/error.h"

#if HAVE_SECCOMP

#include "base/alloc.h"
#include "base/io.h"
#include "base/text.h"
#include "base/wait.h"
#include "check/use.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sends the descriptor of the filter, or none, which says that there is no filter: by a call that the filter
 * does not ask about, since its questions are not answered yet. */
static bool
send_listener(int to, int fd)
{
    char word = fd < 0;
    struct iovec part = { &word, 1 };
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct mmsghdr one = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };

    if (fd >= 0) {
        struct cmsghdr *c;

        one.msg_hdr.msg_control = control.bytes;
        one.msg_hdr.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&one.msg_hdr);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    return sendmmsg(to, &one, 1, MSG_NOSIGNAL) == 1 && one.msg_len == 1;
}

static int
receive_listener(int from)
{
    char word = 1;
    struct iovec part = { &word, 1 };
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *c;
    int fd = -1;

    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1 || word)
        return -1;
    c = CMSG_FIRSTHDR(&message);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

/* The descriptor that the kernel's questions come from, or -1: this process is filtered from now on. */
static int
filter_this_process(enum rh_use_depth depth)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int fd = -1;

    if (!filter)
        return -1;
    /* Who is root needs no such promise, which would take set-user-ID from the programs that it starts. */
    if (geteuid() == 0)
        (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
    if (rh_use_add_rules(filter, depth) == 0 && seccomp_load(filter) == 0)
        fd = seccomp_notify_fd(filter);
    seccomp_release(filter);
    return fd;
}

static void __attribute__((noreturn))
run_filtered(int to, enum rh_use_depth depth, void (*body)(void *data), void *data)
{
    int fd;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    fd = filter_this_process(depth);
    if (!send_listener(to, fd) || fd < 0)
        _exit(1);
    (void)close(fd);
    (void)close(to);
    body(data);
    (void)fflush(NULL);
    _exit(0);
}

/* One question of the kernel. */
static bool
answer_one(int listener, pid_t child, rh_use_fn *use, void *data, struct seccomp_notif *asked,
           struct seccomp_notif_resp *answer)
{
    int64_t received;
    int failure;

    memset(asked, 0, sizeof *asked); /* which the kernel asks for */
    if (seccomp_notify_receive(listener, asked) < 0)
        return errno == EINTR || errno == ENOENT;
    failure = rh_use_note(asked, child, use, data, &received);
    *answer = (struct seccomp_notif_resp){ .id = asked->id };
    if (failure)
        answer->error = -failure;
    else if (received >= 0)
        answer->val = received;
    else
        answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    return seccomp_notify_respond(listener, answer) == 0 || errno == ENOENT; /* it was killed meanwhile */
}

/* Until the process has ended. What it has left running is not waited for. */
static void
answer_all(int listener, pid_t child, rh_use_fn *use, void *data)
{
    struct seccomp_notif *asked = NULL;
    struct seccomp_notif_resp *answer = NULL;
    rh_autoclose int ended = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd p[2] = { { .fd = listener, .events = POLLIN }, { .fd = ended, .events = POLLIN } };

    if (ended < 0 || seccomp_notify_alloc(&asked, &answer) < 0)
        return;
    do
        p[0].revents = p[1].revents = 0;
    while (
        rh_wait_poll(p, 2, -1) >= 0
        && (p[0].revents & POLLIN ? answer_one(listener, child, use, data, asked, answer) : !p[1].revents));
    seccomp_notify_free(asked, answer);
}

int
rh_supervise(void (*body)(void *data), void *data, enum rh_use_depth depth, rh_use_fn *use, void *use_data,
             int *status, struct rh_error *err)
{
    rh_autoclose int here = -1, there = -1, listener = -1;
    int pair[2];
    pid_t child;

    *status = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return rh_error_system(err, errno, "cannot watch a check");
    here = pair[0];
    there = pair[1];
    (void)fflush(NULL);
    child = fork();
    if (child < 0)
        return rh_error_system(err, errno, "cannot watch a check");
    if (child == 0)
        run_filtered(there, depth, body, data);
    (void)close(there);
    there = -1;
    listener = receive_listener(here);
    if (listener >= 0)
        answer_all(listener, child, use, use_data);
    else
        (void)kill(child, SIGKILL);
    if (rh_wait_child(child, status) < 0)
        return rh_error_system(err, errno, "cannot watch a check");
    if (listener < 0)
        return rh_error_set(err, RH_ESYSTEM, "system calls cannot be watched here");
    return 0;
}

#else

int
rh_supervise(void (*body)(void *data), void *data, enum rh_use_depth depth, rh_use_fn *use, void *use_data,
             int *status, struct rh_error *err)
{
    (void)body;
    (void)data;
    (void)depth;
    (void)use;
    (void)use_data;
    *status = 0;
    return rh_error_set(err, RH_ESYSTEM, "this rhost was built without libseccomp");
}

#endif
