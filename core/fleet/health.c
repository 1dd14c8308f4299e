/* SPDX-License-Identifier: Apache-2.0 */
/* health - what the hosts of a rollout have reported. */
#include "config.h"

#include "fleet/health.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "bundle/channel.h"
#include "collect/table.h"
#include "fleet/rollout-parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { COLUMN_HOST, COLUMN_ID, COLUMN_NAME, COLUMN_SILENT, COLUMN_LIMIT, COLUMN_STATUS };

/* Each host, with the outcome of its last run of the revision. A run that found the lock taken, or another
 * run waiting to be confirmed, says nothing about the revision. */
static const char query[] =
    "SELECT s.host, s.machine_id, s.name, x.silent_seconds, x.limit_seconds, l.status FROM fleet_status s "
    "LEFT JOIN fleet_silent x ON x.host = s.host LEFT JOIN (SELECT r.host, r.status, row_number() "
    "OVER (PARTITION BY r.host ORDER BY r.started DESC, r.seq DESC) AS k FROM fleet_runs r "
    "WHERE r.revision = '%lld' AND r.noop = false AND r.received >= '%s' AND NOT EXISTS (SELECT 1 "
    "FROM fleet_events e WHERE e.host = r.host AND e.run = r.run AND e.day = r.day AND e.kind = 'error' "
    "AND e.code IN ('RH0030', 'RH0382'))) l ON l.host = s.host AND l.k = 1 ORDER BY s.host";

const char *
rh_fleet_time(struct rh_arena *a, struct rh_store *s, const char *url, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    const char *sql = strncmp(url, "sqlite:", 7) == 0
                          ? "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
                          : "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')";

    if (rh_table_query(&t, s, sql, err) < 0)
        return NULL;
    return rh_arena_strdup(a, t.n ? rh_table_cell(&t, 0, 0)->text : "");
}

static enum rh_health
health_of(const struct rh_table *t, size_t row, int64_t since_begin)
{
    const char *status = rh_table_cell(t, row, COLUMN_STATUS)->text;
    double silent = strtod(rh_table_cell(t, row, COLUMN_SILENT)->text, NULL),
           limit = strtod(rh_table_cell(t, row, COLUMN_LIMIT)->text, NULL);

    if (strcmp(status, "ok") == 0 || strcmp(status, "changed") == 0)
        return RH_HEALTH_OK;
    if (*status)
        return RH_HEALTH_FAILED;
    return silent > limit + (double)since_begin ? RH_HEALTH_AWAY : RH_HEALTH_WAITING;
}

/* A device gets the revision of the host that manages it. */
static const struct rh_fleet_host *
machine_of(const struct rh_map *by_name, const struct rh_fleet_host *h)
{
    const char *slash = strchr(h->host, '/');
    rh_autofree char *name = slash ? rh_xstrndup(h->host, (size_t)(slash - h->host)) : NULL;
    const struct rh_fleet_host *machine = name ? rh_map_get(by_name, name) : NULL;

    return machine ? machine : h;
}

int
rh_fleet_read(struct rh_fleet *f, struct rh_arena *a, struct rh_store *s, const struct rh_rollout *r,
              const struct rh_channel *c, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    rh_autobuf struct rh_buf sql = { 0 };
    rh_automap struct rh_map by_name = { 0 };
    int64_t since_begin = (int64_t)time(NULL) - r->began;

    rh_buf_addf(&sql, query, (long long)r->to, r->since);
    if (rh_table_query(&t, s, rh_buf_text(&sql), err) < 0)
        return -1;
    *f = (struct rh_fleet){ .hosts = rh_arena_alloc(a, (t.n + 1) * sizeof *f->hosts), .n = t.n };
    for (size_t i = 0; i < t.n; i++) {
        struct rh_fleet_host *h = &f->hosts[i];

        h->host = rh_arena_strdup(a, rh_table_cell(&t, i, COLUMN_HOST)->text);
        h->id = rh_arena_strdup(a, rh_table_cell(&t, i, COLUMN_ID)->text);
        h->name = rh_arena_strdup(a, rh_table_cell(&t, i, COLUMN_NAME)->text);
        h->is_device = strchr(h->host, '/');
        if (!h->is_device)
            (void)rh_map_put(&by_name, h->host, h);
        h->has_it = *rh_table_cell(&t, i, COLUMN_STATUS)->text;
    }
    for (size_t i = 0; i < t.n; i++) {
        struct rh_fleet_host *h = &f->hosts[i];
        const struct rh_fleet_host *machine = machine_of(&by_name, h);

        if (c->want == r->to && rh_channel_choose(c, machine->id, machine->name) == r->to) {
            h->health = health_of(&t, i, since_begin > 0 ? since_begin : 0);
            f->chosen++;
        }
        f->counts[h->health]++;
    }
    return 0;
}

const struct rh_fleet_host *
rh_fleet_find(const struct rh_fleet *f, const char *host)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct rh_fleet_host *h = &f->hosts[i];

        if (h->is_device) /* no stage chooses one by itself */
            continue;
        if (strcmp(h->id, host) == 0 || strcasecmp(h->name, host) == 0 || strcasecmp(h->host, host) == 0)
            return h;
    }
    return NULL;
}
