/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - start and stop units of one user. */
#ifndef USER_SERVICE_JOBS_H
#define USER_SERVICE_JOBS_H

#include "batch.h"

/* Starts (`run` 1) or stops (0) those that are to be so; what can't fails, each for itself. -1 with the
 * reason given where nothing can be told of them. */
int jobs_run(struct batch *b, int run);

#endif
