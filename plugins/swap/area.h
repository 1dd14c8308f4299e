/* SPDX-License-Identifier: Apache-2.0 */
/* area - makes swap areas, and has the kernel use them. */
#ifndef SWAP_AREA_H
#define SWAP_AREA_H

#include "../filesystem/device.h"

/* Makes a swap area: a file that does not exist, or a device that has nothing on it. 0; or -1 after the
 * reason was given. */
int area_make(rhost_ctx *ctx, const struct rhost_change *change);

/* Refuses a device that must not become a swap area. 0; or -1 after the reason was given. */
int area_check_device(rhost_ctx *ctx, const struct device *d);

/* Refuses what area_on() refuses. 0; or -1 after the reason was given. */
int area_check(rhost_ctx *ctx, const struct device *d);

/* Has the kernel swap to it, or no longer. A negative priority is the kernel's choice. 0; or -1 after the
 * reason was given. */
int area_on(rhost_ctx *ctx, const struct device *d, int64_t priority);
int area_off(rhost_ctx *ctx, const struct device *d);

#endif
