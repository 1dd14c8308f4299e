/* SPDX-License-Identifier: Apache-2.0 */
/* report - the reports of a run: text for people, formats for programs, and the file of one. */
#ifndef RH_RUN_REPORT_H
#define RH_RUN_REPORT_H

#include "base/cleanup.h"
#include "run/event.h"

#include <stdbool.h>

struct rh_arena;
struct rh_buf;
struct rh_entry;
struct rh_error;
struct rh_event_file;
struct rh_report_events;
struct rh_report_live;
struct rh_report_text;
struct rh_report_writer;

/* report-text.c: a run as people read it. */

struct rh_report_text_options {
    const struct rh_sources *sources;
    int fd;
    bool colour;
    bool diff;
    bool verbose;  /* resources in sync too */
    bool quiet;    /* failures only */
    bool causes;   /* of each change, and not only drift */
    bool replayed; /* it happened earlier: what was said then is a part of it */
    bool no_log;   /* what is said meanwhile is reported elsewhere */
};

struct rh_report_text *rh_report_text_new(const struct rh_report_text_options *options);
void rh_report_text_free(struct rh_report_text *r);
/* Hands over what was not written yet. */
void rh_report_text_flush(struct rh_report_text *r);
struct rh_reporter rh_report_text_reporter(struct rh_report_text *r);

/* report.c: a run as programs read it, in one of several formats (report-formats.c). */

enum rh_report_kind {
    RH_REPORT_JSON,  /* one JSON object */
    RH_REPORT_HTML,  /* the same as a page for browsers (run/html.h), which quotes the lines of what failed */
    RH_REPORT_JUNIT, /* a test case for each resource, as JUnit's XML */
    RH_REPORT_PROMETHEUS, /* metrics, for the textfile collector of a node exporter */
    RH_REPORT_OTLP,       /* a trace of OpenTelemetry, as OTLP/JSON */
    RH_REPORTS
};

struct rh_report_options {
    enum rh_report_kind kind;
    /* A file is replaced at the end and not before; a device, a FIFO or a symbolic link of this name is
     * written to. NULL: standard output. A trace can go to a URL. */
    const char *path;
    const char *headers; /* a file with headers for the URL, or NULL */
    bool changes_only;   /* resources of which there is nothing to say are counted, and not listed */
    struct rh_buf *to;   /* it is appended there, and goes nowhere else; or NULL */
    const struct rh_sources *sources;
};

/* NULL when nothing can be written there. */
RH_CHECKED struct rh_report_writer *rh_report_new(const struct rh_report_options *options,
                                                  struct rh_error *err);

/* Frees it. -1 when the report could not be written, 1 when it could not be sent. */
RH_CHECKED int rh_report_close(struct rh_report_writer *w, struct rh_error *err);

/* Whether it goes to a URL, when it is closed. */
bool rh_report_is_sent(const struct rh_report_writer *w);

struct rh_reporter rh_report_reporter(struct rh_report_writer *w);

struct rh_report_format;
extern const struct rh_report_format *const rh_report_formats[RH_REPORTS];

/* report-live.c: the status line of a run on the terminal `fd`: what it is at. */

struct rh_report_live *rh_report_live_new(int fd, bool colour);
void rh_report_live_free(struct rh_report_live *r);
struct rh_reporter rh_report_live_reporter(struct rh_report_live *r);

/* report-events.c: JSON lines for programs, as things happen: docs/events.schema.json. */

struct rh_report_events *rh_report_events_new(struct rh_event_file *to, const struct rh_sources *sources,
                                              bool changes_only);
void rh_report_events_free(struct rh_report_events *r);
struct rh_reporter rh_report_events_reporter(struct rh_report_events *r);

/* created.c: what a resource is created with: its desired properties, which no difference names. */

/* Whether this resource was, or would be, created. */
bool rh_event_creates(const struct rh_event *event);

/* Adds "created" to a hash: what it is created with, where it is. */
void rh_created_to_json(struct rh_buf *b, const struct rh_event *event, const struct rh_sources *sources);

/* The next property, from `*at` on (0: the first), without the secrets of the run; false at the end. */
bool rh_event_next_created(const struct rh_event *event, const struct rh_sources *sources, struct rh_arena *a,
                           size_t *at, struct rh_entry *created);

/* diff.c: two texts as people compare them: a unified diff. */

/* Adds a unified diff with three lines of context, each line behind `indent`, escaped for a
 * terminal; colours when asked. Texts too different to be compared in reasonable time come as
 * everything removed and everything added. */
void rh_diff_unified(struct rh_buf *b, const char *from, size_t n_from, const char *to, size_t n_to,
                     const char *indent, int colour);

#endif
