/* SPDX-License-Identifier: Apache-2.0 */
/* pg - what the types ask a server for: names, statements, transactions. */

#include "pg.h"

#include "connection.h"

#include <rhost/path.h>

#include <stdlib.h>

enum { LONGEST_NAME = 63, LONGEST_SOCKET = 90 };

void
pg_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *host = rhost_str(resource, "host"), *port = rhost_str(resource, "port");

    if (host && strpbrk(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        char *lower = rhost_strdup(ctx, host);

        for (char *c = lower; *c; c++)
            if (*c >= 'A' && *c <= 'Z')
                *c = (char)(*c - 'A' + 'a');
        rhost_put_str(resource, "host", lower);
    }
    rhost_tidy_path(ctx, resource, "socket");
    if (port && *port && strlen(port) <= 5)
        rhost_put_int(resource, "port", strtoll(port, NULL, 10));
}

int32_t
pg_validate_name(rhost_ctx *ctx, const rhost_value *resource, const char *attribute)
{
    const char *name = rhost_str(resource, attribute);

    if (name && strlen(name) > LONGEST_NAME)
        return rhost_fail_attr(ctx, attribute, "the name has %zu bytes, and PostgreSQL takes up to %d",
                               strlen(name), LONGEST_NAME);
    return 0;
}

int32_t
pg_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *socket = rhost_str_or(resource, "socket", PG_SOCKET);
    int64_t port = rhost_int(resource, "port", 1);
    int has_host = *rhost_str_or(resource, "host", "") != '\0';

    if (port < 1 || port > 65535)
        return rhost_fail_attr(ctx, "port", "port must be an integer between 1 and 65535");
    if (has_host && strcmp(socket, PG_SOCKET) != 0)
        return rhost_fail_attr(ctx, "socket", "'socket' and 'host' exclude each other");
    if (strlen(socket) > LONGEST_SOCKET)
        return rhost_fail_attr(ctx, "socket", "the path has %zu bytes, and that of a socket has up to %d",
                               strlen(socket), LONGEST_SOCKET);
    if (!has_host && rhost_has(resource, "ca_certificate"))
        return rhost_fail_attr(ctx, "ca_certificate", "'ca_certificate' is for a server at 'host'");
    return pg_validate_name(ctx, resource, "login_user") < 0
                   || pg_validate_name(ctx, resource, "login_database") < 0
               ? -1
               : 0;
}

struct pg *
pg_open_login(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    return pg_open(ctx, name, should, rhost_str_or(should, "login_database", PG_LOGIN_DATABASE));
}

/* Asked in another database: a failed login tells it in the language of the server only. */
int32_t
pg_open_database(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct pg **to)
{
    const char *database = rhost_str(name, "database");
    struct pg *login;
    int found;

    login = pg_open(ctx, name, should, PG_LOGIN_DATABASE);
    found = login ? pg_finds(ctx, login, "SELECT 1 FROM pg_catalog.pg_database WHERE datname = $1::text",
                             database)
                  : -1;
    if (found == 0)
        return !should || rhost_wants_absence(should)
                   ? RHOST_ABSENT
                   : ctx->host->fail(ctx, RHOST_MISSING, "database",
                                     rhost_fmt(ctx, "database '%s' does not exist", database));
    *to = found < 0 ? NULL : pg_connect(ctx, name, should, database);
    return *to ? 0 : -1;
}

int32_t
pg_each_database(rhost_ctx *ctx, int32_t (*fn)(rhost_ctx *ctx, struct pg *pg, const char *database))
{
    rhost_value *name = ctx->host->new_hash(ctx);
    pg_autoresult PGresult *rows = NULL;
    struct pg *login = NULL;
    int32_t found = pg_open_for_list(ctx, PG_LOGIN_DATABASE, &login);

    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    pg_put_server(name);
    rows = pg_query(
        ctx, login, NULL,
        "SELECT datname FROM pg_catalog.pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1", 0,
        NULL);
    for (int i = 0; rows && i < PQntuples(rows); i++) {
        pg_autoclose struct pg *pg = pg_connect(ctx, name, NULL, PQgetvalue(rows, i, 0));

        if (!pg || fn(ctx, pg, PQgetvalue(rows, i, 0)) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}

int32_t
pg_open_for_list(rhost_ctx *ctx, const char *database, struct pg **to)
{
    rhost_value *name = ctx->host->new_hash(ctx);
    struct stat st;

    pg_put_server(name);
    if (rhost_path_stat(ctx, PG_SOCKET "/.s.PGSQL.5432", 0, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
        return RHOST_ABSENT;
    *to = pg_open(ctx, name, NULL, database);
    return *to ? 0 : -1;
}

void
pg_put_server(rhost_value *one)
{
    rhost_put_str(one, "host", "");
    rhost_put_str(one, "socket", PG_SOCKET);
    rhost_put_int(one, "port", 5432);
}

void
pg_put_title(rhost_value *one, const char *title)
{
    if (!strchr(title, ':') && !strchr(title, '\n'))
        rhost_put_str(one, "title", title);
}

int32_t
pg_run(rhost_ctx *ctx, struct pg *pg, const char *attribute, const char *sql)
{
    pg_autoresult PGresult *result = pg_query(ctx, pg, attribute, sql, 0, NULL);

    return result ? 0 : -1;
}

int
pg_finds(rhost_ctx *ctx, struct pg *pg, const char *sql, const char *parameter)
{
    pg_autoresult PGresult *rows = pg_query(ctx, pg, NULL, sql, 1, &parameter);

    return rows ? PQntuples(rows) > 0 : -1;
}

int32_t
pg_begin(rhost_ctx *ctx, struct pg *pg)
{
    return pg_run(ctx, pg, NULL, "BEGIN");
}

int32_t
pg_end(rhost_ctx *ctx, struct pg *pg, int32_t result)
{
    if (result == 0)
        return pg_run(ctx, pg, NULL, "COMMIT");
    pg_roll_back(pg);
    return -1;
}

/* What the library has given to us, in memory of the call. */
static const char *
quoted(rhost_ctx *ctx, struct pg *pg, char *text)
{
    const char *copy = rhost_strdup(ctx, text);

    PQfreemem(text);
    if (!copy)
        rhost_fail(ctx, "%s", pg_reason(ctx, pg));
    return copy;
}

const char *
pg_name(rhost_ctx *ctx, struct pg *pg, const char *name)
{
    return quoted(ctx, pg, PQescapeIdentifier(pg->conn, name, strlen(name)));
}

const char *
pg_literal(rhost_ctx *ctx, struct pg *pg, const char *text)
{
    return quoted(ctx, pg, PQescapeLiteral(pg->conn, text, strlen(text)));
}

int32_t
pg_keep_from_log(rhost_ctx *ctx, struct pg *pg)
{
    const char *superuser = PQparameterStatus(pg->conn, "is_superuser");

    if (!superuser || strcmp(superuser, "on") != 0)
        return 0;
    return pg_run(ctx, pg, NULL,
                  "SELECT pg_catalog.set_config(s, v, true) FROM (VALUES ('log_statement', 'none'),"
                  " ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'),"
                  " ('log_min_error_statement', 'panic'), ('log_duration', 'off')) AS x(s, v)");
}

int
pg_version(const struct pg *pg)
{
    return PQserverVersion(pg->conn);
}

const char *
pg_field(const PGresult *rows, int row, int column)
{
    return PQgetisnull(rows, row, column) ? NULL : PQgetvalue(rows, row, column);
}

void
pg_clear(PGresult **result)
{
    PQclear(*result);
}
