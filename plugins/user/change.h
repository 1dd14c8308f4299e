/* SPDX-License-Identifier: Apache-2.0 */
/* change - bringing a user to what is wanted, with the system's own tools. */
#ifndef CHANGE_H
#define CHANGE_H

#include <rhost/provider.h>

/* What a manifest says instead of a number of days. */
#define CHANGE_NEVER "never"
#define CHANGE_MUST_CHANGE "must_change"
#define CHANGE_UNSET "unset"

int32_t change_create(rhost_ctx *ctx, const struct rhost_change *change);
int32_t change_update(rhost_ctx *ctx, const struct rhost_change *change);
int32_t change_remove(rhost_ctx *ctx, const struct rhost_change *change);

/* Whether the manifest wants an attribute to be another than it is. */
int change_differs(const struct rhost_change *change, const char *attribute);

/* The home directory that this change leads to; "": the default of useradd. */
const char *change_home(const struct rhost_change *change);

/* What stands behind the marks of a locked password. */
const char *change_unlocked(const char *password);

#endif
