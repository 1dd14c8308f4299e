/* SPDX-License-Identifier: Apache-2.0 */
/* user-read - accounts as the server has them. MariaDB keeps each as JSON, in which an account may have
 * several ways to authenticate; MySQL in columns. */

#include "user.h"

#include <stdlib.h>

/* An element of auth_or without a plugin stands for the one that is beside it. */
#define OR(i)                                                                                                \
    ", JSON_VALUE(Priv, '$.auth_or[" i "].plugin'), JSON_VALUE(Priv, '$.auth_or[" i                          \
    "].authentication_string')"

static const char mariadb[] =
    "SELECT User, Host, IFNULL(JSON_VALUE(Priv, '$.account_locked'), 0),"
    " IFNULL(JSON_VALUE(Priv, '$.ssl_type'), 0), IFNULL(JSON_VALUE(Priv, '$.max_user_connections'), 0),"
    " IFNULL(JSON_LENGTH(Priv, '$.auth_or'), 0), JSON_VALUE(Priv, '$.plugin'),"
    " JSON_VALUE(Priv, '$.authentication_string')" OR("0") OR("1") OR("2") OR("3") OR("4")
        OR("5") " FROM mysql.global_priv WHERE NOT JSON_EXISTS(Priv, '$.is_role') AND ";

static const char mysql[] =
    "SELECT User, Host, account_locked = 'Y', CASE ssl_type WHEN '' THEN 0 WHEN 'ANY' THEN 1 WHEN 'X509' "
    "THEN 2"
    " ELSE 3 END, max_user_connections, 0, plugin, authentication_string FROM mysql.user WHERE ";

enum { USER, HOST, LOCKED, TLS, LIMIT, N_OR, PLUGIN, TEXT, FIRST_OR };

static const char *
text_of(const char *field)
{
    return field ? field : "";
}

static int32_t
read_auths(rhost_ctx *ctx, MYSQL_ROW row, struct auths *to)
{
    const struct auth main = { text_of(row[PLUGIN]), text_of(row[TEXT]) };
    long n = strtol(row[N_OR], NULL, 10);

    if (n > AUTH_MOST)
        return rhost_fail(ctx, "the account has %ld ways to authenticate, and up to %d are supported", n,
                          AUTH_MOST);
    *to = (struct auths){ .n = 1, .of = { main } };
    if (!*main.plugin)
        to->of[0].plugin = "mysql_native_password";
    for (long i = 0; i < n; i++) {
        const char *plugin = row[FIRST_OR + 2 * i];

        to->of[i] = plugin ? (struct auth){ plugin, text_of(row[FIRST_OR + 2 * i + 1]) } : main;
        to->n = (size_t)i + 1;
    }
    return 0;
}

static MYSQL_RES *
read_rows(rhost_ctx *ctx, struct sql *sql, const char *where)
{
    return sql_query(ctx, sql, NULL,
                     rhost_fmt(ctx, "%s%s ORDER BY 1, 2", sql_is_mariadb(sql) ? mariadb : mysql, where));
}

/* One that requires a certificate of its own is told of by nothing: `tls` has no word for it. */
static void
report(const struct auths *auths, MYSQL_ROW row, rhost_value *current)
{
    static const char *const tls[] = { "none", "any", "x509" };
    rhost_value *plugins = current->host->put_array(current, "plugins");
    long type = strtol(row[TLS], NULL, 10);

    rhost_put_str(current, "ensure", "present");
    for (size_t i = 0; i < auths->n; i++)
        rhost_put_str(plugins, NULL, auths->of[i].plugin);
    rhost_put_bool(current, "locked", *row[LOCKED] == '1');
    if (type >= 0 && type <= 2)
        rhost_put_str(current, "tls", tls[type]);
    rhost_put_int(current, "connection_limit", strtoll(row[LIMIT], NULL, 10));
}

/* What the server keeps of the password is compared here, and goes no further. */
static int32_t
report_password(rhost_ctx *ctx, const struct auths *auths, const rhost_value *should, rhost_value *current)
{
    const char *password = rhost_str(should, "password");

    for (size_t i = 0; password && i < auths->n; i++) {
        int matches = auth_matches(ctx, &auths->of[i], password);

        if (matches < 0)
            return -1;
        if (matches) {
            rhost_put_copy(current, "password", rhost_get(should, "password"));
            return 0;
        }
    }
    return 0;
}

static const char *
where_name(rhost_ctx *ctx, struct sql *sql, const char *name)
{
    return rhost_fmt(ctx, "%s AND %s", sql_is(ctx, sql, "User", account_user(ctx, name)),
                     sql_is(ctx, sql, "Host", account_host(ctx, name)));
}

/* The rows that the texts are in have to last as long as the call. */
int32_t
user_auths(rhost_ctx *ctx, struct sql *sql, const char *name, struct auths *to)
{
    sql_autoresult MYSQL_RES *rows = read_rows(ctx, sql, where_name(ctx, sql, name));
    MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;

    if (!row)
        return rows ? RHOST_ABSENT : -1;
    if (read_auths(ctx, row, to) < 0)
        return -1;
    for (size_t i = 0; i < to->n; i++)
        to->of[i] = (struct auth){ rhost_strdup(ctx, to->of[i].plugin), rhost_strdup(ctx, to->of[i].text) };
    return 0;
}

int32_t
user_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct sql *sql = sql_open(ctx, name, should);
    sql_autoresult MYSQL_RES *rows =
        sql ? read_rows(ctx, sql, where_name(ctx, sql, rhost_str(name, "name"))) : NULL;
    MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
    struct auths auths;

    if (!row)
        return rows ? RHOST_ABSENT : -1;
    if (read_auths(ctx, row, &auths) < 0)
        return -1;
    report(&auths, row, current);
    return rhost_wants_absence(should) ? 0 : report_password(ctx, &auths, should, current);
}

int32_t
user_get(rhost_ctx *ctx, const rhost_value *names)
{
    sql_autoresult MYSQL_RES *rows = NULL;
    struct sql *sql = NULL;
    int32_t found = sql_open_for_list(ctx, &sql);

    (void)names;
    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    rows = read_rows(ctx, sql, "TRUE");
    for (MYSQL_ROW row; rows && (row = mysql_fetch_row(rows));) {
        rhost_value *one = ctx->host->new_hash(ctx);
        struct auths auths;

        if (account_is_reserved(row[USER]))
            continue;
        if (read_auths(ctx, row, &auths) < 0)
            return -1;
        rhost_put_fmt(one, "name", "%s@%s", row[USER], row[HOST]);
        if (!strchr(row[USER], ':'))
            rhost_put_fmt(one, "title", "%s@%s", row[USER], row[HOST]);
        sql_put_server(one);
        report(&auths, row, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}
