/* SPDX-License-Identifier: Apache-2.0 */
/* report-format - the formats of reports that programs read: what each makes of a run. What they share, the
 * file and the lines of the log until their resource's event comes, is in report.c. */
#ifndef RH_RUN_REPORT_FORMAT_H
#define RH_RUN_REPORT_FORMAT_H

#include "base/text.h"
#include "run/report.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_log_record;

/* Parts of a report that stand behind others, and are made before: each format knows its own. */
enum { RH_REPORT_PARTS = 4 };

struct rh_report {
    const struct rh_report_format *format;
    const struct rh_sources *sources;
    char *run, *started;
    bool noop;
    double begin, now; /* seconds since the epoch: the run's, and of what is reported */
    bool replayed;     /* `now` is when it happened, and not the present */
    size_t n;          /* events so far */
    struct rh_buf out; /* what is to be written next */
    struct rh_buf log; /* lines about several resources, or about none */
    struct rh_buf parts[RH_REPORT_PARTS];
    size_t count[RH_REPORT_PARTS]; /* what a format counts */
};

struct rh_report_format {
    const char *name;    /* as in --format=NAME */
    unsigned mode;       /* of the file */
    const char *between; /* of two lines of a log */
    bool page;           /* what is written is a page that shows it: run/html.h */
    bool sends;          /* it can go to a URL instead of a file */
    /* Each but `end` may be NULL. */
    void (*begin)(struct rh_report *r, const struct rh_run_begin *begin);
    /* `log` has the lines about this resource, with `between` between them. */
    void (*event)(struct rh_report *r, const struct rh_event *event, const char *log);
    /* Appends one line; `resources`: with those that it is about. */
    void (*line)(struct rh_report *r, struct rh_buf *to, const struct rh_log_record *record, bool resources);
    void (*end)(struct rh_report *r, const struct rh_run_end *end);
};

extern const struct rh_report_format rh_report_as_json, rh_report_as_html, rh_report_as_junit,
    rh_report_as_prometheus, rh_report_as_otlp;

/* Appends the lines of the manifest that a failure is about, unless they may have a secret. */
void rh_report_add_quote(const struct rh_report *r, const struct rh_event *event, struct rh_buf *to);

/* report-send.c: hands what was made to the program that sends it. */
RH_CHECKED int rh_report_send(const char *url, const char *headers, const struct rh_buf *text,
                              struct rh_error *err);

/* The program that sends; NULL when it is not installed. The caller's. */
char *rh_report_sender(void);

#endif
