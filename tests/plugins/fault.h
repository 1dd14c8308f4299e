/* SPDX-License-Identifier: Apache-2.0 */
/* fault - what goes wrong in the misbehaving plugin, and where: the environment says it, for it
 * reaches a callback wherever that runs, and leaves manifests as they would be.
 *
 *     FAULT="update crash"     in update, of resources whose name ends in "bad", a crash */
#ifndef TESTS_PLUGINS_FAULT_H
#define TESTS_PLUGINS_FAULT_H

#include <rhost/provider.h>

#include <stdbool.h>

enum { FAULT_NONE = 0, FAULT_LARGEST = 100000000 };

/* Whether this is to go wrong, in this way. */
bool fault_is(const char *at, const char *how);

/* Whether a fault in a callback for one resource is meant for this one. */
bool fault_meant(const char *name);

/* Does what goes wrong at `at`, if anything; may not return. The result is the callback's, unless it
 * is FAULT_NONE. `ctx` may be NULL, before there is one. */
int32_t fault_strike(rhost_ctx *ctx, const char *at);

/* Fills in what a resource is; wrong, if that is the fault at `at`. */
void fault_describe(rhost_ctx *ctx, const char *at, rhost_value *resource);

#endif
