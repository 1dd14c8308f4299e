/* SPDX-License-Identifier: Apache-2.0 */
/* connect - connects to what a resource waits for, and reads what the server says first. */

#include "probe.h"

#include <rhost/path.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    PATIENCE = 5, /* seconds for an address to accept, and for the server to say the text */
    SLICE = 50,   /* milliseconds after which it is asked whether the run is to end */
    GREETING = 64 << 10,
};

/* Until the descriptor is ready: 0; or -1 with errno. */
static int
wait_ready(struct probe *l, int fd, short events, double until)
{
    struct pollfd p = { .fd = fd, .events = events };

    for (;;) {
        int rc = poll(&p, 1, SLICE);

        if (rc > 0)
            return 0;
        if (rc < 0 && errno != EINTR)
            return -1;
        if (probe_now() > until || rhost_stopping(l->ctx)) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

/* A connected socket, or -1 with errno. */
static int
connect_to(struct probe *l, const struct sockaddr *address, socklen_t size, double until)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), why = 0;
    socklen_t len = sizeof why;

    if (fd < 0)
        return -1;
    if (connect(fd, address, size) == 0)
        return fd;
    if ((errno == EINPROGRESS || errno == EINTR) && wait_ready(l, fd, POLLOUT, until) == 0) {
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) == 0 && why == 0)
            return fd;
        errno = why ? why : EIO;
    }
    rhost_path_close(fd);
    return -1;
}

/* Whether the server says the text by itself. */
static enum probe_result
listen_to(struct probe *l, int fd, const char *whom, double until)
{
    char *greeting = rhost_has(l->should, "text") ? malloc(GREETING) : NULL;
    enum probe_result found = PROBE_ABSENT;
    size_t n = 0;

    (void)snprintf(l->why, sizeof l->why, "%.300s accepts connections", whom);
    if (!rhost_has(l->should, "text"))
        return PROBE_PRESENT;
    while (greeting && found == PROBE_ABSENT && n < GREETING && wait_ready(l, fd, POLLIN, until) == 0) {
        ssize_t got = read(fd, greeting + n, GREETING - n);

        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
        found = probe_text(l, greeting, n);
    }
    if (!greeting) {
        (void)rhost_fail(l->ctx, "out of memory");
        return PROBE_FAILED;
    }
    free(greeting);
    (void)snprintf(l->why, sizeof l->why, "%.300s accepts connections, and %s", whom,
                   found == PROBE_PRESENT ? "says a match of 'text'" : "does not say a match of 'text'");
    return found;
}

/* What came of a connection, which is closed. */
static enum probe_result
conclude(struct probe *l, int fd, const char *whom, const char *attribute)
{
    enum probe_result found;

    if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EMFILE || errno == ENFILE)) {
        (void)l->ctx->host->fail(l->ctx, errno, attribute, rhost_fmt(l->ctx, "cannot connect to %s", whom));
        return PROBE_FAILED;
    }
    if (fd < 0) {
        (void)snprintf(l->why, sizeof l->why, "%.300s does not accept connections: %s", whom,
                       strerror(errno));
        return PROBE_ABSENT;
    }
    found = listen_to(l, fd, whom, probe_now() + PATIENCE);
    (void)close(fd);
    return found;
}

enum probe_result
probe_port(struct probe *l, int64_t port)
{
    const char *host = rhost_str_or(l->should, "host", "localhost");
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
    struct addrinfo *all = NULL;
    char service[24], whom[300];
    int fd = -1, why = 0, rc;

    (void)snprintf(service, sizeof service, "%lld", (long long)port);
    (void)snprintf(whom, sizeof whom, "port %s of '%.200s'", service, host);
    rc = getaddrinfo(host, service, &hints, &all);
    if (rc == EAI_MEMORY) {
        (void)rhost_fail(l->ctx, "out of memory");
        return PROBE_FAILED;
    }
    if (rc != 0) { /* which says nothing of the port */
        (void)snprintf(l->why, sizeof l->why, "cannot look up '%.200s': %s", host,
                       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
        return PROBE_UNKNOWN;
    }
    for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) {
        double until = probe_now() + PATIENCE;

        fd = connect_to(l, a->ai_addr, a->ai_addrlen, until < l->until ? until : l->until);
        why = fd < 0 && (!why || errno != ECONNREFUSED) ? errno : why;
    }
    freeaddrinfo(all);
    errno = why;
    return conclude(l, fd, whom, "port");
}

/* The path is walked by the host: what a lesser user has put there is not connected to. */
enum probe_result
probe_socket(struct probe *l, const char *path)
{
    int at = rhost_path_open(l->ctx, path, RHOST_PATH_FOLLOW, O_PATH, 0), fd = -1;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char whom[PATH_MAX + 20];
    struct stat st;

    if (at < 0 && errno != ENOENT && errno != ENOTDIR) {
        (void)rhost_fail_path(l->ctx, "cannot open '%s'", path);
        return PROBE_FAILED;
    }
    (void)snprintf(l->why, sizeof l->why, "'%.300s' does not exist", path);
    if (at < 0)
        return PROBE_ABSENT;
    (void)snprintf(whom, sizeof whom, "socket '%s'", path);
    if (fstat(at, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        rhost_path_close(at);
        (void)rhost_fail_attr(l->ctx, "socket", "'%s' is not a socket", path);
        return PROBE_FAILED;
    }
    (void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", at);
    fd = connect_to(l, (const struct sockaddr *)&address, sizeof address, probe_now() + PATIENCE);
    rhost_path_close(at);
    return conclude(l, fd, whom, "socket");
}
