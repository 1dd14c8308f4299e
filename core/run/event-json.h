/* SPDX-License-Identifier: Apache-2.0 */
/* event-json - events as JSON: the same object in reports and journals. */
#ifndef RH_RUN_EVENT_JSON_H
#define RH_RUN_EVENT_JSON_H

#include "base/place.h"

#include <stdbool.h>

struct rh_buf;
struct rh_counts;
struct rh_event;
struct rh_log_record;
struct rh_resource;
struct rh_run_begin;
struct rh_run_end;
struct rh_sources;

/* docs/reference/reports.md says when these numbers grow. */
enum { RH_REPORT_FORMAT = 1, RH_EVENTS_FORMAT = 1 };

/* These add members of a hash, without the braces, as base/json-writer.h does. */

/* "host": {"id": ..., "name": ...}; the id is null when it is not known. */
void rh_host_to_json(struct rh_buf *b, const char *id, const char *name);

/* The version of rhost, the machine, the run, its number, whether it is a dry run, and when it started. */
void rh_run_begin_to_json(struct rh_buf *b, const struct rh_run_begin *begin);

/* What happened to a resource, without what is sensitive. `log` is JSON text of a list, or NULL. */
void rh_event_to_json(struct rh_buf *b, const struct rh_event *event, const struct rh_sources *sources,
                      const char *log);

/* "resource": "file[/etc/motd]", "location": {"file": "site.yaml", "line": 3, "column": 5} or null. */
void rh_resource_to_json(struct rh_buf *b, const struct rh_resource *r, const struct rh_sources *sources);

/* A log line: "level": ..., with `resources` "resources":
 * ["file[/etc/motd]"] or "resource_type", "label" where there is one, "message": ... */
void rh_log_to_json(struct rh_buf *b, const struct rh_log_record *record, bool resources);

/* When, how and after how long it ended, and the counts; but not what became of its rollback. */
void rh_run_end_to_json(struct rh_buf *b, const struct rh_run_end *end);

/* "counts": {"total": ..., ...}: statuses that nobody has are left out, save the five that always are. */
void rh_counts_to_json(struct rh_buf *b, const struct rh_counts *counts);

/* Where the manifest has the attribute that a resource failed for; line 0 when that is not known. */
struct rh_place rh_event_fault(const struct rh_event *event);

/* Why a resource failed, was skipped or is gone; NULL when there is nothing to say. The caller's. */
char *rh_event_reason(const struct rh_event *event);

/* The code of that, for what failed, was skipped or is not known; 0: none. */
unsigned rh_event_code(const struct rh_event *event);

#endif
