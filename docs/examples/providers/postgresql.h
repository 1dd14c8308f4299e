/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql - connections to servers: one for each server and login, which all types share. */
#ifndef POSTGRESQL_H
#define POSTGRESQL_H

#include <rhost/keep.h>
#include <rhost/provider.h>

#include <libpq-fe.h>
#include <stdlib.h>

#define DEFAULT_SERVER "/var/run/postgresql:5432"
#define DEFAULT_ADMIN "postgres"

/* A list. */
struct link {
    struct link *next;
    PGconn *conn; /* also when the server could not be reached: then it has the reason */
    char server_and_admin[];
};

static void
drop(struct link *l)
{
    PQfinish(l->conn);
    free(l);
}

static void
drop_all(void *first)
{
    for (struct link *l = first, *next; l; l = next) {
        next = l->next;
        drop(l);
    }
}

/* The list, which the host keeps for both types until the last one is closed. */
static struct link **
links(rhost_ctx *ctx)
{
    return (struct link **)rhost_keep_shared(ctx, "links", drop_all);
}

/* "HOST:PORT" and who logs in, as the key of a connection. */
static const char *
key_of(rhost_ctx *ctx, const char *server, const rhost_value *wanted)
{
    return rhost_fmt(ctx, "%s %s", server, rhost_str_or(wanted, "admin", DEFAULT_ADMIN));
}

/* `wanted` is what the manifest says of the resource. It may be NULL, or without a login, for what only has
 * to go: then a connection of this server that is open already is taken. */
static struct link *
find_link(rhost_ctx *ctx, const char *server, const rhost_value *wanted)
{
    const char *key = key_of(ctx, server, wanted);
    size_t n = strlen(server);

    for (struct link *l = *links(ctx); l; l = l->next)
        if (rhost_has(wanted, "admin") ? strcmp(l->server_and_admin, key) == 0
                                       : strncmp(l->server_and_admin, server, n) == 0
                                             && l->server_and_admin[n] == ' ')
            return l;
    return NULL;
}

/* The library would print what the server remarks on standard error, which is the host's. */
static void
no_notice(void *unused, const char *said)
{
    (void)unused;
    (void)said;
}

/* All goes by keywords: nothing of it is in an argument list, in the environment, or in a text to be parsed.
 * A passfile that cannot be there keeps the library from looking into the home directory. */
static PGconn *
connect_to(rhost_ctx *ctx, const char *server, const rhost_value *wanted)
{
    const char *port = strrchr(server, ':');
    const char *const words[] = { "host", "port", "dbname", "user", "password", "passfile", "connect_timeout",
                                  "client_encoding", "application_name", NULL };
    const char *const values[] = { rhost_copy(ctx, server, (size_t)(port - server)),
                                   port + 1,
                                   "postgres",
                                   rhost_str_or(wanted, "admin", DEFAULT_ADMIN),
                                   rhost_str(wanted, "admin_password"),
                                   "/dev/null/none",
                                   "10",
                                   "UTF8",
                                   "rhost",
                                   NULL };

    return PQconnectdbParams(words, values, 0);
}

/* Never NULL, but of a state that is not CONNECTION_OK when the server cannot be reached; NULL without memory. */
static PGconn *
reach(rhost_ctx *ctx, const char *server, const rhost_value *wanted)
{
    struct link *l = find_link(ctx, server, wanted);
    const char *key = key_of(ctx, server, wanted);

    if (l)
        return l->conn;
    l = calloc(1, sizeof *l + strlen(key) + 1);
    if (!l)
        return NULL;
    memcpy(l->server_and_admin, key, strlen(key) + 1);
    l->conn = connect_to(ctx, server, wanted);
    if (!l->conn) {
        free(l);
        return NULL;
    }
    PQsetNoticeProcessor(l->conn, no_notice, NULL);
    l->next = *links(ctx);
    *links(ctx) = l;
    return l->conn;
}

/* What failed is tried again by the next call: the run may have started the server since. In one call it is
 * not, so that a hundred resources wait once for a server that is down. */
static void
forget_failed(rhost_ctx *ctx)
{
    struct link **at = links(ctx), *good = NULL;

    for (struct link *l = *at, *next; l; l = next) {
        next = l->next;
        if (PQstatus(l->conn) != CONNECTION_OK) {
            drop(l);
            continue;
        }
        l->next = good;
        good = l;
    }
    *at = good;
}

/* What the server or the library says, in one line. */
static const char *
one_line(rhost_ctx *ctx, const char *said)
{
    char *line = rhost_strdup(ctx, said && *said ? said : "out of memory");
    size_t n = strlen(line);

    while (n > 0 && line[n - 1] == '\n')
        line[--n] = '\0';
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    return line;
}

/* Why a connection is none. */
static const char *
unreachable(rhost_ctx *ctx, const PGconn *conn)
{
    return one_line(ctx, conn ? PQerrorMessage(conn) : NULL);
}

/* Why a statement failed: the first line alone, since others may quote the statement. */
static const char *
refused(rhost_ctx *ctx, const PGconn *conn, const PGresult *result)
{
    const char *why = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;

    return one_line(ctx, why ? why : PQerrorMessage(conn));
}

/* What the library has given to us, in memory of the call; NULL stays NULL. */
static const char *
own(rhost_ctx *ctx, char *text)
{
    const char *copy = rhost_strdup(ctx, text);

    PQfreemem(text);
    return copy;
}

/* The connection for a change, or NULL with a failure said. */
static PGconn *
connection(rhost_ctx *ctx, const struct rhost_change *change)
{
    PGconn *conn = reach(ctx, rhost_str(change->name, "server"), change->should);

    if (conn && PQstatus(conn) == CONNECTION_OK)
        return conn;
    rhost_fail(ctx, "%s", unreachable(ctx, conn));
    return NULL;
}

/* Quoted as a name, or NULL with a failure said. */
static const char *
identifier(rhost_ctx *ctx, PGconn *conn, const char *name)
{
    const char *quoted = own(ctx, PQescapeIdentifier(conn, name, strlen(name)));

    if (!quoted)
        rhost_fail(ctx, "%s", unreachable(ctx, conn));
    return quoted;
}

/* The attribute whose value does not exist on the server, by the code of the failure (SQLSTATE); or NULL. */
static const char *
missing(const PGresult *result, const char *statement)
{
    const char *code = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    int create = strncmp(statement, "CREATE DATABASE ", 16) == 0;

    if (code && strcmp(code, "42704") == 0 && (create || strncmp(statement, "ALTER DATABASE ", 15) == 0))
        return "owner";
    return code && strcmp(code, "3D000") == 0 && create ? "template" : NULL;
}

/* A statement without an answer. */
static int32_t
run(rhost_ctx *ctx, PGconn *conn, const char *statement)
{
    PGresult *result = PQexec(conn, statement);
    int32_t done = PQresultStatus(result) == PGRES_COMMAND_OK ? 0 : -1;

    if (done < 0)
        ctx->host->fail(ctx, 0, missing(result, statement),
                        rhost_fmt(ctx, "the server refuses: %s", refused(ctx, conn, result)));
    PQclear(result);
    return done;
}

#endif
