/* SPDX-License-Identifier: Apache-2.0 */
/* rollout-parts - what the files of a rollout share. */
#ifndef RH_FLEET_ROLLOUT_PARTS_H
#define RH_FLEET_ROLLOUT_PARTS_H

#include "bundle/channel.h"
#include "fleet/health.h"
#include "fleet/rollout.h"

struct rh_arena;

#define RH_ROLLOUT_FILE ".rollout.json"

enum rh_rollout_state {
    RH_ROLLOUT_NONE,
    RH_ROLLOUT_RUNNING,
    RH_ROLLOUT_STOPPED,
    RH_ROLLOUT_FINISHED,
    RH_ROLLOUT_BACK,
};

/* What a channel of the rollout says, and what the rollout is once that is published. */
struct rh_stage {
    int64_t number; /* from 1 on */
    int64_t serial; /* of its channel; 0: there is none */
    int64_t began;  /* when it was published: seconds since the epoch; 0: it ended, and the next one begins */
    int64_t percent;
    const char **hosts;
    size_t n_hosts;
    enum rh_rollout_state state;
    const char *reason; /* why it was stopped; "": it was not */
};

/* Texts are the arena's that it was loaded with. */
struct rh_rollout {
    int64_t to, from;  /* revisions */
    int64_t began;     /* by the clock of this machine */
    const char *since; /* the same by that of the database */
    const char **canaries;
    size_t n_canaries;
    const char *batches;
    int64_t wait, soak, lasts;
    struct rh_fleet_limit failures, silent;
    struct rh_stage stage; /* as it is published */
    struct rh_stage next;  /* is being published; serial 0: nothing is */
};

/* state.c */

/* Takes the lock of the directory, for steps of a rollout; -1 with an error. */
RH_CHECKED int rh_rollout_lock(const char *directory, struct rh_error *err);

/* Without a rollout, the state of its stage is RH_ROLLOUT_NONE. */
RH_CHECKED int rh_rollout_load(struct rh_rollout *r, struct rh_arena *a, const char *directory,
                               struct rh_error *err);
RH_CHECKED int rh_rollout_save(const struct rh_rollout *r, const char *directory, struct rh_error *err);
const char *rh_rollout_state_name(enum rh_rollout_state state);

/* stage.c */

/* Whether the texts of a request can be read. */
RH_CHECKED int rh_stage_check_batches(const char *batches, struct rh_error *err);

/* The stage after the one that is published: `percent` 100 is the last. */
RH_CHECKED int rh_stage_plan(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *fleet,
                             struct rh_stage *next, struct rh_error *err);

/* One in which only those hosts have the revision that have it already. */
void rh_stage_freeze(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *fleet,
                     struct rh_stage *next);

/* Whether so many of all are more than the limit. */
bool rh_fleet_limit_is_exceeded(const struct rh_fleet_limit *limit, size_t n, size_t all);

/* publish.c */

/* Loads the rollout, and what is published. What was being published when a program was killed is taken as
 * published when it is, and is forgotten otherwise. A channel that is none of the rollout is an error. */
RH_CHECKED int rh_rollout_open(struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
                               const struct rh_rollout_request *q, struct rh_error *err);

/* The channel of the directory; serial 0: there is none. */
RH_CHECKED int rh_rollout_channel(struct rh_channel *c, struct rh_arena *a,
                                  const struct rh_rollout_request *q, struct rh_error *err);

/* Publishes the stage, and makes it that of the rollout. `revision`: for those that are chosen. */
RH_CHECKED int rh_rollout_publish(struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
                                  const struct rh_rollout_request *q, const struct rh_stage *next,
                                  struct rh_error *err);

/* hint.c: has agents look at the channel, where a broker is named. One that is away hinders nothing. */
void rh_rollout_hint(struct rh_arena *a, const struct rh_rollout_request *q);

#endif
