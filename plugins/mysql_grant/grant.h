/* SPDX-License-Identifier: Apache-2.0 */
/* grant - the privileges of one account on a level: the server, a database, a table, a column, a routine. */
#ifndef GRANT_H
#define GRANT_H

#include "../mysql_user/account.h"

/* level.c: the privileges that the kind of level has on all servers; NULL for "global", where the server says
 * which there are, and for what is no kind. */
const char *const *level_privileges(const char *kind);
int level_is_kind(const char *kind);

/* "shop_1" as the pattern that means this database alone: "shop\_1". In memory of the call. */
const char *level_escape(rhost_ctx *ctx, const char *database);

/* The database that this pattern means alone; NULL: it has wildcards. In memory of the call. */
const char *level_unescape(rhost_ctx *ctx, const char *pattern);

/* What GRANT and REVOKE say after ON, in memory of the call. */
const char *level_target(rhost_ctx *ctx, const rhost_value *name);

/* Whether the server has the table, column or routine: 1, also for other kinds; 0; -1 with a failure said. */
int level_exists(rhost_ctx *ctx, struct sql *sql, const rhost_value *name);

/* The privileges of the account on it: rows of a privilege, and "YES" with the grant option; "USAGE" stands
 * for none. NULL with a failure said. */
MYSQL_RES *level_rows(rhost_ctx *ctx, struct sql *sql, const rhost_value *name);

/* Those of all accounts: rows of account, kind, database (a pattern), object, column, privilege, "YES". */
MYSQL_RES *level_all_rows(rhost_ctx *ctx, struct sql *sql);

/* read.c: those that the server knows, in capital letters, as a hash whose keys they are; NULL with a failure
 * said. */
const rhost_value *grant_known(rhost_ctx *ctx, struct sql *sql);
int32_t grant_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current);
int32_t grant_get(rhost_ctx *ctx, const rhost_value *names);

/* Whether the array has this text. */
int grant_has(const rhost_value *array, const char *text);

/* Elements of `a` that `b` does not have, each with `suffix`, separated by commas; in memory of the call. */
const char *grant_without(rhost_ctx *ctx, const rhost_value *a, const rhost_value *b, const char *suffix);

/* Whether other privileges are to go. */
int grant_is_inclusive(const struct rhost_change *change);

/* write.c */
int32_t grant_write(rhost_ctx *ctx, const struct rhost_change *change);
int32_t grant_revoke(rhost_ctx *ctx, const struct rhost_change *change);

#endif
