/* SPDX-License-Identifier: Apache-2.0 */
/* metrics - a fleet as Prometheus reads it. */
#include "config.h"

#include "collect/fleet.h"

#include "base/error.h"
#include "base/text.h"
#include "collect/table.h"

/* Each query gives values, with one label in front where there is one. */
static const struct {
    const char *name, *help, *label, *sql;
} metrics[] = {
    { "rhost_fleet_hosts", "Hosts by state: the status of the last run, or silent.", "state",
      "SELECT state, count(*) FROM fleet_status GROUP BY state ORDER BY 1" },
    { "rhost_fleet_revision_hosts", "Hosts by the revision of their last run.", "revision",
      "SELECT COALESCE(revision, ''), sum(hosts) FROM fleet_revisions GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT "
      "20" },
    { "rhost_fleet_failed_resources", "Resources that failed in the last run of a host.", NULL,
      "SELECT count(*) FROM fleet_failed WHERE title IS NOT NULL" },
    { "rhost_fleet_missing_reports", "Numbers of runs that no report has.", NULL,
      "SELECT COALESCE(sum(CAST(missing AS double precision)), 0) FROM fleet_gaps" },
    { "rhost_fleet_cloned_hosts", "Hosts whose machine id another host has as well.", NULL,
      "SELECT count(*) FROM fleet_clones" },
    { "rhost_fleet_oldest_report_seconds", "The age of the last report of the host that was silent longest.",
      NULL, "SELECT COALESCE(max(silent_seconds), 0) FROM fleet_silent" },
};

/* The value of a label: a newline, a quote and a backslash are escaped, and text is UTF-8. */
static void
add_label(struct rh_buf *b, const struct rh_store_cell *c)
{
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, c->text, c->n, false);
    for (size_t i = 0; i < safe.n; i++) {
        if (safe.s[i] == '"' || safe.s[i] == '\\')
            rh_buf_addc(b, '\\');
        rh_buf_addc(b, safe.s[i]);
    }
}

int
rh_fleet_metrics(struct rh_store *s, struct rh_buf *b, struct rh_error *err)
{
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        rh_autotable struct rh_table t = { 0 };

        if (rh_table_query(&t, s, metrics[i].sql, err) < 0)
            return -1;
        rh_buf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", metrics[i].name, metrics[i].help, metrics[i].name);
        for (size_t row = 0; row < t.n; row++) {
            rh_buf_add(b, metrics[i].name);
            if (metrics[i].label) {
                rh_buf_addf(b, "{%s=\"", metrics[i].label);
                add_label(b, rh_table_cell(&t, row, 0));
                rh_buf_add(b, "\"}");
            }
            rh_buf_addf(b, " %s\n", rh_table_cell(&t, row, t.n_columns - 1)->text);
        }
    }
    return 0;
}
