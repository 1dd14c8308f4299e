/* SPDX-License-Identifier: Apache-2.0 */
/* memory - what the agent remembers from one cycle to the next, in agent.json of its directory. */
#ifndef RH_AGENT_MEMORY_H
#define RH_AGENT_MEMORY_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_value;

struct rh_agent_memory {
    int64_t serial;            /* the highest of any channel that was accepted */
    int64_t min_revision;      /* the same; a revision that is not below it was verified */
    int64_t announced;         /* min_revision of the channel, before that; is not on disk */
    int64_t fetched;           /* when the channel was got whole, and not only asked for */
    int64_t good, previous;    /* the revision that was applied last without a failure, and the one before */
    int64_t trying, failures;  /* a new one that has failed so often */
    int64_t wanted;            /* by the last channel: what came of it is kept */
    int64_t blocked;           /* one that was given up; 0: none */
    int64_t previewed;         /* the serial of the last preview; 0: none */
    int64_t contact, ran;      /* when the source was reached, and when a run ended; 0: never */
    int64_t problem_at;        /* when the problem was reported */
    const char *digest, *etag; /* of the channel, which is in channel.json beside; "": none */
    const char *source;        /* of the channel and the bundles; "": none yet */
    const char *problem;       /* what hinders the agent from taking a new revision; "": nothing */
    const char *outcome;       /* the status of the last run, as reports have it; "": none */
};

/* Texts go into `a`. What is not there yet is 0 and "". */
RH_CHECKED int rh_agent_memory_load(struct rh_agent_memory *m, struct rh_arena *a, const char *directory,
                                    struct rh_error *err);

/* It is on disk when this returns 0. */
RH_CHECKED int rh_agent_memory_save(const struct rh_agent_memory *m, const char *directory,
                                    struct rh_error *err);

/* The same as one hash. */
struct rh_value *rh_agent_memory_value(const struct rh_agent_memory *m, struct rh_arena *a);

#endif
