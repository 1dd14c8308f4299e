/* SPDX-License-Identifier: Apache-2.0 */
/* receive - the target's side of a push. */
#include "config.h"

#include "reach/receive.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/value.h"
#include "base/wait.h"
#include "reach/receive-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    SILENT = 300,      /* seconds without a sign of the controller: it is lost. It may only be paused. */
    ACKNOWLEDGE = 20,  /* how long to wait for it at the end after a signal asked us to end */
    LONGEST_END = 600, /* how long a run may take to end after SIGTERM */
    MOST_UNSENT = 4 << 20,
    MOST_LEFT = 1 << 20,      /* bytes of output that are read after the end of the command */
    MOST_EARLIER = 800 << 10, /* bytes of JSON about earlier pushes: the hello is one frame */
};

static void
lose(struct rh_receiver *r)
{
    if (r->disconnected)
        return;
    r->disconnected = true;
    rh_buf_truncate(&r->out, 0);
    r->sent = 0;
    if (r->step == RH_RECEIVE_RUN && !r->detach)
        rh_receive_stop(r);
}

static void
send_some(struct rh_receiver *r)
{
    ssize_t n = r->disconnected ? 0 : rh_child_write(STDOUT_FILENO, r->out.s + r->sent, r->out.n - r->sent);

    if (n < 0) {
        lose(r);
        return;
    }
    r->sent += (size_t)n;
    if (r->sent == r->out.n) {
        rh_buf_truncate(&r->out, 0);
        r->sent = 0;
    }
}

/* The last thing that is said: why nothing was run. */
static void
refuse(struct rh_receiver *r, const struct rh_error *err)
{
    struct rh_value *v = rh_value_new(r->arena, RH_HASH);

    rh_value_put(v, "message", rh_value_string(r->arena, err->message));
    rh_wire_add_value(&r->out, RH_WIRE_REFUSAL, v);
    while (!r->disconnected && r->out.n) {
        struct pollfd fd = { .fd = STDOUT_FILENO, .events = POLLOUT };

        if (rh_wait_poll(&fd, 1, 5000) == 0 || fd.revents & (POLLERR | POLLNVAL))
            break;
        send_some(r);
    }
}

/* What fits of earlier pushes. Those that are left out are for the next push: only what was sent completely
 * is forgotten. A record that never fits is sent without its report. */
static struct rh_value *
choose_earlier(struct rh_receiver *r)
{
    struct rh_value *all = rh_push_records_earlier(r->arena, r->state_dir);
    struct rh_value *chosen = rh_value_new(r->arena, RH_ARRAY);
    size_t size = 0;

    for (size_t i = 0; i < rh_value_count(all); i++) {
        struct rh_value *one = rh_value_copy(r->arena, rh_value_at(all, i));
        size_t n;

        rh_value_drop(one, "command");
        n = rh_push_record_size(one);
        if (n > MOST_EARLIER) {
            rh_value_drop(one, "report");
            n = rh_push_record_size(one);
        }
        if (size + n > MOST_EARLIER)
            continue;
        size += n;
        rh_value_append(chosen, one);
    }
    return chosen;
}

static void
say_hello(struct rh_receiver *r, const char *nonce)
{
    struct rh_value *v = rh_value_new(r->arena, RH_HASH);
    struct utsname system;

    r->earlier = r->state_dir ? choose_earlier(r) : rh_value_new(r->arena, RH_ARRAY);
    if (uname(&system) < 0)
        memset(&system, 0, sizeof system);
    rh_value_put(v, "protocol", rh_value_integer(r->arena, RH_WIRE_PROTOCOL));
    rh_value_put(v, "version", rh_value_string(r->arena, PACKAGE_VERSION));
    rh_value_put(v, "host", rh_value_string(r->arena, system.nodename));
    rh_value_put(v, "time", rh_value_integer(r->arena, time(NULL)));
    rh_value_put(v, "uid", rh_value_integer(r->arena, geteuid()));
    rh_value_put(v, "earlier", r->earlier);
    rh_buf_addf(&r->out, "\n" RH_WIRE_MARK " %s\n", nonce);
    rh_wire_add_value(&r->out, RH_WIRE_HELLO, v);
}

/* What the command says, as frames; the descriptor is closed at its end. Returns how many bytes there were.
 */
static ssize_t
forward(struct rh_receiver *r, int *fd, enum rh_wire_kind kind)
{
    char part[16384];
    ssize_t n = *fd < 0 ? 0 : rh_child_read(*fd, part, sizeof part);

    if (n > 0 && !r->disconnected)
        rh_wire_add(&r->out, kind, part, (size_t)n);
    if (n < 0) {
        (void)close(*fd);
        *fd = -1;
    }
    return n;
}

/* A process that the command left behind may go on writing: what the command wrote is in the pipe. */
static void
drain(struct rh_receiver *r, int *fd, enum rh_wire_kind kind)
{
    ssize_t n = 0;

    for (size_t total = 0; *fd >= 0 && total < MOST_LEFT && (n = forward(r, fd, kind)) > 0;)
        total += (size_t)n;
}

/* -1 with an error when the controller sent an invalid frame. */
static int
listen_to_controller(struct rh_receiver *r, struct rh_error *err)
{
    char part[65536];
    ssize_t n = rh_child_read(STDIN_FILENO, part, sizeof part);
    enum rh_wire_kind kind;
    const char *content;
    size_t length;
    int got;

    if (n < 0) {
        lose(r);
        return 0;
    }
    if (n == 0)
        return 0;
    r->heard = rh_now();
    rh_wire_take(&r->in, part, (size_t)n);
    while ((got = rh_wire_next(&r->in, &kind, &content, &length, err)) > 0)
        if (rh_receive_frame(r, kind, content, length, err) < 0)
            return -1;
    return got;
}

/* The command and all who might have its output have ended. What a process that it left behind still holds
 * open is not waited for. */
static bool
has_ended(struct rh_receiver *r)
{
    if (!rh_child_has_ended(&r->child))
        return false;
    drain(r, &r->child.out, RH_WIRE_OUTPUT);
    drain(r, &r->child.err, RH_WIRE_ERROR);
    drain(r, &r->progress, RH_WIRE_PROGRESS);
    return true;
}

static int
wait_and_do(struct rh_receiver *r, struct rh_error *err)
{
    bool full = r->out.n - r->sent > MOST_UNSENT;
    struct pollfd fds[] = {
        { .fd = r->disconnected ? -1 : STDIN_FILENO, .events = POLLIN },
        { .fd = r->disconnected || !r->out.n ? -1 : STDOUT_FILENO, .events = POLLOUT },
        { .fd = full ? -1 : r->child.out, .events = POLLIN },
        { .fd = full ? -1 : r->child.err, .events = POLLIN },
        { .fd = full ? -1 : r->progress, .events = POLLIN },
    };

    if (rh_wait_poll(fds, sizeof fds / sizeof fds[0], r->step == RH_RECEIVE_RUN ? 100 : 1000) < 0
        && errno != EINTR)
        return rh_error_system(err, errno, "cannot wait");
    if (fds[1].revents)
        send_some(r);
    if (fds[2].revents)
        (void)forward(r, &r->child.out, RH_WIRE_OUTPUT);
    if (fds[3].revents)
        (void)forward(r, &r->child.err, RH_WIRE_ERROR);
    if (fds[4].revents)
        (void)forward(r, &r->progress, RH_WIRE_PROGRESS);
    if (fds[0].revents && listen_to_controller(r, err) < 0)
        return -1;
    if (!r->disconnected && rh_now() - r->heard > SILENT)
        lose(r);
    return 0;
}

/* Until the command has ended and the controller knows, or is lost. */
static int
talk(struct rh_receiver *r, struct rh_error *err)
{
    bool interrupted = false;
    double until = 0;

    for (;;) {
        if (wait_and_do(r, err) < 0)
            return -1;
        if (rh_interrupted() && !interrupted && r->step != RH_RECEIVE_END) {
            interrupted = true;
            if (r->step != RH_RECEIVE_RUN)
                return rh_error_set(err, RH_ESYSTEM, "ended by %s", rh_interrupt_name(rh_interrupted()));
            rh_receive_stop(r);
        }
        if (r->step == RH_RECEIVE_RUN && has_ended(r)) {
            rh_receive_end(r);
            until = rh_now() + ACKNOWLEDGE;
        }
        if (r->step == RH_RECEIVE_END
            && (r->acknowledged || r->disconnected || (rh_interrupted() && rh_now() > until)))
            return 0;
        if (r->disconnected && r->step != RH_RECEIVE_RUN)
            return rh_error_set(err, RH_ESYSTEM, "the connection was lost before the command began");
    }
}

/* The channel is of no use any more, and the run goes on: it ends by itself after SIGTERM. Only SIGTERM: a
 * change must not be cut in two. Its output is read, or it would wait for that for ever. */
static void
end_run(struct rh_receiver *r)
{
    double until = rh_now() + LONGEST_END;

    lose(r);
    rh_receive_stop(r);
    while (!has_ended(r) && rh_now() < until) {
        struct pollfd fds[] = {
            { .fd = r->child.out, .events = POLLIN },
            { .fd = r->child.err, .events = POLLIN },
            { .fd = r->progress, .events = POLLIN },
        };

        if (rh_wait_poll(fds, sizeof fds / sizeof fds[0], 100) <= 0)
            continue;
        if (fds[0].revents)
            (void)forward(r, &r->child.out, RH_WIRE_OUTPUT);
        if (fds[1].revents)
            (void)forward(r, &r->child.err, RH_WIRE_ERROR);
        if (fds[2].revents)
            (void)forward(r, &r->progress, RH_WIRE_PROGRESS);
    }
}

int
rh_receive(const char *nonce, const char *state_dir)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_receiver r = { .arena = arena,
                             .state_dir = state_dir,
                             .site = RH_SCRATCH_SITE_INIT,
                             .record = RH_PUSH_RECORD_INIT,
                             .child = { .in = -1, .out = -1, .err = -1 },
                             .progress = -1,
                             .heard = rh_now() };
    int status = 0;

    /* The end of the session that started this process must not end it. */
    (void)setsid();
    rh_interrupt_open(NULL, NULL);
    (void)fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    (void)fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
    say_hello(&r, nonce);
    if (talk(&r, &err) < 0) {
        refuse(&r, &err);
        status = 1;
    }
    if (r.step == RH_RECEIVE_RUN) {
        end_run(&r);
        rh_child_end(&r.child, 0);
        rh_receive_end(&r);
    }
    rh_child_end(&r.child, 0);
    if (r.acknowledged) {
        rh_push_record_remove(&r.record);
        if (state_dir)
            rh_push_records_forget(state_dir, r.earlier);
    } else if (status == 0) {
        status = 4;
    }
    if (!r.started)
        rh_push_record_remove(&r.record);
    rh_push_record_close(&r.record);
    rh_scratch_site_close(&r.site);
    if (r.progress >= 0)
        (void)close(r.progress);
    rh_wire_clear(&r.in);
    rh_buf_clear(&r.out);
    rh_interrupt_close();
    return status;
}
