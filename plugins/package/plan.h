/* SPDX-License-Identifier: Apache-2.0 */
/* plan - the one transaction of apt-get for many changes: its command, and its simulation. */
#ifndef PACKAGE_PLAN_H
#define PACKAGE_PLAN_H

#include "deb.h"

struct plan {
    struct words brings, changes, removes; /* beside what the jobs ask for */
    const char *native;                    /* this machine's architecture */
    struct words repairs;                  /* under noop: what the run would install first */
};

enum { PLAN_SIMULATED = 1, PLAN_REPAIRS = 2, PLAN_AGAIN = 4 };

/* The command. PLAN_SIMULATED: it changes nothing and needs no lock. PLAN_REPAIRS: it does not do what the
 * jobs ask for, but installs what installed packages depend on and lack. PLAN_AGAIN: what
 * is there is unpacked once more. `more`: packages that are
 * installed as well; NULL: none. */
void plan_command(rhost_ctx *ctx, const struct jobs *jobs, int flags, const struct words *more,
                  struct words *argv);

/* The job about a package of this name that has not failed; NULL: none. */
const struct job *plan_job(const struct jobs *jobs, const char *name, const char *native);

/* Adds what the output of a simulation says of packages that no job is about. */
void plan_read(rhost_ctx *ctx, const struct jobs *jobs, const char *printed, struct plan *plan);

/* Simulates it until it would work, with what `repairs` has, and fails the jobs that stand in its way. 0 with
 * the plan for those that are left, which may be none; -1 after fail(). */
int32_t plan_make(rhost_ctx *ctx, struct jobs *jobs, const char *native, const struct words *repairs,
                  struct plan *plan);

#endif
