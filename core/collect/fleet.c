/* SPDX-License-Identifier: Apache-2.0 */
/* fleet - the state of a fleet, and queries. */
#include "config.h"

#include "collect/fleet.h"

#include "base/error.h"
#include "base/text.h"
#include "collect/table.h"

#include <string.h>

static const char hosts[] =
    "SELECT host, state, revision, changed, failed, skipped, seen, run FROM fleet_status "
    "ORDER BY CASE state WHEN 'failed' THEN 0 WHEN 'refused' THEN 1 WHEN 'interrupted' "
    "THEN 2 WHEN 'unfinished' THEN 3 WHEN 'silent' THEN 4 ELSE 5 END, host";
static const char states[] =
    "SELECT state, count(*) AS hosts FROM fleet_status GROUP BY state ORDER BY 2 DESC, 1";

int
rh_fleet_status(struct rh_store *s, bool json, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table all = { 0 };
    rh_autotable struct rh_table counts = { 0 };

    if (rh_table_query(&all, s, hosts, err) < 0 || rh_table_query(&counts, s, states, err) < 0)
        return -1;
    if (json) {
        rh_buf_add(b, "{\"hosts\": ");
        rh_table_add_json(b, &all);
        rh_buf_add(b, ",\n \"states\": ");
        rh_table_add_json(b, &counts);
        rh_buf_add(b, "}\n");
        return 0;
    }
    if (all.n)
        rh_table_add_text(b, &all);
    rh_buf_addf(b, "%zu host%s", all.n, all.n == 1 ? "" : "s");
    for (size_t i = 0; i < counts.n; i++) {
        rh_buf_add(b, i ? ", " : ": ");
        rh_buf_addf(b, "%s ", rh_table_cell(&counts, i, 1)->text);
        rh_buf_add_safe(b, rh_table_cell(&counts, i, 0)->text, rh_table_cell(&counts, i, 0)->n, false);
    }
    rh_buf_addc(b, '\n');
    return 0;
}

int
rh_fleet_query(struct rh_store *s, const char *what, bool json, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    rh_autobuf struct rh_buf sql = { 0 };

    if (rh_is_name(what))
        rh_buf_addf(&sql, "SELECT * FROM %s%s", strncmp(what, "fleet_", 6) == 0 ? "" : "fleet_", what);
    else
        rh_buf_add(&sql, what);
    if (rh_table_query(&t, s, rh_buf_text(&sql), err) < 0)
        return -1;
    if (json) {
        rh_table_add_json(b, &t);
        rh_buf_addc(b, '\n');
    } else {
        rh_table_add_text(b, &t);
    }
    return 0;
}
