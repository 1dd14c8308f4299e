/* SPDX-License-Identifier: Apache-2.0 */
/* gossip - the ways in which a secret is told. */
#ifndef TESTS_ROBUST_GOSSIP_H
#define TESTS_ROBUST_GOSSIP_H

#include <rhost/provider.h>

struct gossip {
    const char *text;
    size_t len;
};

int gossip_is(const char *at, const char *how);

/* Tells it, if it is to be told here; -1 when that is a failure. May not return. `title` may be
 * NULL. */
int32_t gossip_tell(rhost_ctx *ctx, const char *at, const struct gossip *g, const char *title);

/* The ways that only set() has; 1 when it was one. */
int gossip_tell_in_set(rhost_ctx *ctx, const struct rhost_change *change, const struct gossip *g);

#endif
