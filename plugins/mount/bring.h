/* SPDX-License-Identifier: Apache-2.0 */
/* bring - having what is mounted, and fstab, be as wanted. */
#ifndef MOUNT_BRING_H
#define MOUNT_BRING_H

#include <rhost/provider.h>

/* Fill the slots `create` and `update`, `remove`, and `act`, whose one action is `remount`. */
int32_t bring_it(rhost_ctx *ctx, const struct rhost_change *change);
int32_t bring_remove(rhost_ctx *ctx, const struct rhost_change *change);
int32_t bring_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action);

#endif
