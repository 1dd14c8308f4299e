/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql-put - a batch of reports: COPY into temporary tables, and one statement that moves what is new.
 */
#include "config.h"

#include "collect/postgresql.h"

#include "base/error.h"

#include <stdlib.h>

enum { PART = 1 << 20 };

/* Hosts in the order of their names and reports in the order of their keys: whoever waits for a row of
 * another transaction has none that the other waits for. */
static const char add_hosts[] =
    "INSERT INTO host (host) SELECT DISTINCT r.host FROM in_report r "
    "WHERE NOT EXISTS (SELECT 1 FROM host h WHERE h.host = r.host) ORDER BY 1 ON CONFLICT (host) DO NOTHING";

/* A report that came late does not hide a newer one, and a dry run no run. One of a clock that was ahead does
 * not count as newer. */
#define IS_NEWER                                                                                             \
    "(NOT l.noop OR h.noop IS DISTINCT FROM false) AND (h.started IS NULL OR (h.noop AND NOT l.noop) "       \
    "OR l.started > h.started OR (l.started = h.started AND coalesce(l.seq >= h.seq, true)) OR l.seq > "     \
    "h.seq OR h.started > now() + interval '1 hour')"
static const char move[] =
    "WITH new AS (INSERT INTO report (host_id, run, day, seq, machine_id, name, rhost, revision, undoes, "
    "rolls_back, noop, status, exit, started, ended, seconds, interrupted, events, total, unchanged, "
    "changed, "
    "refreshed, failed, skipped, would_change, would_refresh, unknown, ignored, excluded, not_reached) "
    "SELECT h.id, r.run, r.day, r.seq, r.machine_id, r.name, r.rhost, r.revision, r.undoes, r.rolls_back, "
    "r.noop, "
    "r.status, r.exit, r.started, r.ended, r.seconds, r.interrupted, r.events, r.total, r.unchanged, "
    "r.changed, "
    "r.refreshed, r.failed, r.skipped, r.would_change, r.would_refresh, r.unknown, r.ignored, r.excluded, "
    "r.not_reached FROM in_report r JOIN host h ON h.host = r.host ORDER BY h.id, r.run "
    "ON CONFLICT (host_id, run, day) DO NOTHING RETURNING *), "
    "known AS MATERIALIZED (SELECT min(r.k) AS k, n.host_id, n.run, n.day, n.started FROM new n "
    "JOIN host h ON h.id = n.host_id JOIN in_report r ON r.host = h.host AND r.run = n.run "
    "GROUP BY n.host_id, n.run, n.day, n.started), "
    "happened AS (INSERT INTO event (host_id, run, n, day, started, kind, status, type, title, action, "
    "provider, "
    "cause, code, message, changes, file, line, seconds) "
    "SELECT k.host_id, k.run, e.n, k.day, k.started, e.kind, e.status, e.type, e.title, e.action, "
    "e.provider, "
    "e.cause, e.code, e.message, e.changes, e.file, e.line, e.seconds FROM in_event e JOIN known k ON k.k = "
    "e.k), "
    "last AS (SELECT DISTINCT ON (host_id) * FROM new "
    "ORDER BY host_id, noop, least(started, received) DESC, seq DESC NULLS LAST), "
    "hosts AS (UPDATE host h SET seen = now(), "
    "(run, day, seq, machine_id, name, rhost, revision, noop, "
    "status, started, seconds, total, changed, would_change, failed, skipped) = "
    "(SELECT l.run, l.day, l.seq, l.machine_id, l.name, l.rhost, l.revision, l.noop, "
    "l.status, l.started, l.seconds, l.total, l.changed, l.would_change, l.failed, l.skipped "
    "WHERE " IS_NEWER
    " UNION ALL SELECT h.run, h.day, h.seq, h.machine_id, h.name, h.rhost, h.revision, h.noop, "
    "h.status, h.started, h.seconds, h.total, h.changed, h.would_change, h.failed, h.skipped "
    "WHERE (" IS_NEWER ") IS NOT TRUE) "
    "FROM last l WHERE h.id = l.host_id) "
    "SELECT count(*) FROM new";

static int
copy(const struct rh_postgresql *s, const char *table, const char *columns, const struct rh_buf *rows,
     enum rh_store_fault *fault, struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };
    PGresult *result;
    int rc = 0;

    rh_buf_addf(&sql, "COPY %s (%s) FROM STDIN", table, columns);
    result = PQexec(s->connection, rh_buf_text(&sql));
    if (PQresultStatus(result) != PGRES_COPY_IN)
        rc = rh_postgresql_fail(s, result, fault, err);
    PQclear(result);
    for (size_t at = 0; rc == 0 && at < rows->n; at += PART) {
        size_t n = rows->n - at < PART ? rows->n - at : PART;

        if (PQputCopyData(s->connection, rows->s + at, (int)n) != 1)
            rc = rh_postgresql_fail(s, NULL, fault, err);
    }
    if (rc == 0 && PQputCopyEnd(s->connection, NULL) != 1)
        rc = rh_postgresql_fail(s, NULL, fault, err);
    while (rc == 0 && (result = PQgetResult(s->connection))) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            rc = rh_postgresql_fail(s, result, fault, err);
        PQclear(result);
    }
    return rc;
}

int
rh_postgresql_put(struct rh_store *store, const struct rh_record *const *records, size_t n, size_t *added,
                  enum rh_store_fault *fault, struct rh_error *err)
{
    struct rh_postgresql *s = (struct rh_postgresql *)store;
    long count = 0;
    int rc;

    rh_postgresql_rows(s, records, n);
    rc = rh_postgresql_run(s, "BEGIN; " RH_POSTGRESQL_LOCK, fault, err);
    if (rc == 0)
        rc = rh_postgresql_make_days(s, records, n, fault, err);
    if (rc == 0)
        rc = copy(s, "in_report", rh_postgresql_report_columns, &s->reports, fault, err);
    if (rc == 0 && s->events.n)
        rc = copy(s, "in_event", rh_postgresql_event_columns, &s->events, fault, err);
    if (rc == 0)
        rc = rh_postgresql_run(s, add_hosts, fault, err);
    if (rc == 0)
        rc = rh_postgresql_number(s, move, &count, fault, err);
    if (rc == 0)
        rc = rh_postgresql_run(s, "COMMIT", fault, err);
    if (rc < 0) {
        s->n_days = 0; /* those of this transaction are not there */
        rh_discard(rh_postgresql_run(s, "ROLLBACK", NULL, NULL));
        return -1;
    }
    *added = (size_t)count;
    return 0;
}
