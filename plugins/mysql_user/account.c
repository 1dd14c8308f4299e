/* SPDX-License-Identifier: Apache-2.0 */
/* account - the last '@' is the one before the host: a host has none. */

#include "account.h"

static const char *
at_of(const char *name)
{
    const char *at = strrchr(name, '@');

    return at ? at : name + strlen(name);
}

const char *
account_user(rhost_ctx *ctx, const char *name)
{
    return rhost_copy(ctx, name, (size_t)(at_of(name) - name));
}

const char *
account_host(rhost_ctx *ctx, const char *name)
{
    const char *at = at_of(name);

    return *at ? sql_lower(ctx, at + 1) : "%";
}

void
account_canonicalize(rhost_ctx *ctx, rhost_value *resource, const char *attribute)
{
    const char *name = rhost_str(resource, attribute);

    if (name)
        rhost_put_str(resource, attribute,
                      rhost_fmt(ctx, "%s@%s", account_user(ctx, name), account_host(ctx, name)));
}

int32_t
account_validate(rhost_ctx *ctx, const rhost_value *resource, const char *attribute)
{
    const char *name = rhost_str(resource, attribute);

    if (name && *name && name[strlen(name) - 1] == '@')
        return rhost_fail_attr(ctx, attribute, "'%s' has no host after the '@'; any host is '%s%%'", name,
                               name);
    return 0;
}

const char *
account_literal(rhost_ctx *ctx, struct sql *sql, const char *name)
{
    return rhost_fmt(ctx, "%s@%s", sql_literal(ctx, sql, account_user(ctx, name)),
                     sql_literal(ctx, sql, account_host(ctx, name)));
}

const char *
account_grantee(rhost_ctx *ctx, const char *name)
{
    return rhost_fmt(ctx, "'%s'@'%s'", account_user(ctx, name), account_host(ctx, name));
}

int
account_exists(rhost_ctx *ctx, struct sql *sql, const char *name)
{
    return sql_finds(ctx, sql,
                     rhost_fmt(ctx, "SELECT 1 FROM mysql.user WHERE %s AND %s",
                               sql_is(ctx, sql, "User", account_user(ctx, name)),
                               sql_is(ctx, sql, "Host", account_host(ctx, name))));
}

int
account_is_reserved(const char *user)
{
    return strcmp(user, "mariadb.sys") == 0 || strcmp(user, "mysql.sys") == 0
           || strcmp(user, "mysql.session") == 0 || strcmp(user, "mysql.infoschema") == 0;
}
