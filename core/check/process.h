/* SPDX-License-Identifier: Apache-2.0 */
/* process - one check in a process of its own, whatever the plugin does there. */
#ifndef RH_CHECK_PROCESS_H
#define RH_CHECK_PROCESS_H

#include "check/check.h"

struct rh_arena;
struct rh_checker;
struct rh_error;

struct rh_check_end {
    enum rh_verdict verdict;
    const char *text;    /* the arena's */
    const char *payload; /* likewise; empty when it did not get so far */
    const char *printed; /* what is to be said of what it printed; NULL: it printed nothing */
    double seconds;
};

/* Runs c->check->fn(c) and says how it ended. What `c` points to is shared with the process as it is
 * now. -1 when no process could be started. */
int rh_check_process(struct rh_checker *c, struct rh_arena *a, struct rh_check_end *end,
                     struct rh_error *err);

#endif
