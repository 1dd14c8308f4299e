/* SPDX-License-Identifier: Apache-2.0 */
/* connection - connections are kept from call to call, one for each server, login and database. The library
 * never waits by itself, so that a server that does not answer is given up after the time that the manifest
 * grants. */

#include "connection.h"

#include <rhost/keep.h>
#include <rhost/path.h>

#include <openssl/crypto.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nothing is there: the library must not look into the home directory. */
#define NO_FILE "/dev/null/none"

enum { OLDEST = 120000, GRACE = 5, SLICE = 200 };

static void
drop(struct pg *pg)
{
    PQfinish(pg->conn);
    free(pg);
}

static void
drop_all(void *first)
{
    for (struct pg *pg = first, *next; pg; pg = next) {
        next = pg->next;
        drop(pg);
    }
}

/* What the library prints on standard error otherwise. */
static void
no_notice(void *unused, const char *text)
{
    (void)unused;
    (void)text;
}

static const char *
one_line(rhost_ctx *ctx, const char *text)
{
    char *line = rhost_strdup(ctx, text && *text ? text : "out of memory");
    size_t n = strlen(line);

    while (n > 0 && line[n - 1] == '\n')
        line[--n] = '\0';
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t' || *c == '\r')
            *c = ' ';
    return line;
}

const char *
pg_reason(rhost_ctx *ctx, const struct pg *pg)
{
    return one_line(ctx, PQerrorMessage(pg->conn));
}

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
may_take(rhost_ctx *ctx, int seconds)
{
    if (RHOST_HAS(ctx, busy))
        ctx->host->busy(ctx, seconds, NULL);
}

/* Waits until the socket is ready for `events`: 1; 0 after the time. */
static int
wait_for_socket(PGconn *conn, short events, double until)
{
    struct pollfd p = { .fd = PQsocket(conn), .events = events };

    for (;;) {
        double left = until - now();

        if (left <= 0)
            return 0;
        if (poll(&p, 1, left * 1000 < SLICE ? (int)(left * 1000) + 1 : SLICE) > 0)
            return 1;
    }
}

/* Goes on with a login until it has worked or failed: 0; -1 with a failure said when it took too long. */
static int32_t
finish_login(rhost_ctx *ctx, PGconn *conn, int timeout)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    double until = now() + timeout;

    while (PQstatus(conn) != CONNECTION_BAD && state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        double end = now() + (double)SLICE / 1000;

        if (rhost_stopping(ctx))
            return rhost_fail(ctx, "the login was interrupted");
        if (now() >= until)
            return rhost_fail(ctx, "timed out: the server did not complete the login within %d s", timeout);
        if (wait_for_socket(conn, state == PGRES_POLLING_READING ? POLLIN : POLLOUT,
                            end < until ? end : until))
            state = PQconnectPoll(conn);
    }
    return 0;
}

/* By keywords: nothing of it is in arguments, in the environment, or in a text that is parsed. */
static PGconn *
start_login(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database)
{
    const char *host = rhost_str_or(name, "host", ""), *ca = rhost_str(should, "ca_certificate");
    const char *const words[] = {
        "host",        "port",    "dbname", "user",   "password",   "passfile",        "sslmode",
        "sslrootcert", "sslcert", "sslkey", "sslcrl", "gssencmode", "client_encoding", "application_name",
        NULL
    };
    const char *const values[] = { *host ? host : rhost_str_or(name, "socket", PG_SOCKET),
                                   rhost_fmt(ctx, "%lld", (long long)rhost_int(name, "port", 5432)),
                                   database,
                                   rhost_str_or(should, "login_user", PG_LOGIN_USER),
                                   rhost_str(should, "login_password"),
                                   NO_FILE,
                                   ca ? "verify-full" : "prefer",
                                   ca ? ca : NO_FILE,
                                   NO_FILE,
                                   NO_FILE,
                                   NO_FILE,
                                   "disable",
                                   "UTF8",
                                   "rhost",
                                   NULL };

    return PQconnectStartParams(words, values, 0);
}

/* The account that the server knows us by, where root logs in by a socket without a password; 0: no other
 * one. */
static uid_t
peer(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    int64_t id;

    if (geteuid() != 0 || *rhost_str_or(name, "host", "") || rhost_has(should, "login_password"))
        return 0;
    id = rhost_look_up_id(ctx, 0, rhost_str_or(should, "login_user", PG_LOGIN_USER));
    return id > 0 ? (uid_t)id : 0;
}

/* The server asks the kernel who has connected (peer authentication): the effective user at that time. The
 * real and the saved user stay root, so that nobody else can reach into the process. */
static int32_t
log_in(rhost_ctx *ctx, struct pg *pg, const rhost_value *name, const rhost_value *should,
       const char *database)
{
    uid_t uid = peer(ctx, name, should);
    int32_t result;

    if (uid && seteuid(uid) < 0)
        return rhost_fail_errno(ctx, "cannot act as user '%s'",
                                rhost_str_or(should, "login_user", PG_LOGIN_USER));
    pg->conn = start_login(ctx, name, should, database);
    result = pg->conn ? finish_login(ctx, pg->conn, pg->timeout) : 0;
    if (uid && seteuid(0) < 0)
        return rhost_fail_errno(ctx, "cannot act as root again");
    return result;
}

/* Names in statements mean what the server comes with: search_path could lead to what the owner of a database
 * has made. What waits for a lock ends first, as the reason is told then. */
static int32_t
set_up(rhost_ctx *ctx, struct pg *pg)
{
    const char *const parameters[] = { rhost_fmt(ctx, "%lld", (long long)pg->timeout * 1000),
                                       rhost_fmt(ctx, "%lld", (long long)(pg->timeout + 1) * 1000) };
    pg_autoresult PGresult *rows = NULL;

    PQsetNoticeProcessor(pg->conn, no_notice, NULL);
    if (PQserverVersion(pg->conn) < OLDEST)
        return rhost_fail(ctx, "the server is PostgreSQL %d, and 12 or newer is needed",
                          PQserverVersion(pg->conn) / 10000);
    rows = pg_query(ctx, pg, NULL,
                    "SELECT pg_catalog.set_config('search_path', '', false),"
                    " pg_catalog.set_config('lock_timeout', $1::text, false),"
                    " pg_catalog.set_config('statement_timeout', $2::text, false)",
                    2, parameters);
    return rows ? 0 : -1;
}

/* Fails for the reason that the library gives. What does not exist yet may be made by the run. */
static void
fail_login(rhost_ctx *ctx, const struct pg *pg, const rhost_value *name)
{
    const char *path = rhost_fmt(ctx, "%s/.s.PGSQL.%lld", rhost_str_or(name, "socket", PG_SOCKET),
                                 (long long)rhost_int(name, "port", 5432));
    struct stat st;
    int missing =
        !*rhost_str_or(name, "host", "") && rhost_path_stat(ctx, path, 0, &st) < 0 && errno == ENOENT;

    ctx->host->fail(ctx, missing ? RHOST_MISSING : 0, NULL, pg_reason(ctx, pg));
}

static struct pg *
make(rhost_ctx *ctx, const char *key, const rhost_value *name, const rhost_value *should,
     const char *database)
{
    struct pg *pg = calloc(1, sizeof *pg + strlen(key) + 1);

    if (!pg) {
        rhost_fail_errno(ctx, "cannot connect");
        return NULL;
    }
    memcpy(pg->key, key, strlen(key) + 1);
    pg->timeout = (int)rhost_int(should, "timeout", 60);
    may_take(ctx, pg->timeout + GRACE);
    if (log_in(ctx, pg, name, should, database) == 0) {
        if (!pg->conn)
            rhost_fail(ctx, "cannot connect: out of memory");
        else if (PQstatus(pg->conn) != CONNECTION_OK)
            fail_login(ctx, pg, name);
        else if (set_up(ctx, pg) == 0)
            return pg;
    }
    drop(pg);
    return NULL;
}

/* Whether the connection still serves: a server that was restarted has closed it. */
static int
is_alive(struct pg *pg, const rhost_value *should)
{
    const char *password = rhost_str_or(should, "login_password", "");

    return PQstatus(pg->conn) == CONNECTION_OK && PQconsumeInput(pg->conn)
           && PQtransactionStatus(pg->conn) == PQTRANS_IDLE && strcmp(PQpass(pg->conn), password) == 0
           && pg->timeout == rhost_int(should, "timeout", 60);
}

static const char *
key_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database)
{
    return rhost_fmt(ctx, "%s\n%s\n%lld\n%s\n%s\n%s", rhost_str_or(name, "host", ""),
                     rhost_str_or(name, "socket", PG_SOCKET), (long long)rhost_int(name, "port", 5432),
                     rhost_str_or(should, "login_user", PG_LOGIN_USER),
                     rhost_str_or(should, "ca_certificate", ""), database);
}

/* A connection that is there already, or NULL. */
static struct pg *
reuse(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database)
{
    const char *key = key_of(ctx, name, should, database);
    struct pg **at = (struct pg **)rhost_keep_word(ctx, "connections", drop_all), *pg;

    while (at && *at && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    pg = at ? *at : NULL;
    if (!pg || is_alive(pg, should))
        return pg;
    *at = pg->next;
    drop(pg);
    return NULL;
}

struct pg *
pg_connect(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database)
{
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)) {
        rhost_fail(ctx, "cannot use libcrypto");
        return NULL;
    }
    return make(ctx, key_of(ctx, name, should, database), name, should, database);
}

void
pg_close(struct pg **pg)
{
    if (*pg)
        drop(*pg);
    *pg = NULL;
}

struct pg *
pg_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const char *database)
{
    struct pg **first = (struct pg **)rhost_keep_word(ctx, "connections", drop_all);
    struct pg *pg = first ? reuse(ctx, name, should, database) : NULL;

    if (pg)
        return pg;
    if (!first) {
        rhost_fail(ctx, "this host keeps no connections");
        return NULL;
    }
    pg = pg_connect(ctx, name, should, database);
    if (pg) {
        pg->next = *first;
        *first = pg;
    }
    return pg;
}

/* The last result, once it has come: NULL when the connection is lost, or (*late) when it took too long. */
static PGresult *
await(struct pg *pg, int *late)
{
    double until = now() + pg->timeout + GRACE;
    PGresult *last = NULL;

    for (;;) {
        PGresult *next;

        while (PQisBusy(pg->conn)) {
            if (!wait_for_socket(pg->conn, POLLIN, until)) {
                *late = 1;
                PQclear(last);
                return NULL;
            }
            if (!PQconsumeInput(pg->conn))
                break;
        }
        next = PQgetResult(pg->conn);
        if (!next)
            return last;
        PQclear(last);
        last = next;
        if (PQstatus(pg->conn) == CONNECTION_BAD)
            return last;
    }
}

/* The server's reason. Its detail only where that says what is in the way: others may quote values. */
static const char *
refusal(rhost_ctx *ctx, const struct pg *pg, const PGresult *result)
{
    const char *why = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const char *code = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *detail = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL) : NULL;

    if (!why)
        return pg_reason(ctx, pg);
    if (detail && code && (strcmp(code, "2BP01") == 0 || strcmp(code, "55006") == 0))
        why = rhost_fmt(ctx, "%s: %s", why, detail);
    return one_line(ctx, why);
}

PGresult *
pg_query(rhost_ctx *ctx, struct pg *pg, const char *attribute, const char *sql, int n,
         const char *const *parameters)
{
    PGresult *result = NULL;
    int late = 0;

    may_take(ctx, pg->timeout + 2 * GRACE);
    if (PQsendQueryParams(pg->conn, sql, n, NULL, parameters, NULL, NULL, 0))
        result = await(pg, &late);
    if (PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK)
        return result;
    if (late)
        ctx->host->fail(
            ctx, 0, attribute,
            rhost_fmt(ctx, "timed out: the server did not answer within %d s", pg->timeout + GRACE));
    else
        ctx->host->fail(ctx, 0, attribute,
                        rhost_fmt(ctx, "the server refuses: %s", refusal(ctx, pg, result)));
    PQclear(result);
    return NULL;
}

void
pg_roll_back(struct pg *pg)
{
    int late = 0;

    if (PQstatus(pg->conn) == CONNECTION_OK && PQsendQuery(pg->conn, "ROLLBACK"))
        PQclear(await(pg, &late));
}
