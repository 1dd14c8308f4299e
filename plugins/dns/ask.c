/* SPDX-License-Identifier: Apache-2.0 */
/* ask - one question to a name server, and its reply. */

#include "ask.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SLICE = 50, /* milliseconds after which it is asked whether the run is to end */
    TRIES = 3,
    WRONG_SERVER = -1, /* beside the statuses of c-ares */
};

struct wait {
    struct ask_reply *reply;
    int status;
    int done;
};

static void
answered(void *arg, int status, int timeouts, unsigned char *message, int len)
{
    struct wait *w = arg;

    (void)timeouts;
    w->done = 1;
    w->status = status;
    if (status != ARES_SUCCESS || w->reply->message)
        return;
    w->reply->message = malloc((size_t)len);
    w->reply->len = len;
    if (w->reply->message)
        memcpy(w->reply->message, message, (size_t)len);
    else
        w->status = ARES_ENOMEM;
}

void
ask_free(struct ask_reply *reply)
{
    free(reply->message);
    memset(reply, 0, sizeof *reply);
}

static double
now(void)
{
    struct timespec t = { 0 };

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Waits for the sockets of the question for a moment, and lets c-ares go on with them. */
static void
turn(ares_channel channel)
{
    ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
    int wants = ares_getsock(channel, sockets, ARES_GETSOCK_MAXNUM), n = 0;
    struct pollfd p[ARES_GETSOCK_MAXNUM];

    for (int i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
        short events = (short)((ARES_GETSOCK_READABLE(wants, i) ? POLLIN : 0)
                               | (ARES_GETSOCK_WRITABLE(wants, i) ? POLLOUT : 0));

        if (events)
            p[n++] = (struct pollfd){ .fd = sockets[i], .events = events };
    }
    if (poll(p, (nfds_t)n, SLICE) <= 0)
        n = 0;
    for (int i = 0; i < n; i++)
        if (p[i].revents)
            ares_process_fd(channel, p[i].revents & ~POLLOUT ? p[i].fd : ARES_SOCKET_BAD,
                            p[i].revents & POLLOUT ? p[i].fd : ARES_SOCKET_BAD);
    ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD); /* what has timed out is asked again */
}

static int
use_server(ares_channel channel, const struct ask_question *q)
{
    char text[100];
    int v6 = q->server && strchr(q->server, ':') != NULL;
    int n = q->server ? snprintf(text, sizeof text, v6 ? "[%s]:%d" : "%s:%d", q->server, q->port) : 0;

    if (!q->server)
        return ARES_SUCCESS;
    return n > 0 && n < (int)sizeof text ? ares_set_servers_ports_csv(channel, text) : ARES_EBADSTR;
}

static int32_t
refuse(rhost_ctx *ctx, const struct ask_question *q, int status)
{
    const char *whom = q->server ? q->server : "the name servers of /etc/resolv.conf";

    switch (status) {
    case ARES_ENODATA:
    case ARES_ENOTFOUND:
        return RHOST_ABSENT;
    case ARES_ETIMEOUT:
        return rhost_fail(ctx, "%s: no answer for '%s' within %d seconds", whom, q->name, q->timeout);
    case ARES_ECONNREFUSED:
        return rhost_fail(ctx, "%s: cannot ask for '%s': connection refused", whom, q->name);
    case ARES_EBADNAME:
        return rhost_fail(ctx, "'%s' is not a valid name", q->name);
    case ARES_ESERVFAIL:
        return rhost_fail(ctx, "%s: cannot answer for '%s': server failure (SERVFAIL)", whom, q->name);
    case ARES_EREFUSED:
        return rhost_fail(ctx, "%s: refuses to answer for '%s' (REFUSED)", whom, q->name);
    default:
        return rhost_fail(ctx, "%s: cannot ask for '%s': %s", whom, q->name, ares_strerror(status));
    }
}

/* Asks with these flags of c-ares: a status of c-ares; WRONG_SERVER. */
static int
ask_once(rhost_ctx *ctx, const struct ask_question *question, int flags, struct wait *w)
{
    struct ares_options options = {
        .flags = flags,
        .timeout = question->timeout * 1000 / TRIES,
        .tries = TRIES,
        .lookups = (char *)"b",
    };
    double until = now() + question->timeout;
    ares_channel channel;
    int status = ares_init_options(&channel, &options,
                                   ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS);

    if (status != ARES_SUCCESS)
        return status;
    status = use_server(channel, question);
    if (status == ARES_SUCCESS) {
        ares_query(channel, question->name, ns_c_in, question->type, answered, w);
        while (!w->done && now() < until && !rhost_stopping(ctx))
            turn(channel);
        status = w->done ? w->status : ARES_ETIMEOUT;
    } else if (status == ARES_EBADSTR) {
        status = WRONG_SERVER;
    }
    ares_destroy(channel); /* calls answered() for what is still open */
    return status;
}

int32_t
ask(rhost_ctx *ctx, const struct ask_question *question, struct ask_reply *reply)
{
    struct wait w = { .reply = reply };
    int status;

    status = ask_once(ctx, question, 0, &w);
    /* Servers that answer with an error are left for the next one, and count as if they were not there. */
    if (status == ARES_ECONNREFUSED) {
        w = (struct wait){ .reply = reply };
        status = ask_once(ctx, question, ARES_FLAG_NOCHECKRESP, &w);
    }
    if (status == WRONG_SERVER)
        return rhost_fail(ctx, "server '%s' is not an address", question->server);
    return status == ARES_SUCCESS ? 0 : refuse(ctx, question, status);
}
