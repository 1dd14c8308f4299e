/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql-days - a partition for each day, which is dropped whole. A report of a machine whose clock is
 * wrong goes to the default partition: no machine can have tables made for days that are far away. */
#include "config.h"

#include "collect/postgresql.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "collect/record.h"

#include <string.h>
#include <time.h>

enum { DAY = 86400, PAST = 31, FUTURE = 1, AGAIN = 600 /* seconds */ };

static void
day_of(time_t when, char day[RH_DAY])
{
    struct tm tm = { 0 };

    (void)gmtime_r(&when, &tm);
    (void)strftime(day, RH_DAY, "%Y-%m-%d", &tm);
}

/* 2026-11-23 of "2026-11-23" as it stands in names: 20261123. */
static void
add_name(struct rh_buf *b, const char *table, const char *day)
{
    rh_buf_addf(b, "%s_%.4s%.2s%.2s", table, day, day + 5, day + 8);
}

static bool
has_day(const struct rh_postgresql *s, const char *day)
{
    for (size_t i = 0; i < s->n_days; i++)
        if (strcmp(s->days[i], day) == 0)
            return true;
    return false;
}

/* What came for this day while it was far away is moved. */
static void
add_partition(struct rh_buf *b, const char *table, const char *day)
{
    rh_autobuf struct rh_buf name = { 0 };

    add_name(&name, table, day);
    rh_buf_addf(b, "CREATE TABLE %s (LIKE %s INCLUDING ALL);", name.s, table);
    rh_buf_addf(
        b, "WITH m AS (DELETE FROM %s_default WHERE day = '%s' RETURNING *) INSERT INTO %s SELECT * FROM m;",
        table, day, name.s);
    rh_buf_addf(b, "ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO (date '%s' + 1);", table,
                name.s, day, day);
}

static int
make_partitions(const struct rh_postgresql *s, const char *day, struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };
    long there = 0;

    rh_buf_add(&sql, "SELECT count(to_regclass('");
    add_name(&sql, "report", day);
    rh_buf_add(&sql, "'))");
    if (rh_postgresql_number(s, rh_buf_text(&sql), &there, NULL, err) < 0)
        return -1;
    rh_buf_truncate(&sql, 0);
    add_partition(&sql, "report", day);
    add_partition(&sql, "event", day);
    return there ? 0 : rh_postgresql_run(s, rh_buf_text(&sql), NULL, err);
}

/* A partition that cannot be made, as a reader holds a lock, is made later: reports of that day go to the
 * default one. -1 when the transaction cannot go on. */
static int
make_day(struct rh_postgresql *s, const char *day, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    if (has_day(s, day) || rh_now() < s->days_at)
        return 0;
    if (rh_postgresql_run(s, "SAVEPOINT day", NULL, err) < 0)
        return -1;
    if (make_partitions(s, day, &why) < 0) {
        if (rh_postgresql_run(s, "ROLLBACK TO SAVEPOINT day", NULL, err) < 0)
            return -1;
        rh_log(RH_WARNING, "cannot make the partition of %s, and its reports go to the default one: %s", day,
               why.message);
        s->days_at = rh_now() + AGAIN;
        return 0;
    }
    if (rh_postgresql_run(s, "RELEASE SAVEPOINT day", NULL, err) < 0)
        return -1;
    s->days = rh_xgrow(s->days, &s->cap_days, s->n_days, sizeof *s->days);
    memcpy(s->days[s->n_days++], day, RH_DAY);
    return 0;
}

/* Reports of days that are removed soon are removed by the time when they came: from the default partition.
 */
static time_t
first_time(const struct rh_postgresql *s, time_t now)
{
    time_t past = (time_t)PAST * DAY, kept = (time_t)s->store.retention;

    return now - (kept && kept < past ? kept : past);
}

int
rh_postgresql_make_days(struct rh_postgresql *s, const struct rh_record *const *records, size_t n,
                        enum rh_store_fault *fault, struct rh_error *err)
{
    time_t now = time(NULL);
    char first[RH_DAY], last[RH_DAY];

    *fault = RH_FAULT_AWAY; /* no report is the reason */
    day_of(first_time(s, now), first);
    day_of(now + (time_t)FUTURE * DAY, last);
    for (size_t i = 0; i < n; i++) {
        const char *day = records[i]->day;

        if (strcmp(day, first) >= 0 && strcmp(day, last) <= 0 && make_day(s, day, err) < 0)
            return -1;
    }
    return make_day(s, last, err); /* before the first report of it comes */
}

/* Each day in a transaction of its own: one that cannot be removed holds up no other. */
static int
drop_day(const struct rh_postgresql *s, const char *tables, enum rh_store_fault *fault, struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };

    rh_buf_addf(&sql, "BEGIN; " RH_POSTGRESQL_LOCK "; DROP TABLE %s; COMMIT", tables);
    if (rh_postgresql_run(s, rh_buf_text(&sql), fault, err) == 0)
        return 0;
    rh_discard(rh_postgresql_run(s, "ROLLBACK", NULL, NULL));
    return -1;
}

/* Names of partitions come from the catalog, and have digits only after the name of the table. */
static int
drop_days(const struct rh_postgresql *s, const char *last, size_t *removed, enum rh_store_fault *fault,
          struct rh_error *err)
{
    rh_autobuf struct rh_buf sql = { 0 };
    PGresult *result;
    int rc = 0;

    rh_buf_add(&sql, "SELECT string_agg(c.oid::regclass::text, ', ' ORDER BY c.relname) "
                     "FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
                     "WHERE i.inhparent IN ('report'::regclass, 'event'::regclass) "
                     "AND c.relname ~ '^(report|event)_[0-9]{8}$' AND right(c.relname, 8) < '");
    rh_buf_addf(&sql, "%.4s%.2s%.2s' GROUP BY right(c.relname, 8) ORDER BY right(c.relname, 8)", last,
                last + 5, last + 8);
    result = PQexec(s->connection, rh_buf_text(&sql));
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        rc = rh_postgresql_fail(s, result, fault, err);
    for (int i = 0; i < PQntuples(result); i++) {
        rh_autoerror struct rh_error why = { 0 };

        if (drop_day(s, PQgetvalue(result, i, 0), fault, &why) == 0)
            (*removed)++;
        else if (rc == 0) {
            rh_error_move(err, &why);
            rc = -1;
        }
    }
    PQclear(result);
    return rc;
}

int
rh_postgresql_retain(struct rh_store *store, unsigned seconds, size_t *removed, enum rh_store_fault *fault,
                     struct rh_error *err)
{
    struct rh_postgresql *s = (struct rh_postgresql *)store;
    rh_autobuf struct rh_buf sql = { 0 };
    char last[RH_DAY];

    *removed = 0;
    day_of(time(NULL) - (time_t)seconds, last);
    s->n_days = 0;
    if (drop_days(s, last, removed, fault, err) < 0)
        return -1;
    rh_buf_addf(
        &sql,
        "BEGIN; " RH_POSTGRESQL_LOCK ";"
        "DELETE FROM event_default e USING report_default r WHERE r.host_id = e.host_id AND r.run = e.run "
        "AND r.received < now() - interval '%u seconds';"
        "DELETE FROM report_default WHERE received < now() - interval '%u seconds'; COMMIT",
        seconds, seconds);
    if (rh_postgresql_run(s, rh_buf_text(&sql), fault, err) == 0)
        return 0;
    rh_discard(rh_postgresql_run(s, "ROLLBACK", NULL, NULL));
    return -1;
}
