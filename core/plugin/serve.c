/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the process that a plugin is loaded into: requests in, answers out, until it is let go. */
#include "config.h"

#include "plugin/serve.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/io.h"
#include "plugin/frame.h"
#include "plugin/server.h"
#include "plugin/spawn.h"
#include "provider/exec-process.h"
#include "provider/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The host is gone; or the plugin closed what leads to it, and then the host says so. */
static void
send_bytes(const char *bytes, size_t n)
{
    if (rh_write_all(RH_WORKER_CHANNEL, bytes, n) < 0)
        _exit(RH_WORKER_LOST);
}

enum { CHECK_EVERY = 8 };

static uint64_t sent;   /* bytes so far */
static unsigned n_kept; /* times */

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
    /* A plugin that has closed the channel must not go on for long until we have something to send. */
    if (n_kept++ % CHECK_EVERY == 0 && fcntl(RH_WORKER_CHANNEL, F_GETFD) < 0)
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

/* In the middle of a request: without a host, nothing waits for the result. */
static bool
read_answer(void *data, uint32_t *type, char **payload, size_t *n)
{
    if (!read_frame(data, type, payload, n))
        _exit(RH_WORKER_LOST);
    return true;
}

/* The broker ends with this process: without it there is nothing more to do. */
static void
lose_broker(void)
{
    _exit(RH_WORKER_LOST);
}

/* A provider that acted as another user (setfsuid) has made the kernel forget that this process is to end
 * with its broker. */
static void
end_with_broker(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int
rh_worker_serve(struct rh_shared *shared, int broker)
{
    uint32_t type;
    char *payload;
    size_t n;

    shared_memory = shared;
    rh_exec_use_broker(broker, lose_broker);
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
        end_with_broker();
    rh_seats_free(server);
    return 0;
}
