/* SPDX-License-Identifier: Apache-2.0 */
/* event-json - events as JSON: the same object in reports and journals. */
#ifndef RH_RUN_EVENT_JSON_H
#define RH_RUN_EVENT_JSON_H

struct rh_buf;
struct rh_counts;
struct rh_event;
struct rh_sources;

/* Adds the object, without what is sensitive. `log` is JSON text of a list, or NULL. */
void rh_event_to_json(struct rh_buf *b, const struct rh_event *event,
                      const struct rh_sources *sources, const char *log);

/* Adds {"total": ..., ...}: statuses that nobody has are left out, save the five that always are. */
void rh_counts_to_json(struct rh_buf *b, const struct rh_counts *counts);

/* Why a resource failed, was skipped or is gone; NULL when there is nothing to say. The caller's. */
char *rh_event_reason(const struct rh_event *event);

#endif
