/* SPDX-License-Identifier: Apache-2.0 */
/* sql - what the types ask a server for: names, statements, rows. */

#include "sql.h"

#include "connection.h"

#include <rhost/path.h>

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_SOCKET = 107 };

static const char *
with_case(rhost_ctx *ctx, const char *text, char from, char to)
{
    char *copy = rhost_strdup(ctx, text);

    for (char *c = copy; *c; c++)
        if (*c >= from && *c <= from + 25)
            *c = (char)(*c - from + to);
    return copy;
}

const char *
sql_upper(rhost_ctx *ctx, const char *text)
{
    return with_case(ctx, text, 'a', 'A');
}

const char *
sql_lower(rhost_ctx *ctx, const char *text)
{
    return with_case(ctx, text, 'A', 'a');
}

void
sql_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *host = rhost_str(resource, "host"), *port = rhost_str(resource, "port");

    if (host)
        rhost_put_str(resource, "host", sql_lower(ctx, host));
    rhost_tidy_path(ctx, resource, "socket");
    if (port && *port && strlen(port) <= 5)
        rhost_put_int(resource, "port", strtoll(port, NULL, 10));
}

int32_t
sql_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *socket = rhost_str_or(resource, "socket", SQL_SOCKET);
    int64_t port = rhost_int(resource, "port", SQL_PORT);
    int has_host = *rhost_str_or(resource, "host", "") != '\0';

    if (port < 1 || port > 65535)
        return rhost_fail_attr(ctx, "port", "port must be an integer between 1 and 65535");
    if (has_host && strcmp(socket, SQL_SOCKET) != 0)
        return rhost_fail_attr(ctx, "socket", "'socket' and 'host' exclude each other");
    if (!has_host && port != SQL_PORT)
        return rhost_fail_attr(ctx, "port", "'port' is for a server at 'host'");
    if (strlen(socket) > LONGEST_SOCKET)
        return rhost_fail_attr(ctx, "socket", "the path has %zu bytes, and that of a socket has up to %d",
                               strlen(socket), LONGEST_SOCKET);
    if (!has_host && rhost_has(resource, "ca_certificate"))
        return rhost_fail_attr(ctx, "ca_certificate", "'ca_certificate' is for a server at 'host'");
    return 0;
}

int32_t
sql_open_for_list(rhost_ctx *ctx, struct sql **to)
{
    rhost_value *name = ctx->host->new_hash(ctx);
    struct stat st;

    sql_put_server(name);
    if (rhost_path_stat(ctx, SQL_SOCKET, 0, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
        return RHOST_ABSENT;
    *to = sql_open(ctx, name, NULL);
    return *to ? 0 : -1;
}

void
sql_put_server(rhost_value *one)
{
    rhost_put_str(one, "host", "");
    rhost_put_str(one, "socket", SQL_SOCKET);
    rhost_put_int(one, "port", SQL_PORT);
}

/* Sends the statement: 0; -1 with a failure said. */
static int32_t
send(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement)
{
    double begin = sql_now();

    sql_may_take(ctx, sql->timeout + 2 * SQL_GRACE);
    if (mysql_real_query(sql->conn, statement, strlen(statement)) == 0)
        return 0;
    return ctx->host->fail(ctx, 0, attribute, sql_reason(ctx, sql, sql_now() - begin));
}

MYSQL_RES *
sql_query(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement)
{
    double begin = sql_now();
    MYSQL_RES *rows;

    if (send(ctx, sql, attribute, statement) < 0)
        return NULL;
    rows = mysql_store_result(sql->conn);
    if (!rows)
        ctx->host->fail(ctx, 0, attribute, sql_reason(ctx, sql, sql_now() - begin));
    return rows;
}

int32_t
sql_run(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement)
{
    return send(ctx, sql, attribute, statement);
}

int
sql_finds(rhost_ctx *ctx, struct sql *sql, const char *query)
{
    sql_autoresult MYSQL_RES *rows = sql_query(ctx, sql, NULL, query);

    return rows ? mysql_num_rows(rows) > 0 : -1;
}

int
sql_is_login(rhost_ctx *ctx, struct sql *sql, const char *account)
{
    return sql_finds(
        ctx, sql, rhost_fmt(ctx, "SELECT 1 FROM DUAL WHERE %s", sql_is(ctx, sql, "CURRENT_USER()", account)));
}

int
sql_has_tls(const struct sql *sql)
{
    return mysql_get_ssl_cipher(sql->conn) != NULL;
}

int
sql_is_mariadb(const struct sql *sql)
{
    return mariadb_connection(sql->conn);
}

const char *
sql_server(rhost_ctx *ctx, const struct sql *sql)
{
    unsigned long version = mysql_get_server_version(sql->conn);

    return rhost_fmt(ctx, "%s %lu.%lu", sql_is_mariadb(sql) ? "MariaDB" : "MySQL", version / 10000,
                     version / 100 % 100);
}

const char *
sql_name(rhost_ctx *ctx, const char *name)
{
    char *quoted = rhost_alloc(ctx, 2 * strlen(name) + 3), *to = quoted;

    *to++ = '`';
    for (; *name; name++) {
        if (*name == '`')
            *to++ = '`';
        *to++ = *name;
    }
    *to++ = '`';
    *to = '\0';
    return quoted;
}

const char *
sql_literal(rhost_ctx *ctx, struct sql *sql, const char *text)
{
    size_t n = strlen(text);
    char *quoted = rhost_alloc(ctx, 2 * n + 3);

    quoted[0] = '\'';
    n = mysql_real_escape_string(sql->conn, quoted + 1, text, n);
    quoted[n + 1] = '\'';
    quoted[n + 2] = '\0';
    return quoted;
}

const char *
sql_is(rhost_ctx *ctx, struct sql *sql, const char *column, const char *text)
{
    return rhost_fmt(ctx, "CAST(%s AS BINARY) = CAST(%s AS BINARY)", column, sql_literal(ctx, sql, text));
}

/* A failure is none: it takes a right that the login may lack. */
static void
set_log_off(struct sql *sql, const char *value)
{
    char statement[64];
    int n = snprintf(statement, sizeof statement, "SET SESSION sql_log_off = %s", value);

    (void)mysql_real_query(sql->conn, statement, (unsigned long)n);
}

int32_t
sql_run_unlogged(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement)
{
    int32_t done;

    set_log_off(sql, "1");
    done = send(ctx, sql, attribute, statement);
    set_log_off(sql, "DEFAULT");
    return done;
}

int32_t
sql_missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute, const char *message)
{
    return !should || rhost_wants_absence(should) ? RHOST_ABSENT
                                                  : ctx->host->fail(ctx, RHOST_MISSING, attribute, message);
}

void
sql_clear(MYSQL_RES **result)
{
    if (*result)
        mysql_free_result(*result);
}
