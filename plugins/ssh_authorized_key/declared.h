/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a key as a manifest says it, brought into the form that files have. */
#ifndef SSH_AUTHORIZED_KEY_DECLARED_H
#define SSH_AUTHORIZED_KEY_DECLARED_H

#include <rhost/provider.h>

/* Fills the slot `canonicalize`. */
int32_t declared_canonicalize(rhost_ctx *ctx, rhost_value *resource);

#endif
