/* SPDX-License-Identifier: Apache-2.0 */
/* report-parts - the parts of a report as text, for the files that make it. */
#ifndef RH_RUN_REPORT_PARTS_H
#define RH_RUN_REPORT_PARTS_H

#include "run/report.h"

struct rh_value;

/* Adds a line for each difference of a resource, and under noop, or where the options ask for it, for what it
 * is created with. */
void rh_report_differences(struct rh_buf *b, const struct rh_report_text_options *o, bool noop,
                           const struct rh_event *event);

/* Adds a value; "(none)" for NULL. */
void rh_report_value(struct rh_buf *b, const struct rh_value *v);

#endif
