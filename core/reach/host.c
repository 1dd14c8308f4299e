/* SPDX-License-Identifier: Apache-2.0 */
/* host - one target: connect, become root, find the receiver, send, listen. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value.h"
#include "reach/bootstrap.h"
#include "reach/chroot.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    NOISE_LIMIT = 1 << 20, /* bytes before the hello */
    ERRORS_KEPT = 4096,
    END_GRACE = 2000,
    FIRST_WAIT = 20,  /* milliseconds: most programs end at once */
    GONE_SECONDS = 2, /* for output to end when the program that connects has ended */
};

#define LAST_WORDS 0.3 /* seconds */

/* The part of RH_BOOTSTRAP_COMMAND that a shell is given. */
#define RH_BOOTSTRAP_SCRIPT "read -r n && eval \"$(dd bs=1 count=$n 2>/dev/null)\""
#define READY "RHOST-READY"
#define PROMPT "rhost-password"

static int
make_nonce(char nonce[RH_PUSH_NONCE + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char bytes[RH_PUSH_NONCE];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < RH_PUSH_NONCE; i++)
        nonce[i] = letters[bytes[i] % 32];
    nonce[RH_PUSH_NONCE] = '\0';
    return 0;
}

/* The command on the target: the receiver, as another user where that is asked for. */
static void
make_words(const struct rh_host *h, const char **words)
{
    const char *user = h->target->settings.become_user, *state = rh_chroot_state(h);
    size_t n = 0;

    if (h->become == RH_BECOME_SUDO) {
        words[n++] = "sudo";
        words[n++] = "-S";
        words[n++] = "-p";
        words[n++] = rh_arena_printf(h->arena, PROMPT "-%s:", h->nonce);
    } else if (h->become == RH_BECOME_DOAS) {
        words[n++] = "doas";
        words[n++] = "-n";
    }
    if (h->become && user) {
        words[n++] = "-u";
        words[n++] = user;
    }
    if (h->become) {
        words[n++] = "--";
        words[n++] = "/bin/sh";
        words[n++] = "-c";
        words[n++] = rh_arena_printf(h->arena, "echo; echo " READY " %s; exec \"$0\" \"$@\"", h->nonce);
    }
    if (h->rhost) {
        words[n++] = h->rhost;
        words[n++] = "receive";
        if (state) {
            words[n++] = "--state-dir";
            words[n++] = state;
        }
        words[n++] = h->nonce;
    } else {
        words[n++] = "/bin/sh";
        words[n++] = "-c";
        words[n++] = RH_BOOTSTRAP_SCRIPT;
    }
    words[n] = NULL;
}

static void
connect_to(struct rh_host *h)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *words[24];
    struct rh_child_options o = { .flags = RH_CHILD_SESSION | RH_CHILD_GROUP };

    rh_wire_clear(&h->in);
    rh_buf_truncate(&h->lines, 0);
    rh_buf_truncate(&h->errors, 0);
    h->sent = 0;
    h->gone = h->closed = 0;
    h->password_sent = false;
    if (make_nonce(h->nonce) < 0) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "the system gave no random numbers");
        return;
    }
    if (!h->rhost && rh_host_kit_begin(h, &err) < 0) {
        rh_host_end(h, RH_PUSH_REFUSED, err.hint, "%s", err.message);
        return;
    }
    make_words(h, words);
    rh_ssh_share_begin(h);
    o.argv = rh_connect_argv(h->arena, h, words, &err);
    if (!o.argv || rh_child_start(&h->child, &o, &err) < 0) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, err.hint, "%s", err.message);
        return;
    }
    h->step = h->become ? RH_HOST_BECOME : h->rhost ? RH_HOST_HELLO : RH_HOST_KIT;
    h->deadline = rh_now() + h->options->connect_timeout + RH_HOST_PATIENCE;
}

void
rh_host_start(struct rh_host *h)
{
    h->began = rh_now();
    h->step = RH_HOST_HELLO;
    if (rh_host_plan_begin(h) == 0)
        connect_to(h);
}

static size_t
to_send(const struct rh_host *h)
{
    return h->head.n + h->options->site->n + h->tail.n;
}

void
rh_host_poll(const struct rh_host *h, struct pollfd fds[3])
{
    bool listens = h->step < RH_HOST_RUN || !rh_push_output_is_full();
    bool sends = rh_host_kit_sends(h) || (h->step >= RH_HOST_SEND && h->sent < to_send(h));

    fds[0] = (struct pollfd){ .fd = sends ? h->child.in : -1, .events = POLLOUT };
    fds[1] = (struct pollfd){ .fd = listens ? h->child.out : -1, .events = POLLIN };
    fds[2] = (struct pollfd){ .fd = listens ? h->child.err : -1, .events = POLLIN };
}

bool
rh_host_is_idle(const struct rh_host *h)
{
    return h->step >= RH_HOST_SEND && h->step != RH_HOST_DONE && h->child.in >= 0 && h->sent == to_send(h);
}

/* Head, site and tail are one stream; the site is that of all targets. */
static void
send_some(struct rh_host *h)
{
    const struct rh_buf *parts[] = { &h->head, h->options->site, &h->tail };
    size_t at = h->sent;

    for (size_t i = 0; i < 3; i++) {
        ssize_t n;

        if (at >= parts[i]->n) {
            at -= parts[i]->n;
            continue;
        }
        n = rh_child_write(h->child.in, parts[i]->s + at, parts[i]->n - at);
        rh_host_moved(h, n);
        h->sent += n > 0 ? (size_t)n : 0;
        return;
    }
}

/* Control frames go behind all that is sent already: the tail grows. */
static void
ping(struct rh_host *h)
{
    if (h->step < RH_HOST_SEND || h->child.in < 0 || rh_now() - h->pinged < RH_PUSH_PING)
        return;
    h->pinged = rh_now();
    if (h->sent == to_send(h))
        rh_wire_add(&h->tail, RH_WIRE_PING, "", 0);
}

void
rh_host_stop(struct rh_host *h)
{
    if (h->step == RH_HOST_RUN || h->step == RH_HOST_SEND) {
        h->stopped = true;
        rh_wire_add(&h->tail, RH_WIRE_STOP, "", 0);
    } else if (rh_host_is_active(h)) {
        rh_host_end(h, RH_PUSH_NOT_STARTED, NULL, "interrupted");
    }
}

/* sudo asks: once for the password, again when it was wrong. */
static void
find_prompt(struct rh_host *h)
{
    rh_autofree char *prompt = rh_printf(PROMPT "-%s:", h->nonce);
    char *at = h->errors.n ? strstr(h->errors.s, prompt) : NULL;
    size_t n;

    /* Another program knows the prompt as well: it is in its arguments. */
    if (!at || h->step != RH_HOST_BECOME || h->become != RH_BECOME_SUDO)
        return;
    rh_buf_truncate(&h->errors, (size_t)(at - h->errors.s));
    if (h->password_sent) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "wrong password for sudo");
        return;
    }
    if (!h->options->password) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, "use --ask-become or --become-password-file",
                    "sudo needs a password");
        return;
    }
    h->password_sent = true;
    n = strlen(h->options->password);
    if (rh_child_write(h->child.in, h->options->password, n) != (ssize_t)n
        || rh_child_write(h->child.in, "\n", 1) != 1)
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "cannot send the password to sudo");
}

static void
hear_errors(struct rh_host *h)
{
    char part[4096];
    ssize_t n = rh_child_read(h->child.err, part, sizeof part);

    h->heard |= n > 0;
    if (n < 0) {
        (void)close(h->child.err);
        h->child.err = -1;
        return;
    }
    for (ssize_t i = 0; i < n; i++)
        if (part[i] != '\0')
            rh_buf_addc(&h->errors, part[i]);
    if (h->errors.n > 2 * ERRORS_KEPT) {
        memmove(h->errors.s, h->errors.s + h->errors.n - ERRORS_KEPT, ERRORS_KEPT);
        rh_buf_truncate(&h->errors, ERRORS_KEPT);
    }
    find_prompt(h);
}

/* A whole line before the hello: a mark, or what profiles and banners print. */
static void
take_line(struct rh_host *h, const char *line, size_t n)
{
    rh_autofree char *text = rh_xstrndup(line, n);
    rh_autofree char *ready = rh_printf(READY " %s", h->nonce);
    rh_autofree char *mark = rh_printf(RH_WIRE_MARK " %s", h->nonce);

    text[strcspn(text, "\r")] = '\0';
    if (h->step == RH_HOST_BECOME && strcmp(text, ready) == 0) {
        h->step = h->rhost ? RH_HOST_HELLO : RH_HOST_KIT;
    } else if (h->step == RH_HOST_KIT) {
        rh_host_kit_line(h, line, n);
    } else if (strcmp(text, mark) == 0) {
        h->step = RH_HOST_SEND;
        h->pinged = rh_now();
        h->deadline = rh_now() + RH_HOST_PATIENCE;
        rh_host_prepare(h);
        h->site_end = to_send(h);
    } else if (*text) {
        rh_buf_truncate(&h->noise, 0);
        rh_buf_addn(&h->noise, text, strlen(text) > 200 ? 200 : strlen(text));
    }
}

static void
take_frames(struct rh_host *h)
{
    rh_autoerror struct rh_error err = { 0 };
    enum rh_wire_kind kind;
    const char *content;
    size_t n;
    int got;

    while (h->step != RH_HOST_DONE && (got = rh_wire_next(&h->in, &kind, &content, &n, &err)) != 0)
        if (got < 0 || rh_host_frame(h, kind, content, n, &err) < 0) {
            rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "%s", err.message);
            return;
        }
}

static void
hear(struct rh_host *h)
{
    char part[65536];
    ssize_t n = rh_child_read(h->child.out, part, sizeof part);
    size_t at = 0;
    const char *end;

    h->heard |= n > 0;
    if (n < 0) {
        (void)close(h->child.out);
        h->child.out = -1;
        return;
    }
    if (h->step >= RH_HOST_SEND) {
        rh_wire_take(&h->in, part, (size_t)n);
        take_frames(h);
        return;
    }
    rh_buf_addn(&h->lines, part, (size_t)n);
    while (h->step < RH_HOST_SEND && at < h->lines.n
           && (end = memchr(h->lines.s + at, '\n', h->lines.n - at))) {
        size_t length = (size_t)(end - h->lines.s) - at;

        take_line(h, h->lines.s + at, length);
        at += length + 1;
    }
    if (at) {
        memmove(h->lines.s, h->lines.s + at, h->lines.n - at);
        rh_buf_truncate(&h->lines, h->lines.n - at);
    }
    if (h->step == RH_HOST_SEND && h->lines.n) {
        rh_wire_take(&h->in, h->lines.s, h->lines.n);
        rh_buf_truncate(&h->lines, 0);
        take_frames(h);
    } else if (h->lines.n > NOISE_LIMIT) {
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "the login shell prints without end");
    }
}

/* A shared connection that does not work any more is not used again. */
static bool
try_again(struct rh_host *h)
{
    if (h->retried || h->target->at.connector != RH_CONNECT_SSH || h->step >= RH_HOST_SEND
        || !rh_ssh_share_is_broken(h))
        return false;
    rh_child_end(&h->child, END_GRACE);
    h->retried = true;
    connect_to(h);
    return true;
}

/* One that does not answer is left to itself. */
static void
leave_shared(struct rh_host *h)
{
    rh_ssh_share_drop(h);
    rh_child_end(&h->child, 0);
    h->retried = true;
    connect_to(h);
}

/* The program that connects has ended, and another process holds its output open, such as the one of a shared
 * connection that was stopped: nothing comes any more. */
static void
check_end(struct rh_host *h, const struct pollfd *out)
{
    if (out->fd < 0 || out->revents || !rh_child_has_ended(&h->child)) {
        h->gone = 0;
    } else if (h->gone <= 0) {
        h->gone = rh_now();
    } else if (rh_now() - h->gone > GONE_SECONDS) {
        (void)close(h->child.out);
        h->child.out = -1;
    }
}

/* While the command runs, it takes the time that it takes; everything else has to come or go. */
static bool
is_waited_for(const struct rh_host *h)
{
    return h->step < RH_HOST_RUN || h->sent < h->site_end || h->child.in < 0;
}

static void
end_of_patience(struct rh_host *h)
{
    if (h->step == RH_HOST_RUN && h->child.in < 0)
        rh_host_explain(h);
    else if (h->child.in < 0)
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "the target closed the connection while %s was sent to it",
                    h->step == RH_HOST_SEND ? "the site" : "the kit");
    else if (h->step >= RH_HOST_SEND && h->sent < h->site_end)
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL,
                    "the target has not taken the site: it took nothing for %d seconds", RH_HOST_PATIENCE);
    else
        rh_host_end(h, RH_PUSH_UNREACHABLE, NULL, "no answer within %u seconds",
                    h->step == RH_HOST_SEND ? RH_HOST_PATIENCE
                                            : h->options->connect_timeout + RH_HOST_PATIENCE);
}

/* Its output is closed. Its program ends, and what it has said about that may come a moment later; the other
 * targets do not wait for either. */
static void
read_last_output(struct rh_host *h)
{
    double now = rh_now();

    if (h->closed <= 0) {
        h->closed = now;
        (void)rh_child_await(&h->child, FIRST_WAIT);
        now = rh_now();
    }
    if (rh_child_has_ended(&h->child) ? h->child.err >= 0 && now - h->closed < LAST_WORDS
                                      : now - h->closed < END_GRACE / 1000.0)
        return;
    rh_child_end(&h->child, 0);
    if (!try_again(h))
        rh_host_explain(h);
}

void
rh_host_work(struct rh_host *h, const struct pollfd fds[3])
{
    if (fds[2].revents && h->child.err >= 0)
        hear_errors(h);
    if (h->step != RH_HOST_DONE && fds[1].revents && h->child.out >= 0)
        hear(h);
    if (h->step == RH_HOST_KIT && fds[0].revents && h->child.in >= 0)
        rh_host_kit_send(h);
    else if (h->step >= RH_HOST_SEND && h->step != RH_HOST_DONE && fds[0].revents && h->child.in >= 0)
        send_some(h);
    if (h->step == RH_HOST_DONE)
        return;
    ping(h);
    check_end(h, &fds[1]);
    if (h->step < RH_HOST_SEND && h->child.out >= 0 && rh_ssh_share_hangs(h)) {
        leave_shared(h);
        return;
    }
    if (h->child.out < 0) {
        read_last_output(h);
    } else if (is_waited_for(h) && rh_now() > h->deadline) {
        end_of_patience(h);
    }
}
