/* SPDX-License-Identifier: Apache-2.0 */
/* reports - the reports of a run that the settings ask for, beside what is printed. */
#ifndef RH_CLI_REPORTS_H
#define RH_CLI_REPORTS_H

#include "base/cleanup.h"
#include "run/report.h"

struct rh_error;
struct rh_event_file;
struct rh_settings;
struct rh_sources;

struct rh_reports {
    struct rh_report_writer *v[RH_REPORTS]; /* by enum rh_report_kind; NULL: not asked for */
    struct rh_report_writer *standard;      /* what is on standard output instead of text; or NULL */
};

/* -1 when one can't be written, or would replace a file that is read by the run. */
RH_CHECKED int rh_reports_open(struct rh_reports *r, const struct rh_settings *o,
                               const struct rh_sources *sources, struct rh_error *err);

/* Writes those that are files. Returns the status of the run, which one that can't be written makes a
 * failure. */
int rh_reports_close(struct rh_reports *r, int status);

/* Opens what --events names. NULL when it can't be written, or is something else's. */
RH_CHECKED struct rh_event_file *rh_events_open(const struct rh_settings *o, const struct rh_sources *sources,
                                                struct rh_error *err);

/* Ends them. Returns the status of the run, which lines that were lost make a failure. */
int rh_events_close(struct rh_event_file *events, int status);

/* Sends the others: when that fails, it is a warning. */
void rh_reports_send(struct rh_reports *r);

#endif
