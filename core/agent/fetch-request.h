/* SPDX-License-Identifier: Apache-2.0 */
/* fetch-request - what the agent asks of rhost-fetch and rhost-nats, as they read it. */
#ifndef RH_AGENT_FETCH_REQUEST_H
#define RH_AGENT_FETCH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

struct rh_fetch_text {
    char *s; /* with a NUL behind it; NULL: there is none */
    size_t n;
};

struct rh_fetch_parts {
    struct rh_fetch_text url, method, etag, from, limit, seconds, plain, ca, certificate, key, body;
};

/* Reads it from the agent; false: there is none. */
bool rh_fetch_read_request(int fd, struct rh_fetch_parts *r);

/* Whether a URL of this scheme ("http://") leads to this machine: what is not encrypted goes nowhere else,
 * unless the settings of the agent allow it. */
bool rh_fetch_is_local(const char *url, const char *scheme);

#endif
