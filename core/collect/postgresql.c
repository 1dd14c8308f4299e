/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql - the store on a server of PostgreSQL: connecting, tables. */
#include "config.h"

#include "collect/postgresql.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int
find_version(const struct rh_postgresql *s, long *version, enum rh_store_fault *fault, struct rh_error *err)
{
    long tables = 0;

    *version = 0;
    if (rh_postgresql_number(s, "SELECT count(to_regclass('rhost_schema'))", &tables, fault, err) < 0)
        return -1;
    return tables ? rh_postgresql_number(s, "SELECT max(version) FROM rhost_schema", version, fault, err) : 0;
}

/* In one transaction: a program that was killed leaves the old version. */
static int
upgrade(const struct rh_postgresql *s, enum rh_store_fault *fault, struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };
    long version = 0;
    int rc = rh_postgresql_run(s, "BEGIN; " RH_POSTGRESQL_LOCK, fault, err);

    if (rc == 0)
        rc = find_version(s, &version, fault, err);
    if (rc == 0 && version == 0) {
        rh_buf_add(&sql, rh_schema_postgresql);
        rh_schema_add_views(&sql, true);
        rh_buf_addf(&sql, "INSERT INTO rhost_schema (version) VALUES (%d);\n", RH_SCHEMA);
        rc = rh_postgresql_run(s, rh_buf_text(&sql), fault, err);
    }
    if (rc == 0)
        rc = rh_postgresql_run(s, "COMMIT", fault, err);
    if (rc == 0)
        return 0;
    rh_discard(rh_postgresql_run(s, "ROLLBACK", NULL, NULL));
    return rh_error_prefix(err, "cannot make the tables");
}

/* Only those that this connection sees. */
static const char temporary[] =
    "CREATE TEMP TABLE in_report (LIKE report) ON COMMIT DELETE ROWS;"
    "ALTER TABLE in_report DROP COLUMN host_id, DROP COLUMN received, ADD COLUMN k integer, "
    "ADD COLUMN host text;"
    "CREATE TEMP TABLE in_event (LIKE event) ON COMMIT DELETE ROWS;"
    "ALTER TABLE in_event DROP COLUMN host_id, DROP COLUMN run, DROP COLUMN day, DROP COLUMN started, "
    "ADD COLUMN k integer;";

static int
prepare(const struct rh_postgresql *s, bool writes, enum rh_store_fault *fault, struct rh_error *err)
{
    long version;

    /* No lock is waited for without an end, unless PGOPTIONS or the server says for how long. */
    if (rh_postgresql_run(s,
                          "SET TimeZone = 'UTC'; SET client_min_messages = warning; "
                          "SELECT set_config('lock_timeout', '30s', false) "
                          "WHERE current_setting('lock_timeout') = '0'",
                          fault, err)
            < 0
        || find_version(s, &version, fault, err) < 0)
        return -1;
    if (rh_schema_check(version, writes, err) < 0) {
        *fault = RH_FAULT_REFUSED;
        return -1;
    }
    if (!writes)
        return 0;
    if (version < RH_SCHEMA && upgrade(s, fault, err) < 0)
        return -1;
    /* A report is removed from its folder once it was stored: what COMMIT says must be on disk. */
    return rh_postgresql_run(s, "SET synchronous_commit = on", fault, err) < 0
               ? -1
               : rh_postgresql_run(s, temporary, fault, err);
}

/* Arguments of programs can be seen by all users, and so a URL has no password. */
static int
check_url(const char *url, struct rh_error *err)
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &why);
    bool secret = false;

    if (!options) {
        PQfreemem(why); /* it may quote the URL, and so a password */
        return rh_error_set(err, RH_EINPUT, "invalid URL of a database of PostgreSQL");
    }
    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (o->val && *o->val
            && (strcmp(o->keyword, "password") == 0 || strcmp(o->keyword, "sslpassword") == 0))
            secret = true;
    PQconninfoFree(options);
    if (!secret)
        return 0;
    rh_error_set(err, RH_EINPUT, "the URL of a database must not have a password");
    return rh_error_suggest(err, NULL, "use a password file (PGPASSFILE), a service file or a certificate");
}

static void
close_store(struct rh_store *store)
{
    struct rh_postgresql *s = (struct rh_postgresql *)store;

    PQfinish(s->connection);
    rh_buf_clear(&s->reports);
    rh_buf_clear(&s->events);
    free(s->days);
    free(s);
}

static void
ignore_notice(void *data, const PGresult *result)
{
    (void)data;
    (void)result;
}

static struct rh_store *
open_store(const char *url, bool writes, enum rh_store_fault *fault, struct rh_error *err)
{
    const char *const keywords[] = { "connect_timeout",
                                     "keepalives_idle",
                                     "tcp_user_timeout",
                                     "dbname",
                                     "client_encoding",
                                     "fallback_application_name",
                                     NULL };
    const char *const values[] = { "10", "30", "60000", url, "UTF8", "rhost-collect", NULL };
    struct rh_postgresql *s;

    *fault = RH_FAULT_REFUSED;
    if (check_url(url, err) < 0)
        return NULL;
    s = rh_xalloc(sizeof *s);
    s->store.kind = &rh_store_postgresql;
    s->connection = PQconnectdbParams(keywords, values, 1);
    if (PQstatus(s->connection) != CONNECTION_OK) {
        rh_discard(rh_postgresql_fail(s, NULL, fault, err));
    } else {
        (void)PQsetNoticeReceiver(s->connection, ignore_notice, NULL);
        if (prepare(s, writes, fault, err) == 0)
            return &s->store;
    }
    rh_discard(rh_error_prefix(err, "cannot open the database"));
    close_store(&s->store);
    return NULL;
}

static int
set_silence(struct rh_store *store, unsigned seconds, enum rh_store_fault *fault, struct rh_error *err)
{
    const struct rh_postgresql *s = (const struct rh_postgresql *)store;
    rh_autobuf struct rh_buf sql = { 0 };

    rh_buf_addf(&sql, "UPDATE setting SET value = %u WHERE name = 'silent_after'", seconds);
    return rh_postgresql_run(s, rh_buf_text(&sql), fault, err);
}

const struct rh_store_kind rh_store_postgresql = {
    .open = open_store,
    .put = rh_postgresql_put,
    .retain = rh_postgresql_retain,
    .set_silence = set_silence,
    .query = rh_postgresql_query,
    .close = close_store,
};
