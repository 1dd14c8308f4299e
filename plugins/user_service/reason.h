/* SPDX-License-Identifier: Apache-2.0 */
/* reason - why a unit of a user did not do as it was asked. */
#ifndef USER_SERVICE_REASON_H
#define USER_SERVICE_REASON_H

#include "manager.h"

/* What has failed in it, with the last lines of the journal since `since` (seconds of the epoch); in memory
 * of the call. `what` is what was tried: "start". `said` is what systemctl said to that. */
const char *reason_for(rhost_ctx *ctx, const struct account *a, const struct shown *s, const char *what,
                       const char *said, int64_t since);

#endif
