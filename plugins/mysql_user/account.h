/* SPDX-License-Identifier: Apache-2.0 */
/* account - names of accounts: a user, and the hosts that it connects from: app@localhost, app@10.0.0.%. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "sql.h"

/* A data type that such a name has. */
#define ACCOUNT_NAME "Pattern[/\\A[^\\x00-\\x1f\\x7f]{1,390}\\z/]"

/* Of this attribute: "app" is "app@%", and the host has no capital letters. */
void account_canonicalize(rhost_ctx *ctx, rhost_value *resource, const char *attribute);

/* Refuses a name whose host is empty. */
int32_t account_validate(rhost_ctx *ctx, const rhost_value *resource, const char *attribute);

/* The user and the host of a name in canonical form, in memory of the call. */
const char *account_user(rhost_ctx *ctx, const char *name);
const char *account_host(rhost_ctx *ctx, const char *name);

/* "'app'@'localhost'", for statements. */
const char *account_literal(rhost_ctx *ctx, struct sql *sql, const char *name);

/* The same as information_schema has it in GRANTEE, which quotes nothing. */
const char *account_grantee(rhost_ctx *ctx, const char *name);

/* Whether the server has the account: 1, 0, or -1 with a failure said. */
int account_exists(rhost_ctx *ctx, struct sql *sql, const char *name);

/* Whether the server needs this user for itself. */
int account_is_reserved(const char *user);

#endif
