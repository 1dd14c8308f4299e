/* SPDX-License-Identifier: Apache-2.0 */
/* fleet-diff - in what two hosts differ, by what they have reported. */
#include "config.h"

#include "collect/fleet.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "collect/record.h"
#include "collect/table.h"

#include <string.h>
#include <time.h>

enum { A_WEEK = 7 * 24 * 3600 };

static const char hosts[] =
    "SELECT revision, rhost, status, noop, total, changed, failed, skipped FROM fleet_status "
    "WHERE host = '%s'";
static const char resources[] =
    "SELECT CASE WHEN max(CASE WHEN e.host = '%s' THEN 1 ELSE 0 END) = 1 THEN '%s' ELSE '%s' END AS only_on, "
    "e.status, e.cause, e.type, e.title, max(e.message) AS message FROM fleet_events e "
    "WHERE e.host IN ('%s', '%s') AND e.day >= '%s' AND e.kind = 'resource' "
    "GROUP BY e.status, e.cause, e.type, e.title HAVING count(DISTINCT e.host) = 1 ORDER BY 4, 5, 2, 1";

static int
read_host(struct rh_table *t, struct rh_store *s, const char *host, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    /* Its name goes into the query. */
    if (!rh_record_is_stored_host(host))
        return rh_error_set(err, RH_EINPUT, "'%s' is not the name of a host", host);
    if (rh_table_query(t, s, rh_arena_printf(a, hosts, host), err) < 0)
        return -1;
    return t->n ? 0 : rh_error_set(err, RH_EINPUT, "host '%s' has never sent a report", host);
}

static const char *
a_week_ago(struct rh_arena *a)
{
    time_t t = time(NULL) - A_WEEK;
    struct tm tm;
    char text[32] = "";

    if (gmtime_r(&t, &tm))
        (void)strftime(text, sizeof text, "%Y-%m-%d", &tm);
    return rh_arena_strdup(a, text);
}

/* What of their last runs differs: a name, and what it is on the one and on the other. */
static size_t
add_runs(struct rh_buf *b, const struct rh_table *x, const struct rh_table *y, bool json)
{
    size_t n = 0;

    for (size_t i = 0; i < x->n_columns; i++) {
        rh_autofree char *left = rh_safe_text(rh_table_cell(x, 0, i)->text),
                         *right = rh_safe_text(rh_table_cell(y, 0, i)->text);

        if (strcmp(left, right) == 0)
            continue;
        if (json) {
            rh_buf_addf(b, "%s\"%s\": [", n ? ", " : "", x->names[i]);
            rh_json_string(b, left, strlen(left));
            rh_buf_add(b, ", ");
            rh_json_string(b, right, strlen(right));
            rh_buf_addc(b, ']');
        } else {
            rh_buf_addf(b, "%-10s %s | %s\n", x->names[i], *left ? left : "-", *right ? right : "-");
        }
        n++;
    }
    return n;
}

int
rh_fleet_diff(struct rh_store *s, const char *one, const char *other, bool json, struct rh_buf *b,
              struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autotable struct rh_table x = { 0 };
    rh_autotable struct rh_table y = { 0 };
    rh_autotable struct rh_table t = { 0 };
    size_t n;

    if (strcmp(one, other) == 0)
        return rh_error_set(err, RH_EINPUT, "expected two different hosts");
    if (read_host(&x, s, one, err) < 0 || read_host(&y, s, other, err) < 0
        || rh_table_query(&t, s, rh_arena_printf(a, resources, one, one, other, one, other, a_week_ago(a)),
                          err)
               < 0)
        return -1;
    if (json)
        rh_buf_add(b, "{\"runs\": {");
    n = add_runs(b, &x, &y, json);
    if (json) {
        rh_buf_add(b, "},\n \"resources\": ");
        rh_table_add_json(b, &t);
        rh_buf_add(b, "}\n");
    } else if (t.n) {
        rh_table_add_text(b, &t);
    } else if (!n) {
        rh_buf_add(b, "no difference\n");
    }
    return 0;
}
