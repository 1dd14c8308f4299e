/* SPDX-License-Identifier: Apache-2.0 */
/* batch - bring many services to their state at once. */
#ifndef SERVICE_SYSTEMD_BATCH_H
#define SERVICE_SYSTEMD_BATCH_H

#include "bus.h"

enum { BATCH_LIMIT = 300 }; /* seconds that a job may take, where nothing else is said */

/* As set(): what can't be brought there fails, each for itself. `started` is told each unit that was
 * started. */
int32_t batch_set(rhost_ctx *ctx, sd_bus *bus, const struct rhost_change *const *changes, size_t n,
                  void (*started)(rhost_ctx *ctx, const char *unit));

/* An action on one of them: `method` of Manager. */
int32_t batch_act(rhost_ctx *ctx, sd_bus *bus, const struct rhost_change *change, const char *method,
                  const char *what);

#endif
