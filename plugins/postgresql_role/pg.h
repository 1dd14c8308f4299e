/* SPDX-License-Identifier: Apache-2.0 */
/* pg - connections to PostgreSQL servers, and statements, for all postgresql_* types. */
#ifndef PG_H
#define PG_H

#include <rhost/posix.h>
#include <rhost/provider.h>

#include <libpq-fe.h>

#define PG_SOCKET "/run/postgresql"
#define PG_LOGIN_USER "postgres"
#define PG_LOGIN_DATABASE "postgres"
#define PG_NAME "Pattern[/\\A[^\\x00-\\x1f\\x7f]{1,63}\\z/]"

/* Which server: namevars that all types have. */
#define PG_SERVER_ATTRS                                                                                      \
    { .name = "host",                                                                                        \
      .type = "Pattern[/\\A([A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?)?\\z/]",                          \
      .behaviour = RHOST_NAMEVAR,                                                                            \
      .default_value = "\"\"",                                                                               \
      .desc = "Name or address of the server; empty: it is reached by its socket." },                        \
        { .name = "socket",                                                                                  \
          .type = RHOST_TYPE_PATH,                                                                           \
          .behaviour = RHOST_NAMEVAR,                                                                        \
          .default_value = "\"" PG_SOCKET "\"",                                                              \
          .desc = "The directory that the socket of the server is in." },                                    \
    {                                                                                                        \
        .name = "port", .type = "Variant[Integer[1, 65535], Pattern[/\\A[1-9][0-9]{0,4}\\z/]]",              \
        .behaviour = RHOST_NAMEVAR, .default_value = "5432",                                                 \
        .desc = "The port, which the socket has as well."                                                    \
    }

/* How to log in: parameters that all types have. */
#define PG_LOGIN_ATTRS                                                                                       \
    { .name = "login_user",                                                                                  \
      .type = PG_NAME,                                                                                       \
      .behaviour = RHOST_PARAMETER,                                                                          \
      .default_value = "\"" PG_LOGIN_USER "\"",                                                              \
      .desc = "The role that logs in." },                                                                    \
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

#define PG_LOGIN_DATABASE_ATTR                                                                               \
    {                                                                                                        \
        .name = "login_database", .type = PG_NAME, .behaviour = RHOST_PARAMETER,                             \
        .default_value = "\"" PG_LOGIN_DATABASE "\"", .desc = "The database to log in to."                   \
    }

#define PG_NEEDS                                                                                             \
    "user[$login_user] unless $host unless $login_password",                                                 \
        "capability[setuid] unless $host unless $login_password",                                            \
        "socket[$socket/.s.PGSQL.$port] unless $host", "network[tcp:$port] if $host",                        \
        "network[udp] if $host", "network[tcp:53] if $host", "read[/etc/resolv.conf] if $host",              \
        "read[/etc/hosts] if $host", "read[/etc/host.conf] if $host", "read[/etc/gai.conf] if $host",        \
        "read[$ca_certificate]"

#define PG_RELATIONS                                                                                         \
    "autorequire package[postgresql]", "autorequire service[postgresql]", "autorequire file[$ca_certificate]"

/* Relations to a role or a database of the same server. */
#define PG_SAME "host: $host, socket: $socket, port: $port, "

/* What a title may begin with: "db.example.org:5432: " or "/run/postgresql:5433: ". */
#define PG_TITLE_SERVER "(((?<host>[A-Za-z0-9.-]+)|(?<socket>\\/[^:\\n]*)):(?<port>[0-9]+): )?"

struct pg;

/* One writing of each server; and what no data type says of it. */
void pg_canonicalize(rhost_ctx *ctx, rhost_value *resource);
int32_t pg_validate(rhost_ctx *ctx, const rhost_value *resource);

/* The server would cut a longer name, and take it for another one. */
int32_t pg_validate_name(rhost_ctx *ctx, const rhost_value *resource, const char *attribute);

/* A connection to this database of the server that `name` says, which is kept for later calls; NULL with a
 * failure said. `should` may be NULL. */
struct pg *pg_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database);

/* The one of login_database. */
struct pg *pg_open_login(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should);

/* The one of the usual server and login of this machine, for a list, in *to. 0: it is there; RHOST_ABSENT:
 * this machine has no such server; -1 with a failure said. */
int32_t pg_open_for_list(rhost_ctx *ctx, const char *database, struct pg **to);

/* The same, but not kept: as long as it is there, the database can neither be removed nor copied. */
struct pg *pg_connect(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
                      const char *database);
void pg_close(struct pg **pg);
#define pg_autoclose __attribute__((cleanup(pg_close)))

/* One to the attribute `database`, as pg_connect(), in *to: 0; RHOST_ABSENT: the server has no such database;
 * -1 with a failure said. Under noop, a database that the run may create is a failure, as what it will have
 * is not known. */
int32_t pg_open_database(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct pg **to);

/* Calls `fn` in each database of the usual server of this machine that can be connected to, for a list. */
int32_t pg_each_database(rhost_ctx *ctx, int32_t (*fn)(rhost_ctx *ctx, struct pg *pg, const char *database));

/* The result of a statement with parameters $1, ..., or NULL with a failure said, which is about `attribute`
 * (NULL: about none). */
PGresult *pg_query(rhost_ctx *ctx, struct pg *pg, const char *attribute, const char *sql, int n,
                   const char *const *parameters);

/* The same without a result. */
int32_t pg_run(rhost_ctx *ctx, struct pg *pg, const char *attribute, const char *sql);

/* Whether a query finds something for $1: 1, 0, or -1 with a failure said. */
int pg_finds(rhost_ctx *ctx, struct pg *pg, const char *sql, const char *parameter);

/* Begins a transaction, and ends it: by COMMIT if `result` is 0, otherwise by ROLLBACK. */
int32_t pg_begin(rhost_ctx *ctx, struct pg *pg);
int32_t pg_end(rhost_ctx *ctx, struct pg *pg, int32_t result);

/* Of the server: 150004 is 15.4. */
int pg_version(const struct pg *pg);

/* Quoted as an identifier, or as a literal, in memory of the call; NULL with a failure said. */
const char *pg_name(rhost_ctx *ctx, struct pg *pg, const char *name);
const char *pg_literal(rhost_ctx *ctx, struct pg *pg, const char *text);

/* The server does not log the text of the statements that follow in this transaction, where the login may
 * decide that. */
int32_t pg_keep_from_log(rhost_ctx *ctx, struct pg *pg);

/* The text of a field, or NULL. */
const char *pg_field(const PGresult *rows, int row, int column);

/* The namevars of the server, for a resource that is listed. */
void pg_put_server(rhost_value *one);

/* This title, unless it could be read as that of something on another server. */
void pg_put_title(rhost_value *one, const char *title);

void pg_clear(PGresult **result);
#define pg_autoresult __attribute__((cleanup(pg_clear)))

#endif
