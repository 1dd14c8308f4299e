/* SPDX-License-Identifier: Apache-2.0 */
/* link - the way to a worker: bytes out, whole frames in. */
#include "config.h"

#include "plugin/link.h"
#include "plugin/message.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/wait.h"
#include "plugin/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_COMMANDS = 64 }; /* at once */
enum { KEPT_OF_OUTPUT = 2000, CHUNK = 64 << 10, MOST_AFTER_END = 100, GRACE = 200, SENT_KEPT = 512 << 10 };

static void
from_inline(void *data, const char *frames, size_t n)
{
    rh_buf_addn(&((struct rh_link *)data)->in, frames, n);
}

/* The next frame for a server that waits for one. */
static bool
to_inline(void *data, uint32_t *type, char **payload, size_t *n)
{
    struct rh_link *l = data;
    uint32_t head[2];

    if (l->serve)
        l->serve(l->serve_data);
    if (l->dead || l->out.n - l->sent < RH_FRAME_HEADER)
        return false;
    memcpy(head, l->out.s + l->sent, sizeof head);
    *type = head[1];
    *n = head[0];
    *payload = rh_xalloc(*n + 1);
    memcpy(*payload, l->out.s + l->sent + RH_FRAME_HEADER, *n);
    l->sent += RH_FRAME_HEADER + *n;
    l->transmitted += RH_FRAME_HEADER + *n;
    return true;
}

int
rh_link_open(struct rh_link *l, bool process, const struct rh_privileges *privileges, struct rh_error *err)
{
    *l = (struct rh_link){ .process = { .channel = -1, .control = -1, .output = -1, .ended = -1 } };
    if (process)
        return rh_process_start(&l->process, privileges, err);
    l->server = rh_server_new(&(struct rh_server_io){
        .data = l,
        .write = from_inline,
        .read = to_inline,
        .doing = &l->last_doing,
    });
    return 0;
}

/* What the broker has recorded. All of it once the broker has ended; before that, others want to be heard
 * too. */
static void
take_commands(struct rh_link *l, bool all)
{
    char text[RH_CONTROL_LARGEST];
    ssize_t n = 0;

    for (int i = 0; all || i < MOST_COMMANDS; i++) {
        n = recv(l->process.control, text, sizeof text, MSG_DONTWAIT);
        /* ECONNRESET comes once, before what is still to be read: the broker has left a message unread. */
        if (n <= 0 && !(n < 0 && (errno == EINTR || errno == ECONNRESET)))
            break;
        if (n < 0 || !rh_log_enabled(RH_DEBUG))
            continue;
        rh_buf_addn(&l->commands, text, (size_t)n);
        rh_buf_addc(&l->commands, '\0');
    }
    if (all || n == 0) {
        (void)close(l->process.control);
        l->process.control = -1;
    }
}

static char *
end_process(struct rh_link *l, int grace)
{
    char *how = rh_process_end(&l->process, grace);

    if (l->process.control >= 0)
        take_commands(l, true);
    return how;
}

void
rh_link_end(struct rh_link *l)
{
    if (l->server || l->dead)
        return;
    free(end_process(l, GRACE));
    l->dead = true;
}

void
rh_link_close(struct rh_link *l)
{
    rh_link_end(l);
    rh_server_free(l->server);
    rh_buf_clear(&l->out);
    rh_buf_clear(&l->in);
    rh_buf_clear(&l->printed);
    rh_buf_clear(&l->commands);
    free(l->how);
    for (size_t i = 0; i < l->n_attached; i++)
        (void)close(l->attached[i].fd);
    free(l->attached);
    *l = (struct rh_link){ .dead = true };
}

const struct rh_doing *
rh_link_doing(const struct rh_link *l)
{
    return l->process.shared ? &l->process.shared->doing : &l->last_doing;
}

/* The server takes a payload over, as it would one that it received. */
static void
move_inline(struct rh_link *l)
{
    while (l->out.n - l->sent >= RH_FRAME_HEADER && !l->dead) {
        uint32_t head[2];
        char *payload;

        memcpy(head, l->out.s + l->sent, sizeof head);
        payload = rh_xalloc((size_t)head[0] + 1);
        memcpy(payload, l->out.s + l->sent + RH_FRAME_HEADER, head[0]);
        l->sent += RH_FRAME_HEADER + head[0];
        l->transmitted += RH_FRAME_HEADER + head[0];
        if (!rh_server_handle(l->server, head[1], payload, head[0]))
            l->dead = true;
    }
    l->sent = 0;
    rh_buf_truncate(&l->out, 0);
}

static void
take_printed(struct rh_link *l)
{
    char text[4096];
    ssize_t n;

    while ((n = read(l->process.output, text, sizeof text)) > 0) {
        size_t room = KEPT_OF_OUTPUT - l->printed.n;
        size_t keep = (size_t)n < room ? (size_t)n : room;

        rh_buf_addn(&l->printed, text, keep);
        l->printed_more += (size_t)n - keep;
        if (l->printed_more > 1 << 20)
            break; /* others want to be heard too */
    }
}

static bool
receive(struct rh_link *l)
{
    bool any = false;

    for (int i = 0; i < 16; i++) {
        char chunk[CHUNK];
        ssize_t n = recv(l->process.channel, chunk, sizeof chunk, 0);

        if (n > 0) {
            rh_buf_addn(&l->in, chunk, (size_t)n);
            l->received += (size_t)n;
            any = true;
            if ((size_t)n < sizeof chunk)
                break;
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
            rh_link_kill(l, NULL);
        break;
    }
    return any;
}

void
rh_link_attach(struct rh_link *l, int fd)
{
    l->attached = rh_xgrow(l->attached, &l->cap_attached, l->n_attached, sizeof *l->attached);
    l->attached[l->n_attached++] =
        (struct rh_attached){ .at = l->transmitted + (l->out.n - l->sent), .fd = fd };
}

/* As far as to the next descriptor; one that is due goes with the first byte. */
static ssize_t
send_some(struct rh_link *l)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = { .bytes = { 0 } };
    struct iovec part = { l->out.s + l->sent, l->out.n - l->sent };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    bool due = l->n_attached && l->attached[0].at == l->transmitted;
    ssize_t n;

    if (l->n_attached > due && l->attached[due].at - l->transmitted < part.iov_len)
        part.iov_len = (size_t)(l->attached[due].at - l->transmitted);
    if (due) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
                                          .cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.align), &l->attached[0].fd, sizeof(int));
    }
    n = sendmsg(l->process.channel, &message, MSG_NOSIGNAL);
    if (n > 0 && due) {
        (void)close(l->attached[0].fd);
        memmove(l->attached, l->attached + 1, --l->n_attached * sizeof *l->attached);
    }
    return n;
}

static bool
transmit(struct rh_link *l)
{
    bool any = false;

    while (l->sent < l->out.n) {
        ssize_t n = send_some(l);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EPIPE || errno == ECONNRESET))
            break; /* full, or gone: the next receive says which */
        if (n < 0) {
            rh_autofree char *why =
                rh_printf("could not be written to (%s), and was killed", strerror(errno));

            rh_link_kill(l, why);
            return true;
        }
        l->sent += (size_t)n;
        l->transmitted += (uint64_t)n;
        any = true;
    }
    if (l->sent == l->out.n) {
        l->sent = 0;
        rh_buf_truncate(&l->out, 0);
    } else if (l->sent > SENT_KEPT && l->sent > l->out.n / 2) {
        /* A batch may be long, and never wait until all is sent; and what waits may be large: each byte is
         * moved once or twice. */
        memmove(l->out.s, l->out.s + l->sent, l->out.n - l->sent);
        rh_buf_truncate(&l->out, l->out.n - l->sent);
        l->sent = 0;
    }
    return any;
}

bool
rh_link_move(struct rh_link *l, int milliseconds)
{
    struct pollfd fds[4];
    bool any;
    int rc;

    if (l->dead)
        return true;
    if (l->server) {
        move_inline(l);
        return true;
    }
    any = transmit(l);
    if (l->dead)
        return true;
    fds[0] = (struct pollfd){ .fd = l->process.channel, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = l->output_closed ? -1 : l->process.output, .events = POLLIN };
    /* A child that a plugin left may keep the channel open after the worker has ended. */
    fds[2] = (struct pollfd){ .fd = l->process.ended, .events = POLLIN };
    fds[3] = (struct pollfd){ .fd = l->process.control, .events = POLLIN };
    if (l->sent < l->out.n)
        fds[0].events |= POLLOUT;
    /* Something was sent, so there is room for more: the worker may be waiting for just that. */
    rc = rh_wait_idle(fds, 4, any ? 0 : milliseconds);
    if (rc < 0 && errno != EINTR) {
        rh_autofree char *why = rh_printf("could not be waited for (%s), and was killed", strerror(errno));

        rh_link_kill(l, why);
    }
    if (rc < 0)
        return true;
    if (rc == 0)
        return any;
    if (fds[3].revents)
        take_commands(l, false);
    if (fds[1].revents)
        take_printed(l);
    if (fds[1].revents & POLLHUP) /* closed by the plugin, or all is over */
        l->output_closed = true;
    if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
        any |= receive(l);
    if (fds[2].revents && !l->dead) {
        for (int i = 0; i < MOST_AFTER_END && !l->dead && receive(l); i++)
            continue;
        rh_link_kill(l, NULL);
    }
    if (l->dead)
        return true;
    if (fds[0].revents & POLLOUT)
        any |= transmit(l);
    return true;
}

/* What the worker had to say when it ended, from where it was cut off. */
static void
take_unsent(struct rh_link *l, const struct rh_shared *shared)
{
    uint32_t n = shared->unsent;
    uint64_t have = l->received - shared->at;

    if (n <= sizeof shared->answers && have < n)
        rh_buf_addn(&l->in, shared->answers + have, n - (size_t)have);
}

void
rh_link_kill(struct rh_link *l, const char *why)
{
    struct rh_shared *shared = l->process.shared;
    struct rh_doing doing = *rh_link_doing(l);
    rh_autofree char *reason = why ? rh_xstrdup(why) : NULL; /* may stand in l->in, which moves */

    if (l->dead)
        return;
    l->dead = true;
    if (l->process.output >= 0)
        take_printed(l);
    if (shared)
        take_unsent(l, shared);
    /* It may be about to end by itself: how it ends is worth a moment. */
    l->how = end_process(l, why ? 0 : GRACE);
    if (reason) {
        free(l->how);
        l->how = rh_take(&reason);
    }
    l->last_doing = doing;
    l->last_doing.verb[sizeof doing.verb - 1] = '\0';
}

bool
rh_link_next(struct rh_link *l, uint32_t *type, char **payload, size_t *n)
{
    size_t there = l->in.n - l->taken;
    uint32_t head[2];

    if (there >= RH_FRAME_HEADER) {
        memcpy(head, l->in.s + l->taken, sizeof head);
        if (head[0] > rh_message_largest(head[1]) && !l->server) {
            l->taken = l->in.n;
            rh_link_kill(l, "sent an invalid answer and was killed");
            return false;
        }
        if (there - RH_FRAME_HEADER >= head[0]) {
            *type = head[1];
            *payload = l->in.s + l->taken + RH_FRAME_HEADER;
            *n = head[0];
            l->taken += RH_FRAME_HEADER + head[0];
            return true;
        }
    }
    /* What was taken goes once in a while, not after every frame. */
    if (l->taken) {
        memmove(l->in.s, l->in.s + l->taken, there);
        l->in.n = there;
        l->taken = 0;
    }
    return false;
}
