/* SPDX-License-Identifier: Apache-2.0 */
/* user - what a server has of an account, and what is written of it. */
#ifndef USER_H
#define USER_H

#include "account.h"
#include "auth.h"

/* user-read.c */
int32_t user_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current);
int32_t user_get(rhost_ctx *ctx, const rhost_value *names);

/* How the account authenticates now: 0; RHOST_ABSENT: there is no such account; -1 with a failure said. */
int32_t user_auths(rhost_ctx *ctx, struct sql *sql, const char *name, struct auths *to);

/* user-write.c */
int32_t user_create(rhost_ctx *ctx, const struct rhost_change *change);
int32_t user_update(rhost_ctx *ctx, const struct rhost_change *change);
int32_t user_remove(rhost_ctx *ctx, const struct rhost_change *change);

#endif
