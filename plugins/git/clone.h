/* SPDX-License-Identifier: Apache-2.0 */
/* clone - makes a clone beside its path, and puts it there when it is whole. */
#ifndef GIT_CLONE_H
#define GIT_CLONE_H

#include <rhost/provider.h>

/* `former` is an empty directory at the path; -1: nothing is there. */
int32_t clone_create(rhost_ctx *ctx, const struct rhost_change *change, int former);

#endif
