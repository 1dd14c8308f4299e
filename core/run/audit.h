/* SPDX-License-Identifier: Apache-2.0 */
/* audit - what watched attributes were when they were last looked at, kept in the state directory as
 * audit.json, and what has become of them since. */
#ifndef RH_RUN_AUDIT_H
#define RH_RUN_AUDIT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_audit;
struct rh_catalog;
struct rh_difference;
struct rh_error;
struct rh_outcome;
struct rh_resource;
struct rh_watch;

/* *audit is NULL when nothing in the catalog is watched. */
RH_CHECKED int rh_audit_open(struct rh_audit **audit, const struct rh_catalog *c, const char *state_dir,
                             struct rh_error *err);
void rh_audit_free(struct rh_audit *audit);

/* What is to be told of this resource; NULL when nothing is. */
const struct rh_watch *rh_audit_watch(struct rh_audit *audit, const struct rh_resource *r);

/* Compares what was read with what is recorded, and then, with `record`, records how it is left. Findings
 * without `since` are first times, which are only told when they are recorded. What is found stays until the
 * next call. */
size_t rh_audit_compare(struct rh_audit *audit, const struct rh_resource *r, const struct rh_outcome *outcome,
                        bool record, const struct rh_difference **findings);

/* Writes what has changed; NULL is fine. */
RH_CHECKED int rh_audit_save(struct rh_audit *audit, struct rh_error *err);

#endif
