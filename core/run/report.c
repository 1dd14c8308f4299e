/* SPDX-License-Identifier: Apache-2.0 */
/* report - what the reports that programs read share: where they are written, and which lines of the log
 * belong to which resource. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/output-file.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/change.h"
#include "run/event-json.h"
#include "run/html.h"
#include "run/report-format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

/* What was said about a resource so far. */
struct lines {
    char *resource; /* "file[/etc/motd]", as it is shown */
    struct rh_buf log;
};

struct rh_report_writer {
    struct rh_report r;
    struct rh_output_file file; /* without a path: standard output */
    int fd;
    const char *url, *headers; /* it is sent there, and not written */
    struct rh_buf *to;         /* it goes there; or NULL */
    struct lines *lines;       /* resources whose events are still to come */
    size_t n_lines, cap_lines;
    bool changes_only;
    bool begun;  /* the page that it is part of was begun */
    bool ended;  /* all of it was said */
    int trouble; /* errno of the first write that failed */
};

static void
flush(struct rh_report_writer *w)
{
    rh_autobuf struct rh_buf page = { 0 };
    bool in_page = w->r.format->page;
    const struct rh_buf *out = in_page ? &page : &w->r.out;

    if (w->url)
        return;
    if (in_page && !w->begun)
        rh_html_begin(&page);
    if (in_page)
        rh_html_add(&page, w->r.out.s, w->r.out.n);
    if (in_page && w->ended)
        rh_html_end(&page);
    w->begun = true;
    if (w->to)
        rh_buf_addn(w->to, out->s, out->n);
    else if (out->n && !w->trouble && rh_write_all(w->fd, out->s, out->n) < 0)
        w->trouble = errno;
    rh_buf_truncate(&w->r.out, 0);
}

void
rh_report_add_quote(const struct rh_report *r, const struct rh_event *event, struct rh_buf *to)
{
    struct rh_place place = rh_event_fault(event);

    if (event->outcome->status != RH_FAILED)
        return;
    if (!place.line)
        place = event->resource->place;
    if (!rh_sources_hidden(r->sources, place))
        rh_sources_add_quote(r->sources, place, to, false);
}

/* Lines of the log. */

/* The lines that wait for this resource's event. A record has the title as it is, and what is read from a
 * journal has it as it is shown. */
static size_t
find_lines(const struct rh_report_writer *w, const char *type, const char *title)
{
    rh_autofree char *raw = rh_printf("%s[%s]", type, title);
    rh_autofree char *shown = rh_safe_text(raw);
    size_t i = 0;

    while (i < w->n_lines && strcmp(w->lines[i].resource, shown) != 0)
        i++;
    return i;
}

static struct rh_buf *
lines_of(struct rh_report_writer *w, const struct rh_log_record *record)
{
    size_t i = find_lines(w, record->type, record->about[0].title);

    if (i == w->n_lines) {
        rh_autofree char *raw = rh_printf("%s[%s]", record->type, record->about[0].title);

        w->lines = rh_xgrow(w->lines, &w->cap_lines, w->n_lines, sizeof *w->lines);
        w->lines[w->n_lines++] = (struct lines){ .resource = rh_safe_text(raw) };
    }
    return &w->lines[i].log;
}

/* The caller's; NULL where nothing was said about it. */
static char *
take_lines(struct rh_report_writer *w, const struct rh_resource *resource)
{
    size_t i = w->n_lines ? find_lines(w, resource->type->type, resource->title) : 0;
    char *log;

    if (i == w->n_lines)
        return NULL;
    log = rh_buf_take(&w->lines[i].log);
    free(w->lines[i].resource);
    w->lines[i] = w->lines[--w->n_lines];
    return log;
}

/* What was said about resources that have no event: to the lines of the run. */
static void
add_leftovers(struct rh_report_writer *w)
{
    for (size_t i = 0; i < w->n_lines; i++) {
        struct lines *l = &w->lines[i];

        if (w->r.log.n)
            rh_buf_add(&w->r.log, w->r.format->between);
        rh_buf_addn(&w->r.log, rh_buf_text(&l->log), l->log.n);
        free(l->resource);
        rh_buf_clear(&l->log);
    }
    w->n_lines = 0;
}

/* What a run says. */

static void
note_time(struct rh_report_writer *w)
{
    if (!w->r.replayed)
        w->r.now = rh_real_time();
}

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    struct rh_report_writer *w = data;

    note_time(w);
    w->r.run = rh_xstrdup(begin->run);
    w->r.started = rh_xstrdup(begin->started);
    w->r.noop = begin->noop;
    w->r.begin = w->r.now;
    if (w->r.format->begin)
        w->r.format->begin(&w->r, begin);
}

static void
on_time(void *data, double seconds)
{
    struct rh_report_writer *w = data;

    w->r.replayed = true;
    w->r.now = seconds;
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_writer *w = data;
    rh_autofree char *log = take_lines(w, event->resource);

    note_time(w);
    if (w->changes_only && !log && rh_event_is_quiet(event))
        return;
    if (w->r.format->event)
        w->r.format->event(&w->r, event, log ? log : "");
    w->r.n++;
    if (w->r.out.n > FLUSH_AT)
        flush(w);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_report_writer *w = data;
    bool one = record->total == 1 && record->n == 1;
    struct rh_buf *log;

    if (record->level == RH_DEBUG || !w->r.format->line)
        return;
    note_time(w);
    log = one ? lines_of(w, record) : &w->r.log;
    if (log->n)
        rh_buf_add(log, w->r.format->between);
    w->r.format->line(&w->r, log, record, !one);
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_writer *w = data;

    note_time(w);
    if (end->rollback && !w->r.replayed)
        w->r.now = w->r.begin + end->seconds; /* and not when that was done, too */
    add_leftovers(w);
    w->r.format->end(&w->r, end);
    w->ended = true;
    flush(w);
}

struct rh_reporter
rh_report_reporter(struct rh_report_writer *w)
{
    return (struct rh_reporter){
        .data = w,
        .program = true,
        .begin = on_begin,
        .time = on_time,
        .event = on_event,
        .log = on_log,
        .end = on_end,
    };
}

/* Where it goes. */

static bool
is_url(const char *path)
{
    return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

/* A name and a password in a URL would be seen by everybody who lists processes. */
static int
check_url(const char *url, struct rh_error *err)
{
    rh_autofree char *program = rh_report_sender();
    const char *host = strstr(url, "://") + 3;

    if (memchr(host, '@', strcspn(host, "/?#"))) {
        (void)rh_error_set(err, RH_EINPUT, "a URL that a report is sent to cannot have a user or a password");
        return rh_error_suggest(err, NULL, "write an Authorization header into a file, for --otlp-headers");
    }
    if (!*host || *host == '/')
        return rh_error_set(err, RH_EINPUT, "the URL '%s' has no host", url);
    if (program)
        return 0;
    (void)rh_error_set(err, RH_EINPUT, "cannot send a report to '%s': rhost-otlp is not installed", url);
    return rh_error_suggest(err, NULL, "install the package rhost-otlp, or write the report to a file");
}

struct rh_report_writer *
rh_report_new(const struct rh_report_options *options, struct rh_error *err)
{
    struct rh_report_writer *w = rh_xalloc(sizeof *w);
    const char *path = options->path;

    w->r.format = rh_report_formats[options->kind];
    w->r.sources = options->sources;
    w->to = options->to;
    w->changes_only = options->changes_only;
    w->fd = STDOUT_FILENO;
    if (!path)
        return w;
    if (w->r.format->sends && is_url(path)) {
        w->url = path;
        w->headers = options->headers;
        if (check_url(path, err) == 0)
            return w;
    } else if (rh_output_file_open(&w->file, path, w->r.format->mode, err) == 0) {
        w->fd = w->file.fd;
        return w;
    }
    free(w);
    return NULL;
}

bool
rh_report_is_sent(const struct rh_report_writer *w)
{
    return w->url;
}

int
rh_report_close(struct rh_report_writer *w, struct rh_error *err)
{
    rh_autofree char *path = NULL;
    int rc = 0;

    if (!w)
        return 0;
    if (w->file.path) {
        path = rh_xstrdup(w->file.path);
        if (rh_output_file_close(&w->file, w->ended && !w->trouble) < 0 && !w->trouble)
            w->trouble = errno;
    }
    if (w->trouble)
        rc = rh_error_system(err, w->trouble, "cannot write the report%s%s%s", path ? " '" : "",
                             path ? path : "", path ? "'" : "");
    else if (w->url && w->ended && rh_report_send(w->url, w->headers, &w->r.out, err) < 0)
        rc = 1;
    add_leftovers(w);
    for (size_t i = 0; i < RH_REPORT_PARTS; i++)
        rh_buf_clear(&w->r.parts[i]);
    rh_buf_clear(&w->r.out);
    rh_buf_clear(&w->r.log);
    free(w->r.run);
    free(w->r.started);
    free(w->lines);
    free(w);
    return rc;
}
