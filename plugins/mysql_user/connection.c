/* SPDX-License-Identifier: Apache-2.0 */
/* connection - connections are kept from call to call, one for each server and login. The library reads no
 * option file, sends no file that a server asks for, and answers no method of authentication that gives the
 * password to a server that nobody has checked. */

#include "connection.h"

#include <rhost/keep.h>
#include <rhost/path.h>

#include <errmsg.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <time.h>

/* Of these, the server gets a proof. By the two others it gets the password itself: through TLS, or encrypted
 * with a key that the server sends. */
#define PROOFS "mysql_native_password,client_ed25519"
#define METHODS PROOFS ",caching_sha2_password,sha256_password"
#define NO_TLS "does not support it"

enum {
    OLDEST_MARIADB = 100400,
    OLDEST_MYSQL = 80000,
    PARSE_ERROR = 1064,
    STATEMENT_TIME = 1969,
    MOST_ERRNO = 200
};

static void
drop(struct sql *sql)
{
    if (sql->conn)
        mysql_close(sql->conn);
    free(sql);
}

static void
drop_all(void *first)
{
    for (struct sql *sql = first, *next; sql; sql = next) {
        next = sql->next;
        drop(sql);
    }
}

double
sql_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
sql_may_take(rhost_ctx *ctx, int seconds)
{
    if (RHOST_HAS(ctx, busy))
        ctx->host->busy(ctx, seconds, NULL);
}

static const char *
one_line(rhost_ctx *ctx, const char *text)
{
    char *line = rhost_strdup(ctx, text && *text ? text : "out of memory");

    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return line;
}

/* A syntax error quotes the statement, which may have what the server keeps of a password. */
const char *
sql_reason(rhost_ctx *ctx, const struct sql *sql, double seconds)
{
    unsigned number = mysql_errno(sql->conn);

    if ((number == CR_SERVER_LOST || number == CR_SERVER_GONE_ERROR) && seconds >= sql->timeout)
        return rhost_fmt(ctx, "timed out: the server did not answer within %d s", sql->timeout);
    if (number == CR_SERVER_LOST || number == CR_SERVER_GONE_ERROR)
        return rhost_fmt(ctx, "the connection was closed: %s", one_line(ctx, mysql_error(sql->conn)));
    if (number == STATEMENT_TIME)
        return rhost_fmt(
            ctx,
            "timed out: the server did not complete the statement within %d s, which may wait for"
            " a lock",
            sql->timeout);
    if (number == PARSE_ERROR)
        return "the server refuses: it does not know the syntax of the statement (error 1064)";
    return rhost_fmt(ctx, "the server refuses: %s", one_line(ctx, mysql_error(sql->conn)));
}

/* "Can't connect to ... (13)": what the number means. Of a port that refuses, the library knows but that the
 * connection was begun. */
static const char *
connect_reason(rhost_ctx *ctx, const struct sql *sql, const rhost_value *name, const rhost_value *should,
               double seconds)
{
    unsigned number = mysql_errno(sql->conn);
    const char *host = rhost_str_or(name, "host", ""), *text = mysql_error(sql->conn);
    const char *paren = strrchr(text, '('), *why;
    long error = paren ? strtol(paren + 1, NULL, 10) : 0;
    int connecting = number == CR_CONNECTION_ERROR || number == CR_CONN_HOST_ERROR;

    if ((connecting || number == CR_SERVER_LOST) && seconds >= sql->timeout)
        return rhost_fmt(ctx, "timed out: the server did not complete the login within %d s", sql->timeout);
    if (number == CR_PLUGIN_NOT_ALLOWED && *host && !rhost_has(should, "ca_certificate")
        && strstr(text, "sha"))
        return rhost_fmt(ctx,
                         "cannot log in as '%s': its login needs 'ca_certificate', as the server gets the"
                         " password itself",
                         rhost_str_or(should, "login_user", SQL_LOGIN_USER));
    if (!connecting || error <= 0 || error >= MOST_ERRNO)
        return rhost_fmt(ctx, "cannot log in: %s", one_line(ctx, text));
    why = error == EINPROGRESS ? "the connection is refused, or the host cannot be reached"
                               : strerror((int)error);
    return *host
               ? rhost_fmt(ctx, "cannot connect to '%s', port %lld: %s", host,
                           (long long)rhost_int(name, "port", SQL_PORT), why)
               : rhost_fmt(ctx, "cannot connect to '%s': %s", rhost_str_or(name, "socket", SQL_SOCKET), why);
}

/* Of the library, what the server could abuse is off. `tls`: 0 never; 1 only with TLS. `local`: by a socket
 * of this machine. */
static int
prepare(struct sql *sql, const rhost_value *should, int local, int tls)
{
    const char *ca = rhost_str(should, "ca_certificate");
    unsigned timeout = (unsigned)sql->timeout, answer = timeout + SQL_GRACE;
    my_bool off = 0, enforce = (my_bool)tls, verify = ca != NULL;
    unsigned int no_file = 0;
    int checked = local || ca;

    return mysql_optionsv(sql->conn, MYSQL_OPT_CONNECT_TIMEOUT, &timeout) == 0
           && mysql_optionsv(sql->conn, MYSQL_OPT_READ_TIMEOUT, &answer) == 0
           && mysql_optionsv(sql->conn, MYSQL_OPT_WRITE_TIMEOUT, &answer) == 0
           && mysql_optionsv(sql->conn, MYSQL_OPT_LOCAL_INFILE, &no_file) == 0
           && mysql_optionsv(sql->conn, MYSQL_OPT_RECONNECT, &off) == 0
           && mysql_optionsv(sql->conn, MARIADB_OPT_RESTRICTED_AUTH, checked ? METHODS : PROOFS) == 0
           && mysql_optionsv(sql->conn, MYSQL_SET_CHARSET_NAME, "utf8mb4") == 0
           && (!ca || mysql_optionsv(sql->conn, MYSQL_OPT_SSL_CA, ca) == 0)
           && mysql_optionsv(sql->conn, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify) == 0
           && mysql_optionsv(sql->conn, MYSQL_OPT_SSL_ENFORCE, &enforce) == 0;
}

static int
connect_once(struct sql *sql, const rhost_value *name, const rhost_value *should, int tls)
{
    const char *host = rhost_str_or(name, "host", "");
    unsigned protocol = *host ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;

    if (sql->conn)
        mysql_close(sql->conn);
    sql->conn = mysql_init(NULL);
    return sql->conn && prepare(sql, should, !*host, tls)
           && mysql_optionsv(sql->conn, MYSQL_OPT_PROTOCOL, &protocol) == 0
           && mysql_real_connect(
               sql->conn, *host ? host : NULL, rhost_str_or(should, "login_user", SQL_LOGIN_USER),
               rhost_str_or(should, "login_password", ""), NULL, (unsigned)rhost_int(name, "port", SQL_PORT),
               *host ? NULL : rhost_str_or(name, "socket", SQL_SOCKET), 0);
}

/* What does not exist yet may be made by the run. */
static void
fail_login(rhost_ctx *ctx, const struct sql *sql, const rhost_value *name, const rhost_value *should,
           double seconds)
{
    struct stat st;
    int missing = !*rhost_str_or(name, "host", "")
                  && rhost_path_stat(ctx, rhost_str_or(name, "socket", SQL_SOCKET), 0, &st) < 0
                  && errno == ENOENT;

    if (!sql->conn)
        rhost_fail(ctx, "cannot connect: out of memory");
    else
        ctx->host->fail(ctx, missing ? RHOST_MISSING : 0, NULL,
                        connect_reason(ctx, sql, name, should, seconds));
}

/* Servers may skip the character set of the login, and literals are quoted as this one needs it. Statements
 * mean the same on each server; what waits for a lock ends first, as the reason is told then. */
static int32_t
set_up(rhost_ctx *ctx, struct sql *sql)
{
    unsigned long version = mysql_get_server_version(sql->conn);
    double begin = sql_now();

    if (mysql_set_character_set(sql->conn, "utf8mb4") != 0)
        return rhost_fail(ctx, "cannot set the character set of the connection to utf8mb4: %s",
                          sql_reason(ctx, sql, sql_now() - begin));
    if (version < (sql_is_mariadb(sql) ? OLDEST_MARIADB : OLDEST_MYSQL))
        return rhost_fail(ctx, "the server is %s, and MariaDB 10.4, MySQL 8.0 or newer is needed",
                          sql_server(ctx, sql));
    if (sql_is_mariadb(sql))
        return sql_run(ctx, sql, NULL,
                       rhost_fmt(ctx,
                                 "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_CREATE_USER',"
                                 " lock_wait_timeout = %d, innodb_lock_wait_timeout = %d,"
                                 " max_statement_time = %d, lc_messages = 'en_US'",
                                 sql->timeout, sql->timeout, sql->timeout + 1));
    return sql_run(ctx, sql, NULL,
                   rhost_fmt(ctx,
                             "SET SESSION sql_mode = 'STRICT_ALL_TABLES', lock_wait_timeout = %d,"
                             " innodb_lock_wait_timeout = %d, lc_messages = 'en_US'",
                             sql->timeout, sql->timeout));
}

/* A server at `host` without TLS is taken as it is, unless the manifest wants to know which one it is. */
static struct sql *
make(rhost_ctx *ctx, const char *key, const rhost_value *name, const rhost_value *should)
{
    struct sql *sql = calloc(1, sizeof *sql + strlen(key) + 1);
    double begin = sql_now();
    int tls = *rhost_str_or(name, "host", "") != '\0', done;

    if (!sql) {
        rhost_fail_errno(ctx, "cannot connect");
        return NULL;
    }
    memcpy(sql->key, key, strlen(key) + 1);
    sql->timeout = (int)rhost_int(should, "timeout", 60);
    sql_may_take(ctx, 2 * (sql->timeout + SQL_GRACE));
    done = connect_once(sql, name, should, tls);
    if (!done && tls && !rhost_has(should, "ca_certificate") && sql->conn
        && mysql_errno(sql->conn) == CR_SSL_CONNECTION_ERROR && strstr(mysql_error(sql->conn), NO_TLS))
        done = connect_once(sql, name, should, 0);
    if (!done)
        fail_login(ctx, sql, name, should, sql_now() - begin);
    else if (set_up(ctx, sql) == 0)
        return sql;
    drop(sql);
    return NULL;
}

/* Whether the connection still serves: a server that was restarted has closed it. */
static int
is_alive(struct sql *sql, const rhost_value *should)
{
    return strcmp(sql->conn->passwd ? sql->conn->passwd : "", rhost_str_or(should, "login_password", "")) == 0
           && sql->timeout == rhost_int(should, "timeout", 60) && mysql_ping(sql->conn) == 0;
}

static const char *
key_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    return rhost_fmt(ctx, "%s\n%s\n%lld\n%s\n%s", rhost_str_or(name, "host", ""),
                     rhost_str_or(name, "socket", SQL_SOCKET), (long long)rhost_int(name, "port", SQL_PORT),
                     rhost_str_or(should, "login_user", SQL_LOGIN_USER),
                     rhost_str_or(should, "ca_certificate", ""));
}

/* A connection that is there already, or NULL. */
static struct sql *
reuse(struct sql **at, const char *key, const rhost_value *should)
{
    struct sql *sql;

    while (*at && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    sql = *at;
    if (!sql || is_alive(sql, should))
        return sql;
    *at = sql->next;
    drop(sql);
    return NULL;
}

struct sql *
sql_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    struct sql **first = (struct sql **)rhost_keep_word(ctx, "connections", drop_all), *sql;
    const char *key = key_of(ctx, name, should);

    if (!first) {
        rhost_fail(ctx, "this host keeps no connections");
        return NULL;
    }
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)) {
        rhost_fail(ctx, "cannot use libcrypto");
        return NULL;
    }
    sql = reuse(first, key, should);
    if (sql)
        return sql;
    sql = make(ctx, key, name, should);
    if (sql) {
        sql->next = *first;
        *first = sql;
    }
    return sql;
}
