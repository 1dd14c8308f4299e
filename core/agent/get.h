/* SPDX-License-Identifier: Apache-2.0 */
/* get - gets files of the source. What they say is not verified here. */
#ifndef RH_AGENT_GET_H
#define RH_AGENT_GET_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_agent;
struct rh_error;
struct rh_fetch_answer;

/* A request that gets a file of the source into a new file `path`, or (`resumes`) behind what is there. */
struct rh_agent_getting {
    const char *name, *path;
    const char *etag; /* of what is there already: the answer may be 304; or NULL */
    size_t limit;     /* bytes */
    long seconds;
    bool resumes;
};

/* It is on disk when this returns 0. With an error, what came is kept where it can be gone on from. */
RH_CHECKED int rh_agent_get(const struct rh_agent *agent, const struct rh_agent_getting *g,
                            struct rh_fetch_answer *answer, struct rh_error *err);

/* A small file and NAME.sig, to `path` and PATH.sig; neither where the answer is 304. */
RH_CHECKED int rh_agent_get_signed(const struct rh_agent *agent, const char *name, const char *path,
                                   const char *etag, struct rh_fetch_answer *answer, struct rh_error *err);

#endif
