/* SPDX-License-Identifier: Apache-2.0 */
/* report-prometheus - a run as metrics, for the textfile collector of a node exporter. What the last run did
 * is told by gauges: each file stands for one run. */
#include "config.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "provider/outcome.h"
#include "run/event.h"
#include "run/report-format.h"

#include <string.h>

enum { FAILED };                  /* parts: the series of failed resources */
enum { DRIFT = 1, MANIFEST = 2 }; /* counts, beside those of the parts */

/* Each is a series of its own for as long as the data is kept: of more, only the number is told. */
enum { MOST_FAILED = 100 };

/* In quotes, as the text format wants it. */
static void
add_label(struct rh_buf *b, const char *name, const char *value)
{
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, value, strlen(value), false);
    rh_buf_addf(b, "%s=\"", name);
    for (const char *p = rh_buf_text(&safe); *p; p++) {
        if (*p == '"' || *p == '\\')
            rh_buf_addc(b, '\\');
        rh_buf_addc(b, *p);
    }
    rh_buf_addc(b, '"');
}

static void
add_event(struct rh_report *r, const struct rh_event *event, const char *log)
{
    struct rh_buf *b = &r->parts[FAILED];
    rh_autobuf struct rh_buf series = { 0 };

    (void)log;
    r->count[DRIFT] += event->cause == RH_CAUSE_DRIFT;
    r->count[MANIFEST] += event->cause == RH_CAUSE_MANIFEST;
    if (event->outcome->status != RH_FAILED || event->ignored || r->count[FAILED] >= MOST_FAILED)
        return;
    rh_buf_add(&series, "rhost_resource_failed{");
    add_label(&series, "type", event->resource->type->type);
    rh_buf_addc(&series, ',');
    add_label(&series, "title", event->resource->title);
    rh_buf_add(&series, "} 1\n");
    /* It can fail at its turn and when it is notified. The name of a series begins a line only. */
    if (strstr(rh_buf_text(b), rh_buf_text(&series)))
        return;
    rh_buf_addn(b, rh_buf_text(&series), series.n);
    r->count[FAILED]++;
}

/* What stands before the series of a metric. */
static void
add_head(struct rh_buf *b, const char *name, const char *help)
{
    rh_buf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void
add_seconds(struct rh_buf *b, const char *name, const char *help, double value)
{
    add_head(b, name, help);
    rh_buf_addf(b, "%s %.3f\n", name, value);
}

static void
add_number(struct rh_buf *b, const char *name, const char *help, int value)
{
    add_head(b, name, help);
    rh_buf_addf(b, "%s %d\n", name, value);
}

static void
add_counts(struct rh_buf *b, const struct rh_counts *counts)
{
    static const char name[] = "rhost_run_resources";

    add_head(b, name, "Resources of the run by what became of them.");
    for (int i = 0; i < RH_STATUSES; i++)
        rh_buf_addf(b, "%s{status=\"%s\"} %zu\n", name, rh_status_name((enum rh_status)i),
                    counts->by_status[i]);
    rh_buf_addf(b, "%s{status=\"ignored\"} %zu\n", name, counts->ignored);
    rh_buf_addf(b, "%s{status=\"not_reached\"} %zu\n", name, counts->not_reached);
}

static void
end_all(struct rh_report *r, const struct rh_run_end *end)
{
    struct rh_buf *b = &r->out;
    bool whole = !end->interrupted && !end->unended && !end->errors;

    add_head(b, "rhost_info", "The version of rhost.");
    rh_buf_add(b, "rhost_info{version=\"" PACKAGE_VERSION "\"} 1\n");
    add_seconds(b, "rhost_run_start_timestamp_seconds", "When the run started.", r->begin);
    add_seconds(b, "rhost_run_end_timestamp_seconds", "When the run ended.",
                r->now > r->begin ? r->now : r->begin);
    add_seconds(b, "rhost_run_duration_seconds", "How long the run took.", end->seconds);
    add_number(b, "rhost_run_noop", "1 if the run was a dry run.", r->noop);
    add_number(b, "rhost_run_complete", "0 if the run was refused or interrupted, or did not end.", whole);
    add_number(b, "rhost_run_success", "1 if the run came to its end and nothing failed.",
               whole && !(end->exit & ~2));
    add_number(b, "rhost_run_exit_status", "The exit status of the run.", end->exit);
    if (end->rollback) {
        add_number(b, "rhost_run_rollback_success", "1 if everything that the run had changed was restored.",
                   !end->rollback->exit);
        add_number(b, "rhost_run_rollback_exit_status", "The exit status of the rollback.",
                   end->rollback->exit);
    }
    add_counts(b, &end->counts);
    add_head(b, "rhost_run_changes", "Changed resources by cause: the machine (drift), or the manifest.");
    rh_buf_addf(b, "rhost_run_changes{cause=\"drift\"} %zu\nrhost_run_changes{cause=\"manifest\"} %zu\n",
                r->count[DRIFT], r->count[MANIFEST]);
    if (!r->parts[FAILED].n)
        return;
    add_head(b, "rhost_resource_failed", "Resources that failed, at most 100 of them.");
    rh_buf_addn(b, rh_buf_text(&r->parts[FAILED]), r->parts[FAILED].n);
}

const struct rh_report_format rh_report_as_prometheus = {
    .name = "prometheus",
    .mode = 0644, /* the exporter is another user */
    .between = "",
    .event = add_event,
    .end = end_all,
};
