/* SPDX-License-Identifier: Apache-2.0 */
/* fetch-wire - what the agent and rhost-fetch say to each other: pieces with a type and a length.
 *
 * The request: a piece for each part, then END. The answer: STATUS (and ETAG) before the first BODY; REASON
 * instead where it failed; then END. rhost-fetch reads what strangers send, so that the agent believes
 * nothing of an answer: each piece is limited, and the agent counts the bytes itself. */
#ifndef RH_AGENT_FETCH_WIRE_H
#define RH_AGENT_FETCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rh_fetch_part {
    RH_FETCH_URL = 'U',
    RH_FETCH_METHOD = 'M',      /* GET or PUT */
    RH_FETCH_ETAG = 'E',        /* request: what is there already; answer: what it is now */
    RH_FETCH_FROM = 'R',        /* bytes that are there already */
    RH_FETCH_LIMIT = 'L',       /* most bytes of the answer */
    RH_FETCH_SECONDS = 'T',     /* most time */
    RH_FETCH_PLAIN = 'P',       /* http without TLS is allowed */
    RH_FETCH_CA = 'A',          /* certificates, as PEM */
    RH_FETCH_CERTIFICATE = 'C', /* of this machine */
    RH_FETCH_KEY = 'K',
    RH_FETCH_BODY = 'B',
    RH_FETCH_STATUS = 'S',
    RH_FETCH_REASON = 'X',
    RH_FETCH_END = '.',
};

enum { RH_FETCH_HEAD = 5, RH_FETCH_PIECE = 64 << 10 };

/* Writes one piece of at most RH_FETCH_PIECE bytes; false with errno. */
bool rh_fetch_send(int fd, enum rh_fetch_part type, const void *p, size_t n);

/* The same in as many pieces as it needs. */
bool rh_fetch_send_all(int fd, enum rh_fetch_part type, const void *p, size_t n);

/* The length that a head says; false: it is none. */
bool rh_fetch_read_head(const unsigned char head[RH_FETCH_HEAD], char *type, size_t *n);

#endif
