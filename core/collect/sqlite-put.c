/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite-put - a batch of reports in one transaction of prepared statements. */
#include "config.h"

#include "collect/sqlite.h"

#include "base/error.h"
#include "collect/record.h"

#include <string.h>

static const char *const sql[RH_STATEMENTS] = {
    [RH_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [RH_SQL_COMMIT] = "COMMIT",
    [RH_SQL_ROLLBACK] = "ROLLBACK",
    [RH_SQL_ADD_HOST] = "INSERT INTO host (host) VALUES (?) ON CONFLICT DO NOTHING",
    [RH_SQL_FIND_HOST] = "SELECT id FROM host WHERE host = ?",
    [RH_SQL_ADD_REPORT] =
        "INSERT INTO report (host_id, run, day, seq, machine_id, name, rhost, revision, undoes, rolls_back, "
        "noop, status, exit, started, ended, seconds, interrupted, events, total, unchanged, changed, "
        "refreshed, failed, skipped, would_change, would_refresh, unknown, ignored, excluded, not_reached) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
    [RH_SQL_ADD_EVENT] =
        "INSERT INTO event (host_id, run, n, day, started, kind, status, type, title, action, provider, "
        "cause, code, message, changes, file, line, seconds) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [RH_SQL_SEE_HOST] = "UPDATE host SET seen = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = ?",
    /* A report that came late does not hide a newer one, and a dry run no run. One of a clock that was ahead
       does not count as newer. */
    [RH_SQL_UPDATE_HOST] =
        "UPDATE host SET run = r.run, day = r.day, seq = "
        "r.seq, "
        "machine_id = r.machine_id, name = r.name, rhost = r.rhost, revision = r.revision, noop = r.noop, "
        "status = r.status, started = r.started, seconds = r.seconds, total = r.total, changed = r.changed, "
        "would_change = r.would_change, failed = r.failed, skipped = r.skipped "
        "FROM report r WHERE host.id = ?1 AND r.host_id = ?1 AND r.run = ?2 "
        "AND (r.noop = 0 OR host.noop IS NULL OR host.noop = 1) "
        "AND (host.started IS NULL OR (host.noop = 1 AND r.noop = 0) OR r.started > host.started "
        "OR (r.started = host.started AND coalesce(r.seq >= host.seq, 1)) OR r.seq > host.seq "
        "OR host.started > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 hour'))",
};

static sqlite3_stmt *
statement(struct rh_sqlite *s, enum rh_statement which)
{
    if (!s->statements[which]
        && sqlite3_prepare_v3(s->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT, &s->statements[which], NULL)
               != SQLITE_OK)
        return NULL;
    (void)sqlite3_reset(s->statements[which]);
    return s->statements[which];
}

/* Runs one without results, whose values are bound. */
static int
step(struct rh_sqlite *s, sqlite3_stmt *st, enum rh_store_fault *fault, struct rh_error *err)
{
    if (st && sqlite3_step(st) == SQLITE_DONE)
        return 0;
    rh_discard(rh_sqlite_fail(s, fault, err));
    if (st)
        (void)sqlite3_reset(st);
    return -1;
}

/* The values of one statement, in their order. What cannot be bound is seen when it is run: it is too large,
 * or memory is short, and both fail the statement as well. */
struct binding {
    sqlite3_stmt *st;
    int i, rc;
};

static void
text(struct binding *b, const char *value)
{
    int rc =
        value ? sqlite3_bind_text(b->st, ++b->i, value, -1, SQLITE_STATIC) : sqlite3_bind_null(b->st, ++b->i);

    if (rc != SQLITE_OK)
        b->rc = rc;
}

static void
number(struct binding *b, int64_t value)
{
    int rc = sqlite3_bind_int64(b->st, ++b->i, value);

    if (rc != SQLITE_OK)
        b->rc = rc;
}

static void
number_or_null(struct binding *b, int64_t value)
{
    if (value)
        number(b, value);
    else
        text(b, NULL);
}

static void
seconds(struct binding *b, double value)
{
    int rc = value < 0 ? sqlite3_bind_null(b->st, ++b->i) : sqlite3_bind_double(b->st, ++b->i, value);

    if (rc != SQLITE_OK)
        b->rc = rc;
}

static int
run_bound(struct rh_sqlite *s, const struct binding *b, enum rh_store_fault *fault, struct rh_error *err)
{
    if (b->st && b->rc == SQLITE_OK)
        return step(s, b->st, fault, err);
    return rh_sqlite_fail(s, fault, err);
}

static int
find_host(struct rh_sqlite *s, const char *host, int64_t *id, enum rh_store_fault *fault,
          struct rh_error *err)
{
    struct binding add = { .st = statement(s, RH_SQL_ADD_HOST) };
    struct binding find = { .st = statement(s, RH_SQL_FIND_HOST) };

    if (!add.st || !find.st)
        return rh_sqlite_fail(s, fault, err);
    text(&find, host);
    if (sqlite3_step(find.st) != SQLITE_ROW) {
        (void)sqlite3_reset(find.st);
        text(&add, host);
        if (run_bound(s, &add, fault, err) < 0)
            return -1;
        if (sqlite3_step(find.st) != SQLITE_ROW)
            return rh_sqlite_fail(s, fault, err);
    }
    *id = sqlite3_column_int64(find.st, 0);
    (void)sqlite3_reset(find.st);
    return 0;
}

static int
add_report(struct rh_sqlite *s, int64_t host, const struct rh_record *r, enum rh_store_fault *fault,
           struct rh_error *err)
{
    struct binding b = { .st = statement(s, RH_SQL_ADD_REPORT) };

    number(&b, host);
    text(&b, r->run);
    text(&b, r->day);
    number_or_null(&b, r->seq);
    text(&b, r->machine_id);
    text(&b, r->name);
    text(&b, r->rhost);
    text(&b, r->revision);
    text(&b, r->undoes);
    text(&b, r->rolls_back);
    number(&b, r->noop);
    text(&b, r->status);
    number(&b, r->exit);
    text(&b, r->started);
    text(&b, r->ended);
    seconds(&b, r->seconds);
    text(&b, r->interrupted);
    number(&b, (int64_t)r->n_events);
    for (size_t i = 0; i < RH_COUNTS; i++)
        number(&b, r->counts[i]);
    return run_bound(s, &b, fault, err);
}

static int
add_event(struct rh_sqlite *s, int64_t host, const struct rh_record *r, size_t i, enum rh_store_fault *fault,
          struct rh_error *err)
{
    const struct rh_record_event *e = &r->events[i];
    struct binding b = { .st = statement(s, RH_SQL_ADD_EVENT) };

    number(&b, host);
    text(&b, r->run);
    number(&b, (int64_t)i);
    text(&b, r->day);
    text(&b, r->started);
    text(&b, e->kind);
    text(&b, e->status);
    text(&b, e->type);
    text(&b, e->title);
    text(&b, e->action);
    text(&b, e->provider);
    text(&b, e->cause);
    text(&b, e->code);
    text(&b, e->message);
    text(&b, e->changes);
    text(&b, e->file);
    number_or_null(&b, e->line);
    seconds(&b, e->seconds);
    return run_bound(s, &b, fault, err);
}

static int
add_record(struct rh_sqlite *s, const struct rh_record *r, size_t *added, enum rh_store_fault *fault,
           struct rh_error *err)
{
    struct binding see, update;
    int64_t host = 0;

    if (find_host(s, r->host, &host, fault, err) < 0 || add_report(s, host, r, fault, err) < 0)
        return -1;
    if (!sqlite3_changes(s->db))
        return 0;
    for (size_t i = 0; i < r->n_events; i++)
        if (add_event(s, host, r, i, fault, err) < 0)
            return -1;
    see = (struct binding){ .st = statement(s, RH_SQL_SEE_HOST) };
    number(&see, host);
    if (run_bound(s, &see, fault, err) < 0)
        return -1;
    update = (struct binding){ .st = statement(s, RH_SQL_UPDATE_HOST) };
    number(&update, host);
    text(&update, r->run);
    if (run_bound(s, &update, fault, err) < 0)
        return -1;
    (*added)++;
    return 0;
}

int
rh_sqlite_put(struct rh_store *store, const struct rh_record *const *records, size_t n, size_t *added,
              enum rh_store_fault *fault, struct rh_error *err)
{
    struct rh_sqlite *s = (struct rh_sqlite *)store;
    size_t count = 0;
    int rc = step(s, statement(s, RH_SQL_BEGIN), fault, err);

    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_record(s, records[i], &count, fault, err);
    if (rc == 0)
        rc = step(s, statement(s, RH_SQL_COMMIT), fault, err);
    if (rc < 0) {
        if (!sqlite3_get_autocommit(s->db))
            (void)sqlite3_step(statement(s, RH_SQL_ROLLBACK));
        return -1;
    }
    *added = count;
    return 0;
}
