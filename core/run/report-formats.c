/* SPDX-License-Identifier: Apache-2.0 */
/* report-formats - the table of formats that a run is reported in, for programs. */
#include "config.h"

#include "run/report-format.h"

const struct rh_report_format *const rh_report_formats[RH_REPORTS] = {
    [RH_REPORT_JSON] = &rh_report_as_json,   [RH_REPORT_HTML] = &rh_report_as_html,
    [RH_REPORT_JUNIT] = &rh_report_as_junit, [RH_REPORT_PROMETHEUS] = &rh_report_as_prometheus,
    [RH_REPORT_OTLP] = &rh_report_as_otlp,
};
