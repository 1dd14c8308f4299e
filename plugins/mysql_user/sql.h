/* SPDX-License-Identifier: Apache-2.0 */
/* sql - connections to MariaDB and MySQL servers, and statements, for all mysql_* types. */
#ifndef SQL_H
#define SQL_H

#include <rhost/posix.h>
#include <rhost/provider.h>

#include <mysql.h>

#define SQL_SOCKET "/run/mysqld/mysqld.sock"
#define SQL_LOGIN_USER "root"
#define SQL_PORT 3306
#define SQL_NAME "Pattern[/\\A[^\\x00-\\x1f\\x7f]{1,64}\\z/]"

/* Which server: namevars that all types have. */
#define SQL_SERVER_ATTRS                                                                                     \
    { .name = "host",                                                                                        \
      .type = "Pattern[/\\A([A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?)?\\z/]",                          \
      .behaviour = RHOST_NAMEVAR,                                                                            \
      .default_value = "\"\"",                                                                               \
      .desc = "Name or address of the server; empty: it is reached by its socket." },                        \
        { .name = "socket",                                                                                  \
          .type = RHOST_TYPE_PATH,                                                                           \
          .behaviour = RHOST_NAMEVAR,                                                                        \
          .default_value = "\"" SQL_SOCKET "\"",                                                             \
          .desc = "The socket of the server." },                                                             \
    {                                                                                                        \
        .name = "port", .type = "Variant[Integer[1, 65535], Pattern[/\\A[1-9][0-9]{0,4}\\z/]]",              \
        .behaviour = RHOST_NAMEVAR, .default_value = "3306", .desc = "The port of the server at 'host'."     \
    }

/* How to log in: parameters that all types have. */
#define SQL_LOGIN_ATTRS                                                                                      \
    { .name = "login_user",                                                                                  \
      .type = "Pattern[/\\A[^\\x00-\\x1f\\x7f]{1,128}\\z/]",                                                 \
      .behaviour = RHOST_PARAMETER,                                                                          \
      .default_value = "\"" SQL_LOGIN_USER "\"",                                                             \
      .desc = "The user that logs in." },                                                                    \
        { .name = "login_password",                                                                          \
          .type = "Optional[Sensitive[String[1, 1000]]]",                                                    \
          .behaviour = RHOST_PARAMETER,                                                                      \
          .desc = "Its password, where the server asks for one." },                                          \
        { .name = "ca_certificate",                                                                          \
          .type = "Optional[" RHOST_TYPE_PATH "]",                                                           \
          .behaviour = RHOST_PARAMETER,                                                                      \
          .desc = "Certificates of the CAs, one of which must have issued that of the server at 'host'." },  \
    {                                                                                                        \
        .name = "timeout", .type = "Integer[1, 86400]", .behaviour = RHOST_PARAMETER, .default_value = "60", \
        .desc = "Seconds for the login and for each statement."                                              \
    }

#define SQL_NEEDS                                                                                            \
    "user[$login_user] unless $host unless $login_password", "socket[$socket] unless $host",                 \
        "network[tcp:$port] if $host", "network[udp] if $host", "network[tcp:53] if $host",                  \
        "read[/etc/resolv.conf] if $host", "read[/etc/hosts] if $host", "read[/etc/host.conf] if $host",     \
        "read[/etc/gai.conf] if $host", "read[/etc/services]", "read[$ca_certificate]"

#define SQL_RELATIONS                                                                                        \
    "autorequire package[mariadb-server]", "autorequire package[mysql-server]",                              \
        "autorequire service[mariadb]", "autorequire service[mysql]", "autorequire file[$ca_certificate]"

/* Relations to an account or a database of the same server. */
#define SQL_SAME "host: $host, socket: $socket, port: $port, "

/* What a title may begin with: "db.example.org:3306: " or "/run/mysqld/other.sock: ". */
#define SQL_TITLE_SERVER "((((?<host>[A-Za-z0-9.-]+):(?<port>[0-9]+))|(?<socket>\\/[^:\\n]*)): )?"

struct sql;

/* One writing of each server; and what no data type says of it. */
void sql_canonicalize(rhost_ctx *ctx, rhost_value *resource);
int32_t sql_validate(rhost_ctx *ctx, const rhost_value *resource);

/* A connection to the server that `name` says, which is kept for later calls; NULL with a failure said.
 * `should` may be NULL. */
struct sql *sql_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should);

/* The one of the usual server and login of this machine, for a list, in *to. 0: it is there; RHOST_ABSENT:
 * this machine has no such server; -1 with a failure said. */
int32_t sql_open_for_list(rhost_ctx *ctx, struct sql **to);

/* The rows of a statement, or NULL with a failure said, which is about `attribute` (NULL: about none). */
MYSQL_RES *sql_query(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement);

/* The same of a statement without rows. */
int32_t sql_run(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement);

/* The same, and the server's general log does not get the statement, where the login may decide that. */
int32_t sql_run_unlogged(rhost_ctx *ctx, struct sql *sql, const char *attribute, const char *statement);

/* Whether a query has rows: 1, 0, or -1 with a failure said. */
int sql_finds(rhost_ctx *ctx, struct sql *sql, const char *query);

/* Whether this account is the one that has logged in: 1, 0, or -1 with a failure said. */
int sql_is_login(rhost_ctx *ctx, struct sql *sql, const char *account);

/* Whether the connection has TLS. */
int sql_has_tls(const struct sql *sql);

/* MariaDB, or otherwise MySQL; and what it is called in messages, in memory of the call. */
int sql_is_mariadb(const struct sql *sql);
const char *sql_server(rhost_ctx *ctx, const struct sql *sql);

/* Quoted as an identifier, or as a literal, in memory of the call. */
const char *sql_name(rhost_ctx *ctx, const char *name);
const char *sql_literal(rhost_ctx *ctx, struct sql *sql, const char *text);

/* "CAST(column AS BINARY) = 'text'": text is compared byte by byte, where collations would not. */
const char *sql_is(rhost_ctx *ctx, struct sql *sql, const char *column, const char *text);

/* Of a resource on what does not exist: RHOST_ABSENT where nothing is to be there, otherwise -1 with a
 * failure said, as the run may create it. */
int32_t sql_missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute, const char *message);

/* The namevars of the server, for a resource that is listed. */
void sql_put_server(rhost_value *one);

/* `text` without letters of the other case; in memory of the call. */
const char *sql_upper(rhost_ctx *ctx, const char *text);
const char *sql_lower(rhost_ctx *ctx, const char *text);

void sql_clear(MYSQL_RES **result);
#define sql_autoresult __attribute__((cleanup(sql_clear)))

#endif
