/* SPDX-License-Identifier: Apache-2.0 */
/* rollout - brings a revision to a fleet in stages, each of which is a channel. What the reports of the hosts
 * say decides whether the next stage begins, or the rollout stops.
 *
 * A rollout is kept in a file of the directory of the channel. Each command takes a lock, reads the file,
 * takes one step, and writes it: one that is killed at any point is gone on with by the next. */
#ifndef RH_FLEET_ROLLOUT_H
#define RH_FLEET_ROLLOUT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_error;

/* A number of hosts, or a part of those that are chosen. */
struct rh_fleet_limit {
    bool percent;
    int64_t n;
};

struct rh_rollout_request {
    const char *directory;       /* where the bundles are, and the channel */
    const char *database;        /* the URL of the database with the reports */
    const char *signers, *key;   /* files; for stop, resume and rollback as well */
    int64_t to;                  /* the revision; of a rollback 0: the one that was before */
    const char *const *canaries; /* a stage each: names of hosts with commas between */
    size_t n_canaries;
    const char *batches;       /* "10%", "1%,9%,30%", "25": sizes of stages; the last one is repeated */
    int64_t wait, soak, lasts; /* seconds; of wait and soak -1: not given */
    const struct rh_fleet_limit *failures, *silent;        /* NULL: not given */
    const char *hint, *tls_ca, *tls_certificate, *tls_key; /* a broker, and how it is reached; or NULL */
    bool quiet;
};

/* How it ended. */
enum rh_rollout_end { RH_ROLLOUT_DONE, RH_ROLLOUT_HALTED, RH_ROLLOUT_INTERRUPTED };

/* control.c */

/* Begins a rollout. One that is under way, or was stopped, is an error. */
RH_CHECKED int rh_rollout_begin(const struct rh_rollout_request *r, struct rh_error *err);

/* Has one that was stopped, or whose program was ended, go on, with the rules that are given now. */
RH_CHECKED int rh_rollout_resume(const struct rh_rollout_request *r, struct rh_error *err);

/* Publishes a channel in which the hosts that have the revision keep it, and no other gets it. */
RH_CHECKED int rh_rollout_stop(const struct rh_rollout_request *r, struct rh_error *err);

/* Publishes a channel with which all hosts get the revision from before. */
RH_CHECKED int rh_rollout_back(const struct rh_rollout_request *r, struct rh_error *err);

/* run.c: takes steps until the rollout has ended or was stopped, or until a signal comes. */
RH_CHECKED int rh_rollout_run(const struct rh_rollout_request *r, enum rh_rollout_end *end,
                              struct rh_error *err);

/* show.c: prints it, and what its hosts have reported. */
RH_CHECKED int rh_rollout_show(const struct rh_rollout_request *r, bool json, struct rh_error *err);

/* stage.c: "5" or "5%"; false: it is none. */
bool rh_fleet_limit_read(const char *text, struct rh_fleet_limit *limit);

#endif
