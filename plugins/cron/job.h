/* SPDX-License-Identifier: Apache-2.0 */
/* job - a job as attributes, and as lines. */
#ifndef CRON_JOB_H
#define CRON_JOB_H

#include "tab.h"

/* What the lines of a job say, as attributes. What can't be understood stays unknown. */
void job_report(rhost_ctx *ctx, rhost_value *into, const struct rhost_lines *l, const char *target,
                const struct tab_job *job);

/* Whether it can be a name or a command: one line of text without blanks at its ends. */
int job_is_text(const char *at, size_t len);

/* A target_edit: makes a change in the lines. */
const char *job_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);

#endif
