/* SPDX-License-Identifier: Apache-2.0 */
/* worker-main - the process that providers run in: requests in, answers out, until it is let go.
 *
 * Nothing here trusts the plugin to behave: what it prints goes to a pipe that the host reads, what
 * it has to say goes through frames, and when the host dies so does this. */
#include "config.h"

#include "base/alloc.h"
#include "base/installation.h"
#include "base/interrupt.h"
#include "base/io.h"
#include "base/secrets.h"
#include "base/standard.h"
#include "plugin/frame.h"
#include "plugin/server.h"
#include "plugin/spawn.h"
#include "provider/exec-child.h"
#include "provider/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MEMORY = 2 }; /* GiB of data */

/* The host is gone; or the plugin closed what leads to it, and then the host says so. */
static void
send_bytes(const char *bytes, size_t n)
{
    if (rh_write_all(RH_WORKER_CHANNEL, bytes, n) < 0)
        _exit(RH_WORKER_LOST);
}

static uint64_t sent; /* bytes so far */

/* It stays in shared memory until it is sent: should we be killed meanwhile, the host finds it, and
 * knows by `at` how much of it has arrived already. */
static bool
keep_frames(void *data, const char *frames, size_t kept, size_t n)
{
    struct rh_shared *shared = data;

    if (n > sizeof shared->answers)
        return false;
    memcpy(shared->answers + kept, frames + kept, n - kept);
    shared->at = sent;
    __atomic_store_n(&shared->unsent, (uint32_t)n, __ATOMIC_RELEASE);
    /* A plugin that has closed the channel must not go on until we have something to send. */
    if (fcntl(RH_WORKER_CHANNEL, F_GETFD) < 0)
        _exit(RH_WORKER_LOST);
    return true;
}

static void
write_frames(void *data, const char *frames, size_t n)
{
    struct rh_shared *shared = data;

    (void)keep_frames(data, frames, 0, n);
    send_bytes(frames, n);
    sent += n;
    shared->unsent = 0;
}

static struct rh_shared *shared_memory;

/* What the host is working on may be half done, also on another thread: nothing more is sent. */
static void
end_for_misuse(const char *how)
{
    (void)snprintf(shared_memory->misuse, sizeof shared_memory->misuse, "%s", how);
    _exit(RH_WORKER_MISUSED);
}

static struct rh_seats *server;

/* What is cut off or is no text is lost, and the host must not go on as if it were not. */
static bool
take_descriptors(struct msghdr *message)
{
    bool ok = !(message->msg_flags & MSG_CTRUNC);

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        int fd;

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof fd))
            return false;
        memcpy(&fd, CMSG_DATA(c), sizeof fd);
        ok = rh_seats_take_text(server, fd) && ok;
    }
    return ok;
}

static bool
read_all(void *p, size_t n)
{
    char *at = p;

    while (n) {
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec part = { at, n };
        struct msghdr message = {
            .msg_iov = &part,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof control.bytes,
        };
        ssize_t got = recvmsg(RH_WORKER_CHANNEL, &message, MSG_CMSG_CLOEXEC);

        if (got >= 0 && !take_descriptors(&message))
            return false;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* systemd sends SIGTERM to all processes of a service: the host, which gets it too, says when it is time to
 * end. A handler, so that programs that a plugin starts by itself have the default again. */
static void
leave_to_host(int number)
{
    (void)number;
}

/* Dies with the host, keeps no core file with secrets in it, finds the children of its children, and
 * can't eat all memory. */
static void
settle_in(const char *host, bool held)
{
    const struct sigaction leave = { .sa_handler = leave_to_host, .sa_flags = SA_RESTART };
    struct rlimit limit;

    /* What rhost's own caller left open. */
    rh_close_from(held ? RH_WORKER_HELD + 1 : RH_WORKER_SHARED + 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)strtol(host, NULL, 10))
        _exit(0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* The hard limits stay, so that commands can have back what we had, also without being root. */
    rh_exec_note_limits();
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
    rh_secrets_shield(); /* a core that is piped to a program heeds no limit */
#ifndef RH_SANITIZERS
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > (rlim_t)MOST_MEMORY << 30) {
        limit.rlim_cur = (rlim_t)MOST_MEMORY << 30;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
#endif
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit fails, and that is reported */
    /* A terminal's interrupt goes to the host, which decides. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)sigaction(SIGTERM, &leave, NULL);
    (void)umask(022);
    if (chdir("/") < 0)
        _exit(71);
    (void)fcntl(RH_WORKER_CHANNEL, F_SETFD, FD_CLOEXEC);
    if (held && fcntl(RH_WORKER_HELD, F_SETFD, FD_CLOEXEC) == 0)
        rh_exec_hold(RH_WORKER_HELD);
}

static bool
read_frame(void *data, uint32_t *type, char **payload, size_t *n)
{
    uint32_t head[2];

    (void)data;
    if (!read_all(head, sizeof head) || head[0] > RH_FRAME_LARGEST_REQUEST)
        return false;
    *type = head[1];
    *n = head[0];
    *payload = rh_xalloc(*n + 1);
    if (read_all(*payload, *n))
        return true;
    free(*payload);
    return false;
}

/* In the middle of a request: without a host there is nobody to do it for. */
static bool
read_answer(void *data, uint32_t *type, char **payload, size_t *n)
{
    if (!read_frame(data, type, payload, n))
        _exit(RH_WORKER_LOST);
    return true;
}

int
main(int argc, char **argv)
{
    struct rh_shared *shared;
    uint32_t type;
    char *payload;
    size_t n;

    rh_alloc_tune();
    if (rh_standard_streams() < 0)
        return 71;
    if (argc < 2 || argc > 4 || fcntl(RH_WORKER_CHANNEL, F_GETFD) < 0) {
        (void)fputs("rhost-worker is started by rhost, and does nothing by itself\n", stderr);
        return 64;
    }
    if (argc == 4)
        rh_installation_use_kit(argv[3], NULL, "rhost-worker");
    settle_in(argv[1], argc > 2 && strcmp(argv[2], "held") == 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, RH_WORKER_SHARED, 0);
    if (shared == MAP_FAILED)
        return 71;
    (void)close(RH_WORKER_SHARED);
    shared_memory = shared;
    rh_handle_on_misuse(end_for_misuse);
    rh_interrupt_watch(&shared->interrupted);
    server = rh_seats_new(&(struct rh_server_io){
        .data = shared,
        .write = write_frames,
        .read = read_answer,
        .keep = keep_frames,
        .doing = &shared->doing,
    });
    while (read_frame(NULL, &type, &payload, &n) && rh_seats_handle(server, type, payload, n))
        continue;
    rh_seats_free(server);
    return 0;
}
