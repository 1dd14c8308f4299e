/* SPDX-License-Identifier: Apache-2.0 */
/* declared - the keys of a host as a manifest says them, brought into the form that files have. */
#ifndef KNOWN_HOST_DECLARED_H
#define KNOWN_HOST_DECLARED_H

#include <rhost/provider.h>

/* Fills the slot `canonicalize`. */
int32_t declared_canonicalize(rhost_ctx *ctx, rhost_value *resource);

#endif
