/* SPDX-License-Identifier: Apache-2.0 */
/* write - only what differs is granted or revoked. The server has no transaction for it: what is granted
 * comes before what is revoked. */

#include "grant.h"

/* Behind each privilege: the column that it is on. */
static const char *
suffix(rhost_ctx *ctx, const rhost_value *name)
{
    const char *column = rhost_str_or(name, "column", "");

    return *column ? rhost_fmt(ctx, " (%s)", sql_name(ctx, column)) : "";
}

/* What the login has on the server it needs for what follows, and could not grant to itself again. */
static int32_t
keep_login(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change, const char *attribute)
{
    const char *user = rhost_str_or(change->name, "user", "");
    int own =
        strcmp(rhost_str_or(change->name, "kind", ""), "global") == 0 ? sql_is_login(ctx, sql, user) : 0;

    return own <= 0 ? own
                    : rhost_fail_attr(ctx, attribute,
                                      "'%s' is the account of the login, which keeps its privileges on the"
                                      " server",
                                      user);
}

static int32_t
revoke_these(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change, const char *attribute,
             const char *what)
{
    return sql_run(ctx, sql, attribute,
                   rhost_fmt(ctx, "REVOKE %s ON %s FROM %s", what, level_target(ctx, change->name),
                             account_literal(ctx, sql, rhost_str(change->name, "user"))));
}

/* The server would not know the word, and tell of a syntax error. */
static int32_t
check_known(rhost_ctx *ctx, struct sql *sql, const rhost_value *wanted)
{
    const rhost_value *known = grant_known(ctx, sql);

    for (size_t i = 0; known && i < rhost_count(wanted); i++)
        if (strcmp(rhost_str_at(wanted, i), "ALL") != 0 && !rhost_has(known, rhost_str_at(wanted, i)))
            return rhost_fail_attr(ctx, "privileges", "the server is %s, which has no privilege '%s'",
                                   sql_server(ctx, sql), rhost_str_at(wanted, i));
    return known ? 0 : -1;
}

static int32_t
grant(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "privileges"), *is = change->is;
    int option = rhost_bool(change->should, "grant_option", 0) && !rhost_bool(is, "grant_option", 0);
    const char *what;

    if (!grant_has(wanted, "ALL"))
        what = grant_without(ctx, wanted, rhost_get(is, "privileges"), suffix(ctx, change->name));
    else
        what = !is || rhost_count(rhost_get(is, "lacking")) ? "ALL PRIVILEGES" : "";
    if (!*what && !option)
        return 0;
    return sql_run(ctx, sql, *what ? "privileges" : "grant_option",
                   rhost_fmt(ctx, "GRANT %s ON %s TO %s%s", *what ? what : "USAGE",
                             level_target(ctx, change->name),
                             account_literal(ctx, sql, rhost_str(change->name, "user")),
                             option ? " WITH GRANT OPTION" : ""));
}

int32_t
grant_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "privileges"), *is = change->is;
    struct sql *sql = sql_open(ctx, change->name, change->should);
    int option = rhost_bool(change->should, "grant_option", 1) == 0 && rhost_bool(is, "grant_option", 0);
    const char *extra = "";

    if (is && grant_is_inclusive(change) && !grant_has(wanted, "ALL"))
        extra = grant_without(ctx, rhost_get(is, "privileges"), wanted, suffix(ctx, change->name));
    if (!rhost_count(wanted)
        && !rhost_bool(change->should, "grant_option", rhost_bool(is, "grant_option", 0)))
        return rhost_fail_attr(ctx, "privileges",
                               "the account has no grant option there, which 'privileges: []' is for;"
                               " 'ensure: absent' revokes all");
    if (!sql || check_known(ctx, sql, wanted) < 0)
        return -1;
    if ((option || *extra) && keep_login(ctx, sql, change, *extra ? "privileges" : "grant_option") < 0)
        return -1;
    if (grant(ctx, sql, change) < 0
        || (option && revoke_these(ctx, sql, change, "grant_option", "GRANT OPTION") < 0))
        return -1;
    return *extra ? revoke_these(ctx, sql, change, "privileges", extra) : 0;
}

int32_t
grant_revoke(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *all =
        grant_without(ctx, rhost_get(change->is, "privileges"), NULL, suffix(ctx, change->name));
    struct sql *sql = sql_open(ctx, change->name, change->should);

    if (!sql || keep_login(ctx, sql, change, NULL) < 0
        || (*all && revoke_these(ctx, sql, change, NULL, all) < 0))
        return -1;
    return rhost_bool(change->is, "grant_option", 0) ? revoke_these(ctx, sql, change, NULL, "GRANT OPTION")
                                                     : 0;
}
