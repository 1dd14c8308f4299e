/* SPDX-License-Identifier: Apache-2.0 */
/* plan - the one transaction of apt-get for many changes: its command, and its simulation. */
#ifndef PACKAGE_PLAN_H
#define PACKAGE_PLAN_H

#include "deb.h"

struct plan {
    struct words brings, changes, removes; /* beside what the jobs ask for */
    const char *native;                    /* this machine's architecture */
};

/* The command; simulated, it changes nothing and needs no lock. */
void plan_command(rhost_ctx *ctx, const struct jobs *jobs, int simulated, struct words *argv);

/* Simulates it until it would work, and fails the jobs that stand in its way. 0 with the plan for those
 * that are left, which may be none; -1 after fail(). */
int32_t plan_make(rhost_ctx *ctx, struct jobs *jobs, const char *native, struct plan *plan);

#endif
