/* SPDX-License-Identifier: Apache-2.0 */
/* refused-run - what is known of the run of this command, for the case that it is refused. */
#ifndef RH_CLI_REFUSED_RUN_H
#define RH_CLI_REFUSED_RUN_H

#include "base/source.h"
#include "run/identity.h"

#include <stdbool.h>

struct rh_refused_run {
    bool watched;                /* reports are asked for */
    bool begun;                  /* it was not refused: it reports itself */
    struct rh_identity identity; /* that it got; without a number: none yet */
    struct rh_sources sources;   /* names of files that are read */
};

/* The process has one command, and so one of these. */
struct rh_refused_run *rh_refused_run(void);

#endif
