/* SPDX-License-Identifier: Apache-2.0 */
/* report-json - a run as programs read it: one JSON object, written as the run goes. */
#include "config.h"

#include "run/report-json.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "run/event-json.h"
#include "run/report-file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

struct rh_report_json {
    const struct rh_sources *sources;
    int fd;
    struct rh_report_file file; /* without a path: standard output */
    struct rh_buf out;
    struct rh_buf log; /* of the resource under way: JSON texts with commas */
    size_t n;
    bool ended;  /* all of it was said */
    int trouble; /* errno of the first write that failed */
};

static void
flush(struct rh_report_json *r)
{
    if (r->out.n && !r->trouble && rh_write_all(r->fd, r->out.s, r->out.n) < 0)
        r->trouble = errno;
    rh_buf_truncate(&r->out, 0);
}

static void
on_begin(void *data, const char *run, const char *started, bool noop)
{
    struct rh_report_json *r = data;

    rh_buf_addf(&r->out,
                "{\"rhost\": \"%s\", \"run\": \"%s\", \"noop\": %s, \"started\": \"%s\",\n \"resources\": [",
                PACKAGE_VERSION, run, noop ? "true" : "false", started);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_json *r = data;
    rh_autofree char *log = r->log.n ? rh_printf("[%s]", r->log.s) : NULL;

    rh_buf_add(&r->out, r->n++ ? ",\n  " : "\n  ");
    rh_event_to_json(&r->out, event, r->sources, log);
    rh_buf_truncate(&r->log, 0);
    if (r->out.n > FLUSH_AT)
        flush(r);
}

static void
on_log(void *data, enum rh_level level, bool generated, const char *text)
{
    struct rh_report_json *r = data;

    (void)generated;
    if (level == RH_DEBUG)
        return;
    rh_buf_addf(&r->log, "%s{\"level\": \"%s\", \"message\": ", r->log.n ? ", " : "",
                rh_level_name(level));
    rh_json_string(&r->log, text, strlen(text));
    rh_buf_addc(&r->log, '}');
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_json *r = data;

    rh_buf_addf(&r->out, "%s],\n \"log\": [%s],\n \"seconds\": %.3f, \"exit\": %d, \"counts\": ",
                r->n ? "\n " : "", rh_buf_text(&r->log), end->seconds, end->exit);
    rh_counts_to_json(&r->out, &end->counts);
    rh_buf_add(&r->out, "}\n");
    flush(r);
    r->ended = true;
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
