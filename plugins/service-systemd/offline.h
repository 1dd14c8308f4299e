/* SPDX-License-Identifier: Apache-2.0 */
/* offline - services of an image: enabled, disabled and masked, and never started. */
#ifndef SERVICE_SYSTEMD_OFFLINE_H
#define SERVICE_SYSTEMD_OFFLINE_H

#include "bus.h"

/* How units are: as bus_units() and bus_each(). None of them runs. */
int offline_units(rhost_ctx *ctx, const char *const *names, size_t n, struct unit *units);
int offline_each(rhost_ctx *ctx, const char *pattern, int (*visit)(rhost_ctx *ctx, const struct unit *unit));

/* As set(): what can't be enabled, disabled or masked fails, each for itself. */
int32_t offline_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n);

#endif
