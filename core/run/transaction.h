/* SPDX-License-Identifier: Apache-2.0 */
/* transaction - walks the action list in order; neighbours of one provider go as one batch. */
#ifndef RH_RUN_TRANSACTION_H
#define RH_RUN_TRANSACTION_H

#include "base/cleanup.h"
#include "run/event.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_catalog;
struct rh_confirm_request;
struct rh_error;
struct rh_expectation;
struct rh_identity;
struct rh_lock;
struct rh_order;
struct rh_planning;
struct rh_pool;
struct rh_seal;

/* What is kept of resources before they are changed: nothing, what can be, or else they are not changed. */
enum rh_backup_mode { RH_BACKUP_NONE, RH_BACKUP_USUAL, RH_BACKUP_REQUIRED };

enum { RH_BACKUP_LIMIT = 1 << 30 }; /* bytes of contents, unless it is said otherwise */

struct rh_transaction_options {
    bool noop;
    bool verify;                        /* read again what was changed */
    bool no_verify;                     /* but nothing of it, unless a resource asks for it itself */
    bool fail_fast;                     /* the first failure ends the run */
    bool detailed;                      /* exit statuses 2 and 6 as well */
    const char *state_dir;              /* where the journal goes */
    const struct rh_lock *lock;         /* of that directory */
    const struct rh_planning *planning; /* a plan is made, or applied (run/plan.h); or NULL */
    const char *plan, *plan_digest;     /* of the plan that is applied; or NULL */
    enum rh_backup_mode backup;
    uint64_t backup_limit;                 /* bytes of contents that are kept of all runs */
    const struct rh_seal *seal;            /* what sensitive values are encrypted with; or NULL */
    unsigned backup_age;                   /* seconds that contents are kept; 0: while their journal is */
    bool durable;                          /* what is kept is on disk before a resource is changed */
    const struct rh_expectation *expected; /* of each entry of the list (run/expect.h); or NULL */
    const char *undoes;                    /* the run that this one undoes; or NULL */
    char *run;                             /* RH_RUN_ID bytes that get the id of the run; or NULL */
    const struct rh_identity *identity;    /* of this machine and of the run; or NULL */
    const char *revision;                  /* of what is applied, as the user says it; or NULL */
    const struct rh_confirm_request
        *confirm; /* it is rolled back unless that is done (run/confirm.h); or NULL */
};

/* Runs. Every entry of the list gets one event, whatever happens; a failure stops only what depends
 * on it. A signal (base/interrupt.h, which the caller closes) ends it before the next resource. Returns
 * the exit status 0 or 4 (2, 6), or 128 and the signal, or -1 when the run could not start. */
RH_CHECKED int rh_transaction_run(const struct rh_catalog *c, const struct rh_order *order,
                                  struct rh_pool *pool, const struct rh_transaction_options *options,
                                  const struct rh_reporter *reporter, struct rh_error *err);

#endif
