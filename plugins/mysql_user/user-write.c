/* SPDX-License-Identifier: Apache-2.0 */
/* user-write - an account is created or changed by one statement: it gets all that is wanted, or nothing. */

#include "user.h"

/* The index of the one that the password goes to: the first that can be given it. -1: none can. */
static int
place_of(const struct auths *all, const char *password)
{
    for (size_t i = 0; i < all->n; i++)
        if (auth_has_password(all->of[i].plugin) && auth_takes(all->of[i].plugin, password))
            return (int)i;
    return -1;
}

/* A new account of which nothing is said. */
static const char *
usual_plugin(const struct sql *sql, const char *password)
{
    if (!password)
        return sql_is_mariadb(sql) ? "mysql_native_password" : "caching_sha2_password";
    return auth_takes("caching_sha2_password", password) ? "caching_sha2_password" : "mysql_native_password";
}

/* Whether it takes a password that is not stated. */
static int
is_unknown(const struct auth *auth)
{
    return !*auth->text && auth_has_password(auth->plugin);
}

/* The account of the login could not log in again, where each way to authenticate is new, and one has a
 * password that nobody knows. */
static int32_t
keep_a_way(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change, const struct auths *now,
           const struct auths *to)
{
    const char *name = rhost_str(change->name, "name"), *lost = NULL;
    int own;

    for (size_t i = 0; i < to->n; i++) {
        if (is_unknown(&to->of[i]))
            lost = to->of[i].plugin;
        else if (*to->of[i].text || auth_find(now, to->of[i].plugin))
            return 0;
    }
    own = lost ? sql_is_login(ctx, sql, name) : 0;
    return own <= 0
               ? own
               : rhost_fail_attr(ctx, "plugins",
                                 "'%s' is the account of the login, which could not log in again: '%s' needs"
                                 " 'password'",
                                 name, lost);
}

/* The ways to authenticate that it shall have: those that are stated, or those that it has. What the server
 * keeps for one that stays is kept; a new one that has a password has one that nobody knows. */
static int32_t
plan(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change, struct auths *to)
{
    const rhost_value *stated = rhost_get(change->should, "plugins");
    const char *password = rhost_str(change->should, "password");
    struct auths now = { 0 };
    int place;

    if (change->is && user_auths(ctx, sql, rhost_str(change->name, "name"), &now) < 0)
        return -1;
    *to = now;
    if (rhost_count(stated)) {
        to->n = 0;
        for (size_t i = 0; i < rhost_count(stated) && i < AUTH_MOST; i++) {
            const struct auth *same = auth_find(&now, rhost_str_at(stated, i));

            to->of[to->n++] = (struct auth){ rhost_str_at(stated, i), same ? same->text : "" };
        }
    } else if (!now.n) {
        *to = (struct auths){ .n = 1, .of = { { usual_plugin(sql, password), "" } } };
    }
    if (password) {
        place = place_of(to, password);
        if (place < 0)
            return rhost_fail_attr(ctx, "password",
                                   "the account authenticates by '%s', which cannot be given this password:"
                                   " state 'plugins'",
                                   to->of[0].plugin);
        to->of[place].text = auth_text(ctx, to->of[place].plugin, password);
        if (!to->of[place].text)
            return -1;
    }
    if (change->is && keep_a_way(ctx, sql, change, &now, to) < 0)
        return -1;
    for (size_t i = 0; i < to->n; i++)
        if (is_unknown(&to->of[i]) && !(to->of[i].text = auth_nobody(ctx, to->of[i].plugin)))
            return -1;
    return 0;
}

/* Whether the stated plugins, if any, are those that the account has. */
static int
has_each(const rhost_value *is, const rhost_value *stated)
{
    size_t same = 0;

    for (size_t i = 0; i < rhost_count(stated); i++)
        for (size_t k = 0; k < rhost_count(is); k++)
            same += strcmp(rhost_str_at(stated, i), rhost_str_at(is, k)) == 0;
    return !rhost_count(stated) || (same == rhost_count(stated) && same == rhost_count(is));
}

/* " IDENTIFIED ...", or "" where it stays; NULL with a failure said. */
static const char *
identified(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change)
{
    const rhost_value *should = change->should, *is = change->is;
    int maria = sql_is_mariadb(sql);
    const char *text = " IDENTIFIED";
    struct auths all;

    if (is && !(rhost_has(should, "password") && !rhost_has(is, "password"))
        && has_each(rhost_get(is, "plugins"), rhost_get(should, "plugins")))
        return "";
    if (plan(ctx, sql, change, &all) < 0)
        return NULL;
    if (!maria && all.n > 1) {
        rhost_fail_attr(ctx, "plugins", "the server is %s, which takes one plugin for an account",
                        sql_server(ctx, sql));
        return NULL;
    }
    for (size_t i = 0; i < all.n; i++) {
        text = rhost_fmt(ctx, "%s %s %s", text,
                         i       ? "OR"
                         : maria ? "VIA"
                                 : "WITH",
                         sql_name(ctx, all.of[i].plugin));
        if (*all.of[i].text)
            text = rhost_fmt(ctx, "%s %s %s", text, maria ? "USING" : "AS",
                             sql_literal(ctx, sql, all.of[i].text));
    }
    return text;
}

/* What CREATE USER and ALTER USER say after that: only what differs. */
static const char *
options(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should, *is = change->is;
    const char *tls = rhost_str(should, "tls"), *text = "";
    int64_t limit = rhost_int(should, "connection_limit", -1);
    int locked = rhost_bool(should, "locked", -1);

    if (tls && strcmp(tls, rhost_str_or(is, "tls", "")) != 0)
        text = rhost_fmt(ctx, " REQUIRE %s",
                         strcmp(tls, "any") == 0    ? "SSL"
                         : strcmp(tls, "x509") == 0 ? "X509"
                                                    : "NONE");
    if (limit >= 0 && limit != rhost_int(is, "connection_limit", -1))
        text = rhost_fmt(ctx, "%s WITH MAX_USER_CONNECTIONS %lld", text, (long long)limit);
    if (locked >= 0 && locked != rhost_bool(is, "locked", -1))
        text = rhost_fmt(ctx, "%s ACCOUNT %s", text, locked ? "LOCK" : "UNLOCK");
    return text;
}

/* The account of the login stays one that can log in. */
static int32_t
keep_login(rhost_ctx *ctx, struct sql *sql, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *tls = rhost_str_or(change->should, "tls", "");
    int locks = rhost_bool(change->should, "locked", 0) == 1 && !rhost_bool(change->is, "locked", 0),
        needs_more = (strcmp(tls, "x509") == 0 || (strcmp(tls, "any") == 0 && !sql_has_tls(sql)))
                     && strcmp(tls, rhost_str_or(change->is, "tls", "")) != 0,
        own = change->is && (locks || needs_more) ? sql_is_login(ctx, sql, name) : 0;

    if (own <= 0)
        return own;
    return locks ? rhost_fail_attr(ctx, "locked",
                                   "'%s' is the account of the login, which could not log in again", name)
                 : rhost_fail_attr(ctx, "tls", "'%s' is the account of the login, which connects without %s",
                                   name, strcmp(tls, "x509") == 0 ? "a certificate of its own" : "TLS");
}

static int32_t
write_user(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *by, *rest;
    struct sql *sql = sql_open(ctx, change->name, change->should);

    by = sql && keep_login(ctx, sql, change) == 0 ? identified(ctx, sql, change) : NULL;
    if (!by)
        return -1;
    rest = options(ctx, change);
    if (change->is && !*by && !*rest)
        return 0;
    return (*by ? sql_run_unlogged
                : sql_run)(ctx, sql, NULL,
                           rhost_fmt(ctx, "%s USER %s%s%s", change->is ? "ALTER" : "CREATE",
                                     account_literal(ctx, sql, name), by, rest));
}

int32_t
user_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_user(ctx, change);
}

int32_t
user_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_user(ctx, change);
}

/* The one that has logged in could not be used for what follows. */
int32_t
user_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    struct sql *sql = sql_open(ctx, change->name, change->should);
    int own;

    if (!sql)
        return -1;
    if (account_is_reserved(account_user(ctx, name)))
        return rhost_fail(ctx, "the server needs the account '%s' for itself", name);
    own = sql_is_login(ctx, sql, name);
    if (own)
        return own < 0 ? -1 : rhost_fail(ctx, "'%s' is the account of the login", name);
    return sql_run(ctx, sql, NULL, rhost_fmt(ctx, "DROP USER %s", account_literal(ctx, sql, name)));
}
