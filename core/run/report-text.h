/* SPDX-License-Identifier: Apache-2.0 */
/* report-text - a run as people read it. */
#ifndef RH_RUN_REPORT_TEXT_H
#define RH_RUN_REPORT_TEXT_H

#include "run/event.h"

struct rh_report_text_options {
    const struct rh_sources *sources;
    int fd;
    bool colour;
    bool diff;
    bool verbose; /* resources in sync too */
    bool quiet;   /* failures only */
    bool replayed; /* it happened earlier: what was said then is a part of it */
};

struct rh_report_text;

struct rh_report_text *rh_report_text_new(const struct rh_report_text_options *options);
void rh_report_text_free(struct rh_report_text *r);
/* Hands over what was not written yet. */
void rh_report_text_flush(struct rh_report_text *r);
struct rh_reporter rh_report_text_reporter(struct rh_report_text *r);

#endif
