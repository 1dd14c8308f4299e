/* SPDX-License-Identifier: Apache-2.0 */
/* report-events - a run as programs that watch it read it: JSON lines, an object for each thing that
 * happens, as it happens. The report at the end has it all again. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/change.h"
#include "run/event-file.h"
#include "run/event-json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The least time between two events about the progress of one resource, in seconds. */
static const double shortest_pause = 0.2;

struct rh_report_events {
    struct rh_event_file *to;
    const struct rh_sources *sources;
    uint64_t seq; /* of the run */
    bool changes_only;
    char *at;        /* what was told last that the run is at */
    char *advanced;  /* the resource whose progress was told last, */
    double progress; /* and when */
};

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    struct rh_report_events *r = data;
    struct rh_buf *b = rh_event_file_begin(r->to, "begin");

    r->seq = begin->seq;
    rh_json_number(b, "rhost_events", RH_EVENTS_FORMAT);
    rh_run_begin_to_json(b, begin);
    rh_json_number(b, "total", (int64_t)begin->total);
    rh_event_file_end(r->to);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_events *r = data;
    struct rh_buf *b;

    if (r->changes_only && rh_event_is_quiet(event))
        return;
    b = rh_event_file_begin(r->to, event->notified ? "notification" : "resource");

    rh_event_to_json(b, event, r->sources, NULL);
    rh_created_to_json(b, event, r->sources);
    rh_event_file_end(r->to);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_report_events *r = data;

    if (record->level == RH_DEBUG && !rh_log_enabled(RH_DEBUG))
        return;
    rh_log_to_json(rh_event_file_begin(r->to, "log"), record, true);
    rh_event_file_end(r->to);
}

/* What comes too often is left out, but for the last of something that is counted. */
static bool
is_too_often(struct rh_report_events *r, const char *name, const struct rh_progress *progress)
{
    const char *key = name ? name : "";
    bool same = r->advanced && strcmp(r->advanced, key) == 0;
    bool last = progress->counted && progress->done == progress->total;
    double now = rh_now();

    if (same && !last && now - r->progress < shortest_pause)
        return true;
    if (!same) {
        free(r->advanced);
        r->advanced = rh_xstrdup(key);
    }
    r->progress = now;
    return false;
}

static void
on_progress(void *data, const struct rh_resource *resource, const struct rh_progress *progress)
{
    struct rh_report_events *r = data;
    rh_autofree char *name = resource ? rh_resource_text(resource) : NULL;
    struct rh_buf *b;

    if (is_too_often(r, name, progress))
        return;
    b = rh_event_file_begin(r->to, "progress");
    rh_json_text(b, "resource", name);
    rh_json_text(b, "text", progress->text);
    if (progress->counted) {
        rh_json_key(b, "count");
        rh_buf_addf(b, "%" PRIu64, progress->done);
        rh_json_key(b, "of");
        if (progress->total)
            rh_buf_addf(b, "%" PRIu64, progress->total);
        else
            rh_buf_add(b, "null");
        rh_json_text(b, "unit", progress->unit);
    }
    rh_event_file_end(r->to);
}

/* Each thing in hand once, when the run first waits for it. */
static void
on_wait(void *data, const struct rh_hand *hand)
{
    struct rh_report_events *r = data;
    rh_autofree char *name = hand && hand->resource ? rh_resource_text(hand->resource) : NULL;
    rh_autofree char *at = NULL;
    struct rh_buf *b;

    if (hand && (name || hand->type))
        at = rh_printf("%s %s %zu", name ? name : hand->type, hand->verb, hand->done);
    if (at && (!r->at || strcmp(at, r->at) != 0)) {
        b = rh_event_file_begin(r->to, "running");
        rh_json_text(b, name ? "resource" : "resource_type", name ? name : hand->type);
        rh_json_text(b, "doing", *hand->verb ? hand->verb : NULL);
        rh_json_number(b, "done", (int64_t)hand->done);
        rh_json_number(b, "total", (int64_t)hand->total);
        rh_event_file_end(r->to);
        free(r->at);
        r->at = rh_take(&at);
    }
    rh_event_file_flush(r->to);
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_events *r = data;
    struct rh_buf *b;

    for (size_t i = 0; i < rh_value_count(end->errors); i++) {
        const struct rh_value *error = rh_value_at(end->errors, i);

        b = rh_event_file_begin(r->to, "error");
        for (size_t k = 0; k < rh_value_count(error); k++)
            rh_json_value(b, rh_value_entry(error, k)->key, rh_value_entry(error, k)->value);
        rh_event_file_end(r->to);
    }
    b = rh_event_file_begin(r->to, "end");
    rh_json_text(b, "run", end->run);
    if (r->seq)
        rh_json_number(b, "seq", (int64_t)r->seq);
    rh_run_end_to_json(b, end);
    if (end->rollback) {
        rh_json_key(b, "rollback");
        rh_buf_addc(b, '{');
        rh_json_text(b, "run", *end->rollback->run ? end->rollback->run : NULL);
        rh_json_number(b, "exit", end->rollback->exit);
        rh_buf_addc(b, '}');
    }
    rh_event_file_end(r->to);
}

struct rh_report_events *
rh_report_events_new(struct rh_event_file *to, const struct rh_sources *sources, bool changes_only)
{
    struct rh_report_events *r = rh_xalloc(sizeof *r);

    r->to = to;
    r->sources = sources;
    r->changes_only = changes_only;
    return r;
}

void
rh_report_events_free(struct rh_report_events *r)
{
    if (!r)
        return;
    free(r->at);
    free(r->advanced);
    free(r);
}

struct rh_reporter
rh_report_events_reporter(struct rh_report_events *r)
{
    return (struct rh_reporter){ .data = r,
                                 .program = true,
                                 .begin = on_begin,
                                 .event = on_event,
                                 .log = on_log,
                                 .progress = on_progress,
                                 .wait = on_wait,
                                 .end = on_end };
}
