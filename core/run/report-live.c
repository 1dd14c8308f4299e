/* SPDX-License-Identifier: Apache-2.0 */
/* report-live - the status line of a run on a terminal: what it is at, and for how long. What has happened is
 * in the other reports; of this nothing stays. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/status-line.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const double quick = 0.3; /* seconds: a run that is done by then shows none */

struct rh_report_live {
    double begun;
    const struct rh_resource *resource; /* in hand */
    const char *type;
    size_t done;
    double since;         /* when that began, as far as is known */
    struct rh_buf count;  /* how far the provider is */
    struct rh_buf detail; /* and what goes on, in its own words */
};

struct rh_report_live *
rh_report_live_new(int fd, bool colour)
{
    struct rh_report_live *r = rh_xalloc(sizeof *r);

    rh_status_line_open(fd, colour);
    r->begun = rh_now();
    return r;
}

void
rh_report_live_free(struct rh_report_live *r)
{
    if (!r)
        return;
    rh_status_line_close();
    rh_buf_clear(&r->count);
    rh_buf_clear(&r->detail);
    free(r);
}

/* "34 s", "2 min 5 s", "1 h 2 min" */
static void
add_duration(struct rh_buf *b, double seconds)
{
    unsigned long s = seconds > 0 ? (unsigned long)seconds : 0;

    if (s < 60)
        rh_buf_addf(b, "%lu s", s);
    else if (s < 3600)
        rh_buf_addf(b, "%lu min %lu s", s / 60, s % 60);
    else
        rh_buf_addf(b, "%lu h %lu min", s / 3600, s / 60 % 60);
}

static void
note_hand(struct rh_report_live *r, const struct rh_hand *hand, double now)
{
    if (hand->resource == r->resource && hand->type == r->type && hand->done == r->done)
        return;
    r->resource = hand->resource;
    r->type = hand->type;
    r->done = hand->done;
    r->since = now;
}

/* "3/12 packages", and "Unpacking nginx"; the one stays while the other is told. */
static void
on_progress(void *data, const struct rh_resource *resource, const struct rh_progress *progress)
{
    struct rh_report_live *r = data;

    (void)resource; /* of a batch, which is one transaction of a package manager for instance */
    if (progress->counted) {
        rh_buf_truncate(&r->count, 0);
        rh_buf_addf(&r->count, "%" PRIu64, progress->done);
        if (progress->total)
            rh_buf_addf(&r->count, "/%" PRIu64, progress->total);
        if (progress->unit) {
            rh_buf_addc(&r->count, ' ');
            rh_buf_add_safe(&r->count, progress->unit, strlen(progress->unit), false);
        }
    }
    if (progress->text && *progress->text) {
        rh_buf_truncate(&r->detail, 0);
        rh_buf_add(&r->detail, "  ");
        rh_buf_add_safe(&r->detail, progress->text, strlen(progress->text), false);
    }
}

/* "[3/86] exec[update]: updating, 12 s" and, below it, what the provider says */
static void
on_wait(void *data, const struct rh_hand *hand)
{
    struct rh_report_live *r = data;
    rh_autobuf struct rh_buf text = { 0 };
    rh_autofree char *name = NULL;
    double now = rh_now();
    const char *lines[2];

    if (!hand)
        return;
    note_hand(r, hand, now);
    if (now - r->begun < quick)
        return;
    rh_buf_addf(&text, "[%zu/%zu] ", hand->done < hand->total ? hand->done + 1 : hand->total, hand->total);
    if (hand->ending)
        rh_buf_add(&text, "interrupted: ");
    name = hand->resource ? rh_resource_text(hand->resource) : NULL;
    rh_buf_add(&text, name ? name : hand->type ? hand->type : "waiting");
    rh_buf_addf(&text, ": %s%s", hand->verb, *hand->verb ? ", " : "");
    add_duration(&text, now - r->since);
    if (r->count.n)
        rh_buf_addf(&text, ", %s", r->count.s);
    lines[0] = rh_buf_text(&text);
    lines[1] = rh_buf_text(&r->detail);
    rh_status_line_show(lines, r->detail.n ? 2 : 1);
}

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    (void)data;
    (void)begin;
}

/* What was told belongs to what has ended now. */
static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_live *r = data;

    (void)event;
    rh_buf_truncate(&r->count, 0);
    rh_buf_truncate(&r->detail, 0);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    (void)data;
    (void)end;
    rh_status_line_hide();
}

struct rh_reporter
rh_report_live_reporter(struct rh_report_live *r)
{
    return (struct rh_reporter){ .data = r,
                                 .begin = on_begin,
                                 .event = on_event,
                                 .log = on_log,
                                 .progress = on_progress,
                                 .wait = on_wait,
                                 .end = on_end };
}
