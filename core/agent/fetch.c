/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - has rhost-fetch get or put one file. What it answers is made of what strangers send: nothing is
 * believed but bytes up to the limit, a number, and texts that are checked. */
#include "config.h"

#include "agent/fetch.h"

#include "agent/fetch-wire.h"
#include "agent/notify.h"
#include "agent/settings.h"
#include "agent/signals.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/io.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LARGEST_PEM = 1 << 20, GRACE = 15, LONGEST_REASON = 500 };

/* One talk with rhost-fetch. */
struct talk {
    const struct rh_fetch_request *request;
    struct rh_fetch_answer *answer;
    int fd, to;
    double until;
    size_t received;
    char *reason;
    unsigned char *piece;
};

static int
find_user(const struct rh_agent_settings *s, unsigned long *uid, unsigned long *gid, struct rh_error *err)
{
    const struct passwd *user;

    *uid = geteuid();
    *gid = getegid();
    if (*uid != 0)
        return 0;
    user = getpwnam(s->fetch_user);
    if (!user || user->pw_uid == 0 || user->pw_gid == 0) {
        rh_error_set(err, RH_EINPUT,
                     user ? "'fetch_user' must not be root, or in its group"
                          : "unknown user '%s' (fetch_user)",
                     s->fetch_user);
        return rh_error_suggest(err, NULL,
                                "useradd --system --no-create-home --shell /usr/sbin/nologin rhost-fetch");
    }
    *uid = user->pw_uid;
    *gid = user->pw_gid;
    return 0;
}

static bool
is_broker(const char *url)
{
    return strncmp(url, "tls://", 6) == 0 || strncmp(url, "nats://", 7) == 0;
}

/* It gets nothing of our environment but where certificates are. */
static int
start(const struct rh_agent_settings *s, const char *url, int fd, pid_t *pid, struct rh_error *err)
{
    char path[] = "PATH=/usr/bin:/bin", fetch[] = "rhost-fetch", nats[] = "rhost-nats", uid[32], gid[32];
    char *name = is_broker(url) ? nats : fetch;
    rh_autofree char *program = rh_installation_program(name);
    char *const envp[] = { path, NULL };
    char *const argv[] = { name, uid, gid, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    unsigned long u, g;
    sigset_t none;
    int number;

    if (find_user(s, &u, &g, err) < 0)
        return -1;
    (void)snprintf(uid, sizeof uid, "%lu", u);
    (void)snprintf(gid, sizeof gid, "%lu", g);
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
        rh_out_of_memory();
    number = posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    if (!number)
        number = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    /* It may be taken over: it writes to no terminal and to no log. */
    if (!number)
        number = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!number)
        number = posix_spawnattr_setsigmask(&attributes, &none);
    if (!number)
        number = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    if (!number)
        number = posix_spawn(pid, program, &actions, &attributes, argv, envp);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    if (number) {
        rh_error_system(err, number, "cannot start '%s'", program);
        return rh_error_suggest(err, NULL, name == nats ? "install the package rhost-nats" : NULL);
    }
    return 0;
}

/* A certificate or a key. The program gets its bytes, so that its user needs no access to the file. */
static int
send_file(int fd, enum rh_fetch_part type, const char *path, struct rh_error *err)
{
    struct rh_unsafe unsafe = { "" };
    rh_autoclose int file = -1;
    rh_autofree char *bytes = NULL;
    size_t n = 0;
    bool sent;

    if (!path)
        return 0;
    file = rh_safe_open(path, true, O_RDONLY | O_NONBLOCK, 0, &unsafe);
    if (file < 0)
        return *unsafe.why ? rh_error_set(err, RH_EINPUT, "cannot open '%s': %s", path, unsafe.why)
                           : rh_error_system(err, errno, "cannot open '%s'", path);
    bytes = rh_read_descriptor(file, path, LARGEST_PEM, &n, err);
    if (!bytes)
        return -1;
    if (!n)
        return rh_error_set(err, RH_EINPUT, "'%s' is empty", path);
    sent = rh_fetch_send_all(fd, type, bytes, n);
    explicit_bzero(bytes, n);
    return sent ? 0 : rh_error_system(err, errno, "cannot speak with rhost-fetch");
}

static bool
send_number(int fd, enum rh_fetch_part type, unsigned long long number)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%llu", number);
    return rh_fetch_send(fd, type, text, strlen(text));
}

static int
send_request(const struct rh_agent_settings *s, const struct talk *t, struct rh_error *err)
{
    const struct rh_fetch_request *r = t->request;

    if (!rh_fetch_send_all(t->fd, RH_FETCH_URL, r->url, strlen(r->url))
        || !send_number(t->fd, RH_FETCH_LIMIT, r->limit)
        || !send_number(t->fd, RH_FETCH_SECONDS, (unsigned long long)r->seconds)
        || (r->from && !send_number(t->fd, RH_FETCH_FROM, r->from))
        || (r->etag && *r->etag && !rh_fetch_send(t->fd, RH_FETCH_ETAG, r->etag, strlen(r->etag)))
        || (s->allow_http && !rh_fetch_send(t->fd, RH_FETCH_PLAIN, "1", 1))
        || (r->body && !rh_fetch_send(t->fd, RH_FETCH_METHOD, "PUT", 3))
        || (r->hints && !rh_fetch_send(t->fd, RH_FETCH_METHOD, "HINT", 4))
        || (r->body && !rh_fetch_send_all(t->fd, RH_FETCH_BODY, r->body, r->n_body)))
        return rh_error_system(err, errno, "cannot speak with rhost-fetch");
    if ((strncmp(r->url, "https://", 8) == 0 || strncmp(r->url, "tls://", 6) == 0)
        && (send_file(t->fd, RH_FETCH_CA, s->ca, err) < 0
            || send_file(t->fd, RH_FETCH_CERTIFICATE, s->certificate, err) < 0
            || send_file(t->fd, RH_FETCH_KEY, s->key, err) < 0))
        return -1;
    return rh_fetch_send(t->fd, RH_FETCH_END, "", 0)
               ? 0
               : rh_error_system(err, errno, "cannot speak with rhost-fetch");
}

static int
read_bytes(const struct talk *t, unsigned char *to, size_t n, struct rh_error *err)
{
    while (n) {
        struct pollfd p = { .fd = t->fd, .events = POLLIN };
        double left = t->until - rh_now();
        ssize_t got;

        rh_notify_alive();
        if (rh_agent_stopping())
            return rh_error_set(err, RH_ESYSTEM, "the agent was asked to end");
        if (left <= 0)
            return rh_error_set(err, RH_ESYSTEM, "there was no answer in time");
        if (rh_wait_poll(&p, 1, left > 1 ? 1000 : (int)(left * 1000) + 1) < 0 && errno != EINTR)
            return rh_error_system(err, errno, "cannot speak with rhost-fetch");
        got = recv(t->fd, to, n, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (got <= 0)
            return rh_error_set(err, RH_ESYSTEM, "rhost-fetch ended without an answer");
        to += got;
        n -= (size_t)got;
    }
    return 0;
}

static int
take_body(struct talk *t, size_t n, struct rh_error *err)
{
    size_t at = t->answer->n;

    t->answer->n += n;
    t->received += n;
    if (t->answer->n > t->request->limit)
        return rh_error_set(err, RH_EINPUT, "the answer is too large");
    if (t->to >= 0 && rh_write_all_at(t->to, t->piece, n, (off_t)at) < 0)
        return rh_error_system(err, errno, "cannot keep what was sent");
    return 0;
}

/* From the beginning, unless the server goes on behind what is there. */
static int
take_status(struct talk *t, const char *text, struct rh_error *err)
{
    size_t n = strspn(text, "0123456789");

    if (n != 3 || text[3] || t->answer->status)
        return rh_error_set(err, RH_EINPUT, "rhost-fetch gave an answer that cannot be used");
    t->answer->status = (int)strtol(text, NULL, 10);
    t->answer->n = t->answer->status == 206 ? t->request->from : 0;
    if (t->to >= 0 && t->answer->status == 200 && ftruncate(t->to, 0) < 0)
        return rh_error_system(err, errno, "cannot keep what was sent");
    return 0;
}

static void
take_etag(struct talk *t, const char *text, size_t n)
{
    if (n > RH_FETCH_ETAG_LONGEST)
        return;
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~')
            return;
    memcpy(t->answer->etag, text, n);
    t->answer->etag[n] = '\0';
}

/* One piece; 1 at the end. */
static int
take_piece(struct talk *t, struct rh_error *err)
{
    unsigned char head[RH_FETCH_HEAD];
    const char *text = (const char *)t->piece;
    char type;
    size_t n;

    if (read_bytes(t, head, sizeof head, err) < 0)
        return -1;
    if (!rh_fetch_read_head(head, &type, &n))
        return rh_error_set(err, RH_EINPUT, "rhost-fetch gave an answer that cannot be used");
    if (read_bytes(t, t->piece, n, err) < 0)
        return -1;
    t->piece[n] = '\0';
    switch (type) {
    case RH_FETCH_STATUS:
        return take_status(t, text, err);
    case RH_FETCH_ETAG:
        take_etag(t, text, n);
        return 0;
    case RH_FETCH_BODY:
        return take_body(t, n, err);
    case RH_FETCH_REASON:
        free(t->reason);
        t->reason = rh_xstrndup(text, n < LONGEST_REASON ? n : LONGEST_REASON);
        return 0;
    case RH_FETCH_END:
        return 1;
    default:
        return rh_error_set(err, RH_EINPUT, "rhost-fetch gave an answer that cannot be used");
    }
}

static int
converse(const struct rh_agent_settings *s, struct talk *t, struct rh_error *err)
{
    rh_autoerror struct rh_error ignored = { 0 };
    int rc = send_request(s, t, err);

    if (rc < 0) { /* it may have ended, and said why */
        (void)shutdown(t->fd, SHUT_WR);
        while (!t->reason && take_piece(t, &ignored) == 0)
            continue;
        rh_error_clear(t->reason ? err : &ignored);
    }
    while (rc == 0)
        rc = take_piece(t, err);
    if (rc < 0 && !t->reason)
        return -1;
    if (t->reason) {
        rh_autofree char *shown = rh_safe_text(t->reason);

        return rh_error_set(err, RH_ESYSTEM, "%s", shown);
    }
    return t->answer->status ? 0
                             : rh_error_set(err, RH_EINPUT, "rhost-fetch gave an answer that cannot be used");
}

int
rh_fetch(const struct rh_agent_settings *s, const struct rh_fetch_request *r, int to,
         struct rh_fetch_answer *answer, struct rh_error *err)
{
    struct timeval send_limit = { .tv_sec = GRACE };
    rh_autoclose int ours = -1;
    int pair[2], rc;
    struct talk t = { .request = r, .answer = answer, .to = to };
    pid_t pid = 0;

    *answer = (struct rh_fetch_answer){ 0 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return rh_error_system(err, errno, "cannot speak with rhost-fetch");
    ours = t.fd = pair[0];
    (void)setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
    rc = start(s, r->url, pair[1], &pid, err);
    (void)close(pair[1]);
    if (rc < 0)
        return -1;
    t.until = rh_now() + (double)r->seconds + GRACE;
    t.piece = rh_xalloc(RH_FETCH_PIECE + 1);
    rc = converse(s, &t, err);
    free(t.piece);
    free(t.reason);
    /* It has nothing left to do, or does not do it. */
    (void)kill(-pid, SIGKILL); /* with what it may have started */
    (void)kill(pid, SIGKILL);
    if (rh_wait_child(pid, NULL) < 0 && rc == 0)
        rc = rh_error_system(err, errno, "cannot wait for rhost-fetch");
    if (rc < 0)
        rh_discard(rh_error_prefix(err, "cannot %s '%s'", r->body ? "put" : "get", r->url));
    return rc;
}

int
rh_fetch_listen(const struct rh_agent_settings *s, const char *url, int *fd, pid_t *pid, struct rh_error *err)
{
    struct timeval send_limit = { .tv_sec = GRACE };
    struct rh_fetch_request r = { .url = url, .hints = true };
    rh_autoclose int ours = -1;
    struct talk t = { .request = &r };
    int pair[2], rc;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return rh_error_system(err, errno, "cannot speak with rhost-fetch");
    ours = t.fd = pair[0];
    (void)setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
    rc = start(s, url, pair[1], pid, err);
    (void)close(pair[1]);
    if (rc < 0)
        return -1;
    if (send_request(s, &t, err) < 0) {
        (void)kill(*pid, SIGKILL);
        rh_discard(rh_wait_child(*pid, NULL));
        *pid = 0;
        return -1;
    }
    *fd = rh_take_fd(&ours);
    return 0;
}
