/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a mount as a manifest says it, brought into the form that fstab and the kernel have. */
#ifndef MOUNT_DECLARED_H
#define MOUNT_DECLARED_H

#include <rhost/provider.h>

/* Fills the slot `canonicalize`. */
int32_t declared_canonicalize(rhost_ctx *ctx, rhost_value *resource);

#endif
