/* SPDX-License-Identifier: Apache-2.0 */
/* batch - units of one user that are brought to their state at once. */
#ifndef USER_SERVICE_BATCH_H
#define USER_SERVICE_BATCH_H

#include "account.h"
#include "manager.h"

enum { BATCH_GRACE = 100000 }; /* microseconds in which a program that can't run mostly is gone */

struct batch_item {
    const struct rhost_change *change;
    const char *name;
    const char *file; /* the state of its unit file */
    struct shown shown;
    int run, enable, mask; /* 1 and 0: to be so; -1: stays as it is */
    int preset;            /* `enable` is what its preset says */
    int failed;
};

/* What is done for one account. */
struct batch {
    rhost_ctx *ctx;
    struct account account;
    int runs; /* its manager does */
    struct batch_item *items;
    size_t n;
};

/* A unit fails, or all do, each once. */
void batch_item_fail(struct batch *b, struct batch_item *it, const char *why);
void batch_fail(struct batch *b, const char *why);

/* Seconds that a job for it may take. */
double batch_limit(const struct rhost_change *change);

/* Reads all units as the manager has them; has it read the unit files again. 0, or -1 with the reason given.
 */
int batch_read_units(struct batch *b);
int batch_reload(struct batch *b);

/* Why nothing can run: the user has no manager. */
const char *batch_no_manager(struct batch *b);

#endif
