/* SPDX-License-Identifier: Apache-2.0 */
/* preview - dry runs of a revision on the hosts of a fleet. */
#include "config.h"

#include "fleet/preview.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/channel.h"
#include "collect/store.h"
#include "collect/table.h"
#include "run/state.h"

#include <stdio.h>
#include <string.h>

/* Of this preview: dry runs of its revision that came since. */
#define IS_ANSWER "r.noop = true AND r.revision = '%lld' AND r.received >= '%s'"

static const char differences[] =
    "SELECT count(DISTINCT e.host) AS hosts, e.status, e.type, e.title, e.message FROM fleet_events e "
    "JOIN fleet_runs r ON r.host = e.host AND r.run = e.run AND r.day = e.day WHERE " IS_ANSWER
    " AND (e.kind = 'error' OR e.status IN ('would_change', 'would_refresh', 'failed')) "
    "GROUP BY e.status, e.type, e.title, e.message ORDER BY 1 DESC, 3, 4, 5";
static const char answers[] =
    "SELECT h.host, h.machine_id, h.name, a.host, a.would_change, a.failed FROM fleet_status h LEFT JOIN "
    "(SELECT r.host, max(r.would_change + r.would_refresh) AS would_change, max(CASE WHEN r.failed > 0 "
    "OR r.status IN ('failed', 'refused', 'interrupted', 'unfinished') THEN 1 ELSE 0 END) AS failed "
    "FROM fleet_runs r WHERE " IS_ANSWER
    " GROUP BY r.host) a ON a.host = h.host WHERE h.host NOT LIKE '%%/%%' ORDER BY h.host";

int
rh_fleet_ask_preview(const struct rh_channel_request *r, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_channel made;

    if (rh_preview_make(a, r, &made, err) < 0)
        return -1;
    (void)printf("preview %lld: %d %% of the hosts%s make a dry run of revision %lld, until %s\n",
                 (long long)made.serial, made.percent, made.n_hosts ? ", and those that are named," : "",
                 (long long)made.want, rh_state_time(a, made.expires));
    return 0;
}

static int
read_preview(struct rh_arena *a, const char *directory, const char *signers, struct rh_channel *c,
             struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/" RH_PREVIEW_FILE, directory);
    rh_autosigned struct rh_signed s = { 0 };

    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, signers, err) < 0)
        return -1;
    if (rh_preview_read(a, rh_arena_strndup(a, s.text, s.n), s.n, c, err) < 0)
        return rh_error_prefix(err, "'%s' is no preview", path);
    return 0;
}

struct counts {
    size_t asked, answered, would_change, failed;
};

static struct counts
count(const struct rh_table *t, const struct rh_channel *c)
{
    struct counts n = { 0 };

    for (size_t i = 0; i < t->n; i++) {
        if (!rh_channel_choose(c, rh_table_cell(t, i, 1)->text, rh_table_cell(t, i, 2)->text))
            continue;
        n.asked++;
        n.answered += *rh_table_cell(t, i, 3)->text != '\0';
        n.would_change += strcmp(rh_table_cell(t, i, 4)->text, "0") > 0;
        n.failed += strcmp(rh_table_cell(t, i, 5)->text, "0") > 0;
    }
    return n;
}

static void
add_json(struct rh_buf *b, const struct rh_channel *c, const struct counts *n, const struct rh_table *t)
{
    rh_buf_addf(b,
                "{\"preview\": %lld, \"revision\": %lld, \"hosts\": {\"asked\": %zu, \"answered\": %zu, "
                "\"would_change\": %zu, \"failed\": %zu},\n \"differences\": ",
                (long long)c->serial, (long long)c->want, n->asked, n->answered, n->would_change, n->failed);
    rh_table_add_json(b, t);
    rh_buf_add(b, "}\n");
}

int
rh_fleet_show_preview(const char *directory, const char *signers, const char *database, bool json,
                      struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autotable struct rh_table found = { 0 };
    rh_autotable struct rh_table hosts = { 0 };
    rh_autobuf struct rh_buf b = { 0 };
    enum rh_store_fault fault = RH_FAULT_REFUSED;
    rh_autostore struct rh_store *store = NULL;
    struct rh_channel c;
    struct counts n;
    const char *since;

    if (read_preview(a, directory, signers, &c, err) < 0)
        return -1;
    /* SQLite compares texts: with the same places as what is stored. */
    since = rh_arena_printf(a, "%.19s.000Z", rh_state_time(a, c.issued));
    store = rh_store_open(database, false, &fault, err);
    if (!store
        || rh_table_query(&found, store, rh_arena_printf(a, differences, (long long)c.want, since), err) < 0
        || rh_table_query(&hosts, store, rh_arena_printf(a, answers, (long long)c.want, since), err) < 0)
        return -1;
    n = count(&hosts, &c);
    if (json) {
        add_json(&b, &c, &n, &found);
    } else {
        rh_buf_addf(&b, "revision %lld: %zu hosts asked, %zu answered: %zu would change, %zu failed\n",
                    (long long)c.want, n.asked, n.answered, n.would_change, n.failed);
        if (found.n)
            rh_table_add_text(&b, &found);
    }
    (void)fwrite(rh_buf_text(&b), 1, b.n, stdout);
    return 0;
}
