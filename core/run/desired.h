/* SPDX-License-Identifier: Apache-2.0 */
/* desired - the desired states of the last runs, as keyed hashes in the state directory: what differs from
 * the machine is drift when the manifests ask for the same as before, and else a change of the manifests.
 *
 * The file is for its owner alone; a hash says nothing of a state without the key beside it. */
#ifndef RH_RUN_DESIRED_H
#define RH_RUN_DESIRED_H

#include "base/cleanup.h"

struct rh_catalog;
struct rh_desired;
struct rh_error;
struct rh_resource;

enum rh_cause {
    RH_CAUSE_UNKNOWN,  /* a dry run, a notification, or nothing was changed */
    RH_CAUSE_DRIFT,    /* the manifests ask for what they asked for when it was applied last */
    RH_CAUSE_MANIFEST, /* they ask for something else, or for the first time */
};

/* "drift", "manifest"; NULL for the first. */
const char *rh_cause_name(enum rh_cause cause);
enum rh_cause rh_cause_read(const char *name);

/* A file that is not whole counts as none. */
RH_CHECKED int rh_desired_open(struct rh_desired **to, const struct rh_catalog *c, const char *state_dir,
                               struct rh_error *err);
void rh_desired_free(struct rh_desired *d);

/* Notes that the resource is as its manifests ask for, and says whether that is what they asked for before.
 * UNKNOWN for NULL. */
enum rh_cause rh_desired_note(struct rh_desired *d, const struct rh_resource *r);

/* Writes what is new; NULL is fine. Resources that no run has seen for 90 days are left out. */
RH_CHECKED int rh_desired_save(struct rh_desired *d, struct rh_error *err);

#endif
