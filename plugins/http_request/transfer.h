/* SPDX-License-Identifier: Apache-2.0 */
/* transfer - one HTTP request by libcurl, and its answer. http and https alone, by TCP or by a Unix socket;
 * redirects only where they are asked for. Other types that speak HTTP use it as well. */
#ifndef HTTP_REQUEST_TRANSFER_H
#define HTTP_REQUEST_TRANSFER_H

#include <rhost/provider.h>

struct transfer_bytes {
    const char *bytes; /* NULL: there are none */
    size_t len;
};

struct transfer;

/* Takes the next bytes of an answer; -1 ends the transfer, which has not failed then. */
typedef int transfer_sink_fn(struct transfer *t, const char *bytes, size_t n);

/* What was waited for when the time was up. */
enum transfer_waited { TRANSFER_NOT, TRANSFER_CONNECTING, TRANSFER_STALLED, TRANSFER_ALL };

struct transfer {
    rhost_ctx *ctx;
    const char *method, *url;
    int socket;                      /* of a Unix socket, opened with O_PATH; -1: TCP */
    void *headers;                   /* from transfer_header() */
    struct transfer_bytes body;      /* which is sent */
    int file;                        /* a regular file that is sent in the place of `body`; -1: none */
    const char *user, *password;     /* for Basic authentication; NULL: none */
    const char *token;               /* for Bearer authentication; NULL: none */
    struct transfer_bytes ca;        /* PEM: who signs the server's certificate; none: the system's */
    struct transfer_bytes cert, key; /* PEM: of this client */
    long timeout, redirects;         /* seconds; how many are followed */
    size_t most;                     /* bytes of an answer */
    long connect;           /* seconds until there is a connection; 0: 15, or `timeout` where that is less */
    long stall;             /* seconds without a byte; 0: no limit but `timeout` */
    transfer_sink_fn *sink; /* takes the content of an answer of status 200 or 206 as it comes; content of
                             * others is dropped. NULL: all of it becomes `answer` */
    void *sink_data;

    /* What the server says of the answer, known when the sink is called: NULL where it doesn't. In memory of
     * the call. */
    const char *etag, *modified, *range;
    int64_t length; /* bytes of this content; -1: it doesn't say */

    /* What transfer_perform() leaves. */
    const char *location;        /* where a redirect that was not followed leads; NULL: it is none */
    int failure, system_error;   /* the CURLcode, and the errno of the connection or 0, when it failed */
    enum transfer_waited waited; /* it failed since the time was up */
    long status;
    char *answer; /* with a NUL behind it; for transfer_clear() */
    size_t len;
    int unreachable;    /* it failed because nothing listens there, or the name is unknown */
    char why[300];      /* it failed */
    const char *reason; /* the same in general words, without anything that was sent */
};

void transfer_init(struct transfer *t, rhost_ctx *ctx);

/* Overwrites what it had of the answer, and frees it. */
void transfer_clear(struct transfer *t);

/* One more header, "Name: value". -1: no memory. */
int transfer_header(struct transfer *t, const char *line);

/* Opens a Unix socket by the host's walk: its descriptor for `socket`; or -1, with the reason given.
 * Something that does not exist fails with `missing`, the number for fail(). */
int transfer_open_socket(rhost_ctx *ctx, const char *attribute, const char *path, int32_t missing);

/* 0: there is an answer, whatever its status; -1: there is none, see `why`. */
int transfer_perform(struct transfer *t);

#endif
