/* SPDX-License-Identifier: Apache-2.0 */
/* report-json - a run as programs read it: one JSON object, written as the run goes. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/event-json.h"
#include "run/html.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

/* What was said about a resource so far. */
struct pending {
    char *resource;    /* "file[/etc/motd]" */
    struct rh_buf log; /* as in struct rh_report_json */
};

struct rh_report_json {
    const struct rh_sources *sources;
    int fd;
    struct rh_report_file file; /* without a path: standard output */
    struct rh_buf out;
    struct rh_buf log;       /* lines about several resources or none: JSON texts with commas */
    struct pending *pending; /* resources whose events are still to come */
    size_t n_pending, cap_pending;
    size_t n;
    bool page;   /* it is part of one */
    bool begun;  /* which was begun */
    bool ended;  /* all of it was said */
    int trouble; /* errno of the first write that failed */
};

static void
flush(struct rh_report_json *r)
{
    rh_autobuf struct rh_buf page = { 0 };
    const struct rh_buf *out = r->page ? &page : &r->out;

    if (r->page && !r->begun)
        rh_html_begin(&page);
    if (r->page)
        rh_html_add(&page, r->out.s, r->out.n);
    if (r->page && r->ended)
        rh_html_end(&page);
    r->begun = true;
    if (out->n && !r->trouble && rh_write_all(r->fd, out->s, out->n) < 0)
        r->trouble = errno;
    rh_buf_truncate(&r->out, 0);
}

/* The lines of the manifest that a failure is about, but for those that can have a secret. */
static void
add_quote(struct rh_report_json *r, const struct rh_event *event)
{
    rh_autobuf struct rh_buf quote = { 0 };
    struct rh_place place = rh_event_fault(event);

    if (event->outcome->status != RH_FAILED)
        return;
    if (!place.line)
        place = event->resource->place;
    if (!rh_sources_hidden(r->sources, place))
        rh_sources_add_quote(r->sources, place, &quote, false);
    if (quote.n)
        rh_json_text(&r->out, "quote", rh_buf_text(&quote));
}

static void
on_begin(void *data, const char *run, const char *started, bool noop)
{
    struct rh_report_json *r = data;

    rh_buf_addc(&r->out, '{');
    rh_json_text(&r->out, "rhost", PACKAGE_VERSION);
    rh_json_text(&r->out, "run", run);
    rh_json_boolean(&r->out, "noop", noop);
    rh_json_text(&r->out, "started", started);
    rh_buf_add(&r->out, ",\n \"resources\": [");
}

/* Its lines as a JSON list, or NULL; the caller's. */
static char *
take_pending(struct rh_report_json *r, const struct rh_resource *resource)
{
    rh_autofree char *name = r->n_pending ? rh_resource_text(resource) : NULL;

    for (size_t i = 0; i < r->n_pending; i++)
        if (strcmp(r->pending[i].resource, name) == 0) {
            char *log = rh_printf("[%s]", rh_buf_text(&r->pending[i].log));

            free(r->pending[i].resource);
            rh_buf_clear(&r->pending[i].log);
            r->pending[i] = r->pending[--r->n_pending];
            return log;
        }
    return NULL;
}

static void
add_created(struct rh_report_json *r, const struct rh_event *event)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_entry e;

    rh_json_key(&r->out, "created");
    rh_buf_addc(&r->out, '{');
    for (size_t at = 0; rh_event_next_created(event, r->sources, a, &at, &e);)
        rh_json_value(&r->out, e.key, e.value);
    rh_buf_addc(&r->out, '}');
    rh_arena_free(a);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_json *r = data;
    rh_autofree char *log = take_pending(r, event->resource);

    rh_buf_add(&r->out, r->n++ ? ",\n  {" : "\n  {");
    rh_event_to_json(&r->out, event, r->sources, log);
    if (rh_event_creates(event))
        add_created(r, event);
    if (r->page)
        add_quote(r, event);
    rh_buf_addc(&r->out, '}');
    if (r->out.n > FLUSH_AT)
        flush(r);
}

/* The lines that wait for this resource's event. */
static struct rh_buf *
pending_log(struct rh_report_json *r, const struct rh_log_record *record)
{
    rh_autofree char *resource = rh_printf("%s[%s]", record->type, record->about[0].title);

    for (size_t i = 0; i < r->n_pending; i++)
        if (strcmp(r->pending[i].resource, resource) == 0)
            return &r->pending[i].log;
    r->pending = rh_xgrow(r->pending, &r->cap_pending, r->n_pending, sizeof *r->pending);
    r->pending[r->n_pending] = (struct pending){ .resource = rh_take(&resource) };
    return &r->pending[r->n_pending++].log;
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_report_json *r = data;
    bool one = record->total == 1 && record->n == 1;
    struct rh_buf *log;

    if (record->level == RH_DEBUG)
        return;
    log = one ? pending_log(r, record) : &r->log;
    rh_buf_add(log, log->n ? ", {" : "{");
    rh_log_to_json(log, record, !one);
    rh_buf_addc(log, '}');
}

/* What was said about resources that have no event: to the lines of the run. */
static void
add_leftovers(struct rh_report_json *r)
{
    for (size_t i = 0; i < r->n_pending; i++) {
        struct pending *p = &r->pending[i];

        rh_buf_addf(&r->log, "%s%s", r->log.n ? ", " : "", rh_buf_text(&p->log));
        free(p->resource);
        rh_buf_clear(&p->log);
    }
    r->n_pending = 0;
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_json *r = data;

    add_leftovers(r);
    rh_buf_addf(&r->out, "%s],\n \"log\": [%s],\n \"seconds\": %.3f", r->n ? "\n " : "", rh_buf_text(&r->log),
                end->seconds);
    rh_json_number(&r->out, "exit", end->exit);
    if (end->interrupted)
        rh_json_text(&r->out, "interrupted", end->interrupted);
    rh_counts_to_json(&r->out, &end->counts);
    rh_buf_add(&r->out, "}\n");
    r->ended = true;
    flush(r);
}

struct rh_report_json *
rh_report_json_new(const char *path, const struct rh_sources *sources, struct rh_error *err)
{
    struct rh_report_json *r = rh_xalloc(sizeof *r);

    r->sources = sources;
    r->fd = STDOUT_FILENO;
    if (!path)
        return r;
    if (rh_report_file_open(&r->file, path, err) < 0) {
        free(r);
        return NULL;
    }
    r->fd = r->file.fd;
    return r;
}

struct rh_report_json *
rh_report_html_new(const char *path, const struct rh_sources *sources, struct rh_error *err)
{
    struct rh_report_json *r = rh_report_json_new(path, sources, err);

    if (r)
        r->page = true;
    return r;
}

int
rh_report_json_close(struct rh_report_json *r, struct rh_error *err)
{
    rh_autofree char *path = NULL;
    int rc = 0;

    if (!r)
        return 0;
    if (r->file.path) {
        path = rh_xstrdup(r->file.path);
        if (rh_report_file_close(&r->file, r->ended && !r->trouble) < 0 && !r->trouble)
            r->trouble = errno;
    }
    if (r->trouble)
        rc = rh_error_system(err, r->trouble, "cannot write the report%s%s%s", path ? " '" : "",
                             path ? path : "", path ? "'" : "");
    rh_buf_clear(&r->out);
    rh_buf_clear(&r->log);
    add_leftovers(r);
    rh_buf_clear(&r->log);
    free(r->pending);
    free(r);
    return rc;
}

struct rh_reporter
rh_report_json_reporter(struct rh_report_json *r)
{
    return (struct rh_reporter){
        .data = r,
        .begin = on_begin,
        .event = on_event,
        .log = on_log,
        .end = on_end,
    };
}
