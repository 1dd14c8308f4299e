/* SPDX-License-Identifier: Apache-2.0 */
/* report-json - a run as programs read it: one JSON object. */
#ifndef RH_RUN_REPORT_JSON_H
#define RH_RUN_REPORT_JSON_H

#include "run/event.h"

struct rh_error;
struct rh_report_json;

/* Reports into a file, which is replaced at the end and not before, or (NULL) to standard output. A
 * device, a FIFO or a symbolic link of this name is written to as the run goes. */
struct rh_report_json *rh_report_json_new(const char *path, const struct rh_sources *sources,
                                          struct rh_error *err);

/* Frees it; -1 when the report could not be written. */
int rh_report_json_close(struct rh_report_json *r, struct rh_error *err);

struct rh_reporter rh_report_json_reporter(struct rh_report_json *r);

#endif
