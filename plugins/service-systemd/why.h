/* SPDX-License-Identifier: Apache-2.0 */
/* why - what a unit says for itself when it did not do as it was asked. */
#ifndef SERVICE_SYSTEMD_WHY_H
#define SERVICE_SYSTEMD_WHY_H

#include "jobs.h"

/* Why a job did not end well, or the unit is not as it should be in spite of it, with the last lines
 * that it has logged; in memory of the call. `what` is what was tried: "start". */
const char *why_job(rhost_ctx *ctx, sd_bus *bus, const struct job *job, const char *what);

/* Why a unit does not run although it was started; NULL: it does, or has done all that there was. */
const char *why_not_running(rhost_ctx *ctx, sd_bus *bus, const struct unit *unit);

#endif
