/* SPDX-License-Identifier: Apache-2.0 */
/* page - a fleet as one page for browsers: nothing is fetched, no script runs, and all that came from outside
 * is escaped. */
#include "config.h"

#include "collect/fleet.h"

#include "base/error.h"
#include "base/text.h"
#include "collect/page.h"
#include "collect/table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_OF_A_HOST = 20 };

/* `of_host`: the order of the rows of one host, where a view can have many of them; or NULL. Only the first
 * ones are shown, so that one host hides no other. */
static const struct {
    const char *title, *none, *view, *columns, *of_host, *order;
    int most;
} sections[] = {
    { "Failed", "No host has failed.", "fleet_failed",
      "host, status, revision, started, kind, type, title, message, code", "title", "host, title", 500 },
    { "Silent", "No host is silent.", "fleet_silent",
      "host, seen, CAST(silent_seconds AS integer) AS silent_seconds, status, revision", NULL, "seen, host",
      500 },
    { "Drift", "Nothing was changed outside of rhost.", "fleet_drift",
      "host, started, type, title, status, message", "started DESC, title", "started DESC, host, title",
      500 },
    { "Missing reports", "No number of a run is missing.", "fleet_gaps",
      "host, first_missing, last_missing, missing, before_started", "before_started DESC",
      "before_started DESC, host", 500 },
    { "Revisions", "There are no reports.", "fleet_revisions",
      "revision, hosts, silent, failed, first_started, last_started", NULL, "hosts DESC", 500 },
    { "Hosts", "There are no hosts.", "fleet_status",
      "host, state, revision, changed, failed, skipped, seen, rhost", NULL, "host", 20000 },
};

static void
add_query(struct rh_buf *b, size_t i)
{
    if (sections[i].of_host)
        rh_buf_addf(b,
                    "SELECT %s FROM (SELECT v.*, row_number() OVER (PARTITION BY host ORDER BY %s) AS nth "
                    "FROM %s v) AS w WHERE nth <= %d ORDER BY %s LIMIT %d",
                    sections[i].columns, sections[i].of_host, sections[i].view, MOST_OF_A_HOST,
                    sections[i].order, sections[i].most);
    else
        rh_buf_addf(b, "SELECT %s FROM %s ORDER BY %s LIMIT %d", sections[i].columns, sections[i].view,
                    sections[i].order, sections[i].most);
}

/* How many rows the view has beside those that are shown. */
static int
add_more(struct rh_store *s, size_t i, size_t shown, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    rh_autobuf struct rh_buf sql = { 0 };
    unsigned long long all;

    rh_buf_addf(&sql, "SELECT count(*) FROM %s", sections[i].view);
    if (rh_table_query(&t, s, rh_buf_text(&sql), err) < 0)
        return -1;
    all = t.n ? strtoull(rh_table_cell(&t, 0, 0)->text, NULL, 10) : 0;
    if (all > shown)
        rh_buf_addf(b, "<p>and %llu more: rhost fleet query %s</p>\n", all - shown, sections[i].view);
    return 0;
}

static int
add_section(struct rh_store *s, size_t i, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    rh_autobuf struct rh_buf sql = { 0 };

    add_query(&sql, i);
    if (rh_table_query(&t, s, rh_buf_text(&sql), err) < 0)
        return -1;
    rh_buf_addf(b, "<h2>%s</h2>\n", sections[i].title);
    if (!t.n) {
        rh_buf_addf(b, "<p>%s</p>\n", sections[i].none);
        return 0;
    }
    rh_table_add_html(b, &t);
    return add_more(s, i, t.n, b, err);
}

int
rh_fleet_page(struct rh_store *s, struct rh_buf *b, struct rh_error *err)
{
    time_t now = time(NULL);
    struct tm tm = { 0 };
    char when[32] = "";

    (void)gmtime_r(&now, &tm);
    (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
    rh_buf_add(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                  "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<title>Fleet</title>\n<style>\n");
    rh_buf_add(b, rh_fleet_css);
    rh_buf_addf(b, "</style></head><body>\n<h1>Fleet</h1>\n<p class=\"when\">%s</p>\n", when);
    if (rh_page_add_pictures(s, b, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (add_section(s, i, b, err) < 0)
            return -1;
    rh_buf_add(b, "</body></html>\n");
    return 0;
}
