/* SPDX-License-Identifier: Apache-2.0 */
/* subject - the common name of a certificate, which is the directory that its reports go to. */
#ifndef RH_AGENT_SUBJECT_H
#define RH_AGENT_SUBJECT_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_error;

/* The caller's, by free(); NULL with a message, also for a name that is no name of a directory. */
RH_CHECKED char *rh_certificate_name(const char *path, struct rh_error *err);

/* Letters, digits, '.', '_' and '-', of which the last three do not begin it. */
bool rh_is_report_directory(const char *name);

#endif
