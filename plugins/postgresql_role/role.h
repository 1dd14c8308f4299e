/* SPDX-License-Identifier: Apache-2.0 */
/* role - what a server has of a role, and what is written of it. */
#ifndef ROLE_H
#define ROLE_H

#include "pg.h"

/* role-read.c */
int32_t role_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current);
int32_t role_get(rhost_ctx *ctx, const rhost_value *names);

/* A setting as the manifest has it, as a text: the elements of an array by commas, each quoted as an
 * identifier where that is asked for. NULL with a failure said. */
const char *role_setting(rhost_ctx *ctx, const rhost_value *value, int quoted);

/* Whether the server has the setting so. */
int role_setting_is(rhost_ctx *ctx, const rhost_value *wanted, const char *is);

/* Whether memberships and settings that the manifest does not name are to go. */
int role_is_inclusive(const struct rhost_change *change);

/* role-write.c */
int32_t role_create(rhost_ctx *ctx, const struct rhost_change *change);
int32_t role_update(rhost_ctx *ctx, const struct rhost_change *change);
int32_t role_remove(rhost_ctx *ctx, const struct rhost_change *change);

#endif
