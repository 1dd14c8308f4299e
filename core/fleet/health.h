/* SPDX-License-Identifier: Apache-2.0 */
/* health - what the hosts of a rollout have reported. */
#ifndef RH_FLEET_HEALTH_H
#define RH_FLEET_HEALTH_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_channel;
struct rh_error;
struct rh_rollout;
struct rh_store;

enum rh_health {
    RH_HEALTH_OTHER,  /* the channel gives it another revision */
    RH_HEALTH_OK,     /* its last run of the revision worked */
    RH_HEALTH_FAILED, /* it did not */
    RH_HEALTH_WAITING,
    RH_HEALTH_AWAY, /* it has not reported the revision, and was silent before the rollout began */
    RH_HEALTHS,
};

struct rh_fleet_host {
    const char *host, *id, *name; /* as the database has them; id and name may be "" */
    bool is_device;               /* of a host, HOST/DEVICE: it gets what that gets */
    enum rh_health health;
    bool has_it; /* it has reported a run of the revision */
};

/* What it points to is the arena's. */
struct rh_fleet {
    struct rh_fleet_host *hosts;
    size_t n;
    size_t counts[RH_HEALTHS];
    size_t chosen;
};

/* The time of the database, to compare with when it received reports; the arena's. NULL with an error. */
RH_CHECKED const char *rh_fleet_time(struct rh_arena *a, struct rh_store *s, const char *url,
                                     struct rh_error *err);

/* All hosts that the database knows; `c` says which of them the channel chooses. */
RH_CHECKED int rh_fleet_read(struct rh_fleet *f, struct rh_arena *a, struct rh_store *s,
                             const struct rh_rollout *r, const struct rh_channel *c, struct rh_error *err);

/* The host of this name or id; NULL: the database does not know it. */
const struct rh_fleet_host *rh_fleet_find(const struct rh_fleet *f, const char *host);

#endif
