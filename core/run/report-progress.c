/* SPDX-License-Identifier: Apache-2.0 */
/* report-progress - a run as programs that watch it read it: JSON lines, an object for each thing that
 * happens, as it happens. The report at the end has it all again. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/event-json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 4096 };

struct rh_report_progress {
    int fd; /* -1: nobody reads it any more */
    const struct rh_sources *sources;
    size_t total; /* entries of the list */
    struct rh_buf out;
    char *at; /* what was told last that the run is at */
};

static void
flush(struct rh_report_progress *r)
{
    /* Whoever watches may go away; the run does not end for that. */
    if (r->out.n && r->fd >= 0 && rh_write_all(r->fd, r->out.s, r->out.n) < 0)
        r->fd = -1;
    rh_buf_truncate(&r->out, 0);
}

static void
begin_line(struct rh_report_progress *r, const char *event)
{
    rh_buf_addc(&r->out, '{');
    rh_json_text(&r->out, "event", event);
}

static void
end_line(struct rh_report_progress *r)
{
    rh_buf_add(&r->out, "}\n");
    if (r->out.n > FLUSH_AT)
        flush(r);
}

static void
on_begin(void *data, const char *run, const char *started, bool noop)
{
    struct rh_report_progress *r = data;

    begin_line(r, "begin");
    rh_json_text(&r->out, "rhost", PACKAGE_VERSION);
    rh_json_text(&r->out, "run", run);
    rh_json_text(&r->out, "started", started);
    rh_json_boolean(&r->out, "noop", noop);
    rh_json_number(&r->out, "total", (int64_t)r->total);
    end_line(r);
    flush(r);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_progress *r = data;

    begin_line(r, "resource");
    rh_event_to_json(&r->out, event, r->sources, NULL);
    end_line(r);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_report_progress *r = data;

    if (record->level == RH_DEBUG && !rh_log_enabled(RH_DEBUG))
        return;
    begin_line(r, "log");
    rh_log_to_json(&r->out, record, true);
    end_line(r);
}

static void
on_progress(void *data, const struct rh_resource *resource, const struct rh_progress *progress)
{
    struct rh_report_progress *r = data;
    rh_autofree char *name = resource ? rh_resource_text(resource) : NULL;

    begin_line(r, "progress");
    rh_json_text(&r->out, "resource", name);
    rh_json_text(&r->out, "text", progress->text);
    if (progress->counted) {
        rh_json_key(&r->out, "count");
        rh_buf_addf(&r->out, "%" PRIu64, progress->done);
        rh_json_key(&r->out, "of");
        if (progress->total)
            rh_buf_addf(&r->out, "%" PRIu64, progress->total);
        else
            rh_buf_add(&r->out, "null");
        rh_json_text(&r->out, "unit", progress->unit);
    }
    end_line(r);
    flush(r);
}

/* Each thing in hand once, when the run first waits for it. */
static void
on_wait(void *data, const struct rh_hand *hand)
{
    struct rh_report_progress *r = data;
    rh_autofree char *name = hand && hand->resource ? rh_resource_text(hand->resource) : NULL;
    rh_autofree char *at = NULL;

    if (hand && (name || hand->type))
        at = rh_printf("%s %s %zu", name ? name : hand->type, hand->verb, hand->done);
    if (at && (!r->at || strcmp(at, r->at) != 0)) {
        begin_line(r, "running");
        rh_json_text(&r->out, name ? "resource" : "resource_type", name ? name : hand->type);
        rh_json_text(&r->out, "doing", *hand->verb ? hand->verb : NULL);
        rh_json_number(&r->out, "done", (int64_t)hand->done);
        rh_json_number(&r->out, "total", (int64_t)hand->total);
        end_line(r);
        free(r->at);
        r->at = rh_take(&at);
    }
    flush(r);
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_progress *r = data;

    begin_line(r, "end");
    rh_json_text(&r->out, "run", end->run);
    rh_json_number(&r->out, "exit", end->exit);
    if (end->interrupted)
        rh_json_text(&r->out, "interrupted", end->interrupted);
    if (end->confirm_within)
        rh_json_number(&r->out, "confirm_within", end->confirm_within);
    rh_json_key(&r->out, "seconds");
    rh_buf_addf(&r->out, "%.3f", end->seconds);
    rh_counts_to_json(&r->out, &end->counts);
    end_line(r);
    flush(r);
}

struct rh_report_progress *
rh_report_progress_new(int fd, size_t total, const struct rh_sources *sources)
{
    struct rh_report_progress *r = rh_xalloc(sizeof *r);

    r->fd = fd;
    r->total = total;
    r->sources = sources;
    return r;
}

void
rh_report_progress_free(struct rh_report_progress *r)
{
    if (!r)
        return;
    rh_buf_clear(&r->out);
    free(r->at);
    free(r);
}

struct rh_reporter
rh_report_progress_reporter(struct rh_report_progress *r)
{
    return (struct rh_reporter){ .data = r,
                                 .begin = on_begin,
                                 .event = on_event,
                                 .log = on_log,
                                 .progress = on_progress,
                                 .wait = on_wait,
                                 .end = on_end };
}
