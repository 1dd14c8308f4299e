/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - GET requests with what the resource says of them: credentials, certificates, time, redirects.
 *
 * Redirects are followed here and not by libcurl, so that none leads from https to http, at whatever step,
 * and headers, credentials and the client's certificate go to no other server than that of the URL. */
#ifndef REMOTE_FILE_FETCH_H
#define REMOTE_FILE_FETCH_H

#include "../http_request/transfer.h"

#include <time.h>

struct fetch {
    rhost_ctx *ctx;
    const rhost_value *should;
    struct transfer_bytes ca, cert, key;
    struct timespec until; /* on the monotonic clock: when `timeout` is over */

    /* What fetch_get() leaves. */
    long status;
    const char *etag, *modified, *range; /* headers, NULL where there are none */
    int64_t length;                      /* bytes of the content; -1: the server doesn't say */
    char *text;                          /* the content, without a sink; with a NUL behind it */
    size_t len;
    const char *why; /* it failed, in words */
    int transient;   /* the same request may work the next time */
    int unreachable; /* nothing listens there, or the name is unknown */
    int ended;       /* the time is up, or the run is to end: no other request makes sense */
};

/* How a request is made. */
struct fetch_how {
    const char *const *headers; /* NULL-terminated, beside those of the resource; or NULL */
    transfer_sink_fn *sink;     /* see transfer.h; NULL: the content becomes `text` */
    void *data;
    size_t most; /* bytes of `text` */
};

/* Reads the certificates, and starts the clock. 0; or -1 with the reason given. */
int32_t fetch_open(rhost_ctx *ctx, const rhost_value *should, struct fetch *f);

/* 0: there is an answer, whatever its status; -1: there is none, see `why`. */
int fetch_get(struct fetch *f, const char *url, const struct fetch_how *how);

/* What a status other than 200 means, in words in memory of the call. */
const char *fetch_status_words(rhost_ctx *ctx, long status);

/* Fails with `text`; under noop, a server that nothing reaches may be started by an earlier resource. */
int32_t fetch_fail(struct fetch *f, const char *attribute, const char *text);

#endif
