/* SPDX-License-Identifier: Apache-2.0 */
/* log - the last lines that a unit has written into the journal. */
#ifndef SERVICE_SYSTEMD_LOG_H
#define SERVICE_SYSTEMD_LOG_H

#include "bus.h"

/* Those of the time that it was started last, each with a newline between; "" when there are none, or
 * we must not read them. In memory of the call. */
const char *log_lines(rhost_ctx *ctx, sd_bus *bus, const char *unit);

#endif
