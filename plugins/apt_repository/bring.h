/* SPDX-License-Identifier: Apache-2.0 */
/* bring - having the files of a repository be as wanted. */
#ifndef APT_REPOSITORY_BRING_H
#define APT_REPOSITORY_BRING_H

#include <rhost/provider.h>

/* Fill the slots `create` and `update`, and `remove`. */
int32_t bring_it(rhost_ctx *ctx, const struct rhost_change *change);
int32_t bring_remove(rhost_ctx *ctx, const struct rhost_change *change);

#endif
