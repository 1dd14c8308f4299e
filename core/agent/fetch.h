/* SPDX-License-Identifier: Apache-2.0 */
/* fetch - has rhost-fetch get or put one file. */
#ifndef RH_AGENT_FETCH_H
#define RH_AGENT_FETCH_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rh_agent_settings;
struct rh_error;

enum { RH_FETCH_ETAG_LONGEST = 200 };

struct rh_fetch_request {
    const char *url;
    const char *etag; /* of what is there already; or NULL */
    const char *body; /* is put; NULL: the file is got */
    size_t n_body;
    bool hints;         /* listens for hints of a broker, and gets nothing */
    size_t from, limit; /* bytes that are there already; most bytes of the answer */
    long seconds;       /* most time */
};

struct rh_fetch_answer {
    int status;                           /* of HTTP; of a file 200 or 404 */
    char etag[RH_FETCH_ETAG_LONGEST + 1]; /* printable; "" where there is none */
    size_t n;                             /* bytes of the file now */
};

/* Writes the body of a success to `to` (-1: it is dropped), behind the first `from` bytes where the server
 * agrees, else from the beginning. -1 with an error where there was no answer. */
RH_CHECKED int rh_fetch(const struct rh_agent_settings *s, const struct rh_fetch_request *r, int to,
                        struct rh_fetch_answer *answer, struct rh_error *err);

/* Has rhost-nats listen for hints of a broker until `fd` is closed: each is something to read from it. */
RH_CHECKED int rh_fetch_listen(const struct rh_agent_settings *s, const char *url, int *fd, pid_t *pid,
                               struct rh_error *err);

#endif
