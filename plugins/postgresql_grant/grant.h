/* SPDX-License-Identifier: Apache-2.0 */
/* grant - the privileges of one role on an object, or on all tables of a schema. */
#ifndef GRANT_H
#define GRANT_H

#include "../postgresql_role/pg.h"

#define GRANT_WITH_OPTION " WITH GRANT OPTION"

/* object.c: kinds of objects, and which privileges they have. NULL: there is no such kind. */
const char *const *object_privileges(const char *kind);

/* "orders" is "public.orders". NULL: as it is. */
const char *object_canonical(rhost_ctx *ctx, const char *kind, const char *object);

/* What GRANT and REVOKE call the object, with the word for its kind; NULL with a failure said. */
const char *object_target(rhost_ctx *ctx, struct pg *pg, const rhost_value *name);

/* For each object that is meant, a row with its name for each privilege of the role, and whether that has the
 * grant option; one without a privilege where it has none. No row: there is no such object. NULL with a
 * failure said. */
PGresult *object_rows(rhost_ctx *ctx, struct pg *pg, const rhost_value *name);

/* read.c */
int32_t grant_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current);

/* list.c */
int32_t grant_get(rhost_ctx *ctx, const rhost_value *names);

/* postgresql_grant.c: whether the array has this text; and whether the role is PUBLIC, which is none. */
int grant_has(const rhost_value *array, const char *text);
int grant_is_public(const char *role);

#endif
