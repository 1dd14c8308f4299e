/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite - the store in a file of SQLite: opening, tables, retention. */
#include "config.h"

#include "collect/sqlite.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "base/trust.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT = 10000 /* ms, for another program that writes */, REMOVED_AT_ONCE = 5000 };

/* The first number that a query gives; -1 with an error. */
static int
number(const struct rh_sqlite *s, const char *sql, long *to, enum rh_store_fault *fault, struct rh_error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW)
        *to = (long)sqlite3_column_int64(statement, 0);
    if (rc != SQLITE_ROW) {
        rc = rh_sqlite_fail(s, fault, err);
        (void)sqlite3_finalize(statement);
        return rc;
    }
    (void)sqlite3_finalize(statement);
    return 0;
}

static int
find_version(const struct rh_sqlite *s, long *version, enum rh_store_fault *fault, struct rh_error *err)
{
    long tables = 0;

    *version = 0;
    if (number(s, "SELECT count(*) FROM sqlite_master WHERE name = 'rhost_schema'", &tables, fault, err) < 0)
        return -1;
    return tables ? number(s, "SELECT max(version) FROM rhost_schema", version, fault, err) : 0;
}

/* In one transaction: a program that was killed leaves the old version. */
static int
upgrade(const struct rh_sqlite *s, enum rh_store_fault *fault, struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };
    long version;

    if (rh_sqlite_run(s, "BEGIN IMMEDIATE", fault, err) < 0)
        return -1;
    if (find_version(s, &version, fault, err) < 0)
        goto undo;
    if (version == 0) {
        rh_buf_add(&sql, rh_schema_sqlite);
        rh_schema_add_views(&sql, false);
        rh_buf_addf(&sql, "INSERT INTO rhost_schema (version) VALUES (%d);\n", RH_SCHEMA);
        if (rh_sqlite_run(s, rh_buf_text(&sql), fault, err) < 0)
            goto undo;
    }
    if (rh_sqlite_run(s, "COMMIT", fault, err) == 0)
        return 0;
undo:
    (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rh_error_prefix(err, "cannot make the tables");
}

static int
prepare(struct rh_sqlite *s, bool writes, enum rh_store_fault *fault, struct rh_error *err)
{
    long version;

    (void)sqlite3_busy_timeout(s->db, WAIT);
    /* A report is removed from its folder once it was stored: what COMMIT says must be on disk. */
    if (rh_sqlite_run(s,
                      writes
                          ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF"
                          : "PRAGMA query_only = ON",
                      fault, err)
            < 0
        || find_version(s, &version, fault, err) < 0)
        return -1;
    if (rh_schema_check(version, writes, err) < 0) {
        *fault = RH_FAULT_REFUSED;
        return -1;
    }
    return writes && version < RH_SCHEMA ? upgrade(s, fault, err) : 0;
}

static void
close_store(struct rh_store *store)
{
    struct rh_sqlite *s = (struct rh_sqlite *)store;

    for (size_t i = 0; i < RH_STATEMENTS; i++)
        (void)sqlite3_finalize(s->statements[i]);
    (void)sqlite3_close(s->db);
    free(s);
}

static struct rh_store *
open_store(const char *where, bool writes, enum rh_store_fault *fault, struct rh_error *err)
{
    struct rh_sqlite *s;
    int flags = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int rc;

    *fault = RH_FAULT_REFUSED;
    /* Root does not write where another user decides which file that is. */
    if (geteuid() == 0 && writes && rh_trust_path(where, RH_TRUST_MISSING, err) < 0)
        return NULL;
    s = rh_xalloc(sizeof *s);
    s->store.kind = &rh_store_sqlite;
    rc = sqlite3_open_v2(where, &s->db, flags, NULL);
    if (rc == SQLITE_OK && prepare(s, writes, fault, err) == 0)
        return &s->store;
    if (rc != SQLITE_OK) {
        *fault = RH_FAULT_AWAY;
        rh_discard(rh_sqlite_fail(s, NULL, err));
    }
    if (sqlite3_errcode(s->db) == SQLITE_NOTADB)
        *fault = RH_FAULT_REFUSED;
    rh_discard(rh_error_prefix(err, "cannot open the database '%s'", where));
    close_store(&s->store);
    return NULL;
}

static int
retain(struct rh_store *store, unsigned seconds, size_t *removed, enum rh_store_fault *fault,
       struct rh_error *err)
{
    const struct rh_sqlite *s = (const struct rh_sqlite *)store;
    rh_autobuf struct rh_buf sql = { 0 };
    long n = 0;

    /* A part at a time, so that no transaction is large, and readers do not wait. */
    rh_buf_addf(&sql,
                "BEGIN IMMEDIATE;"
                "CREATE TEMP TABLE old AS SELECT rowid AS r, host_id, run FROM report WHERE received < "
                "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now', '-%u seconds') LIMIT %d;"
                "DELETE FROM event WHERE (host_id, run) IN (SELECT host_id, run FROM old);"
                "DELETE FROM report WHERE rowid IN (SELECT r FROM old);",
                seconds, REMOVED_AT_ONCE);
    *removed = 0;
    do {
        if (rh_sqlite_run(s, rh_buf_text(&sql), fault, err) < 0
            || number(s, "SELECT count(*) FROM old", &n, fault, err) < 0
            || rh_sqlite_run(s, "DROP TABLE old; COMMIT", fault, err) < 0) {
            (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
            return -1;
        }
        *removed += (size_t)n;
    } while (n == REMOVED_AT_ONCE);
    return 0;
}

static int
set_silence(struct rh_store *store, unsigned seconds, enum rh_store_fault *fault, struct rh_error *err)
{
    const struct rh_sqlite *s = (const struct rh_sqlite *)store;
    rh_autobuf struct rh_buf sql = { 0 };

    rh_buf_addf(&sql, "UPDATE setting SET value = %u WHERE name = 'silent_after'", seconds);
    return rh_sqlite_run(s, rh_buf_text(&sql), fault, err);
}

const struct rh_store_kind rh_store_sqlite = {
    .open = open_store,
    .put = rh_sqlite_put,
    .retain = retain,
    .set_silence = set_silence,
    .query = rh_sqlite_query,
    .close = close_store,
};
