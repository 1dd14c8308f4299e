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

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

struct rh_report_json {
    const struct rh_sources *sources;
    int fd;
    char *path, *beside; /* NULL: standard output */
    struct rh_buf out;
    struct rh_buf log; /* of the resource under way: JSON texts with commas */
    size_t n;
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
}

struct rh_report_json *
rh_report_json_new(const char *path, const struct rh_sources *sources, struct rh_error *err)
{
    struct rh_report_json *r = rh_xalloc(sizeof *r);
    struct stat st;

    r->sources = sources;
    r->fd = STDOUT_FILENO;
    if (!path)
        return r;
    r->path = rh_xstrdup(path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        rh_error_system(err, EISDIR, "cannot write the report '%s'", path);
        r->fd = -1;
        (void)rh_report_json_close(r, NULL);
        return NULL;
    }
    r->beside = rh_printf("%s.XXXXXX", path);
    r->fd = mkostemp(r->beside, O_CLOEXEC);
    if (r->fd < 0) {
        rh_error_system(err, errno, "cannot create the report '%s'", path);
        free(r->beside);
        r->beside = NULL;
        (void)rh_report_json_close(r, NULL);
        return NULL;
    }
    return r;
}

int
rh_report_json_close(struct rh_report_json *r, struct rh_error *err)
{
    int rc = 0;

    if (!r)
        return 0;
    if (r->beside && !r->trouble && (fchmod(r->fd, 0600) < 0 || rename(r->beside, r->path) < 0))
        r->trouble = errno;
    if (r->trouble) {
        rc = rh_error_system(err, r->trouble, "cannot write the report%s%s%s", r->path ? " '" : "",
                             r->path ? r->path : "", r->path ? "'" : "");
        if (r->beside)
            (void)unlink(r->beside);
    }
    if (r->path && r->fd >= 0)
        (void)close(r->fd);
    free(r->path);
    free(r->beside);
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
