/* SPDX-License-Identifier: Apache-2.0 */
/* change - one attribute that is not as desired, or not as it was: the record that the journal, reports, the
 * audit and plans share (struct rh_difference). Here it is written as JSON, read again and compared. */
#ifndef RH_RUN_CHANGE_H
#define RH_RUN_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_difference;
struct rh_event;
struct rh_value;

enum rh_change_kind {
    RH_CHANGE_DIFFERENCE, /* between the current and the desired value */
    RH_CHANGE_FINDING,    /* of the audit: between the recorded and the current value */
};

/* Adds the list as a member of a hash, as base/json-writer.h does. */
void rh_changes_to_json(struct rh_buf *b, const char *key, enum rh_change_kind kind,
                        const struct rh_difference *v, size_t n);

/* Reads such a list from a file, where anything may stand: what is no change is left out, and names are made
 * fit to be shown. `list` may be NULL. Returns how many there are; they live in `a`, and `list` does. */
size_t rh_changes_from_json(struct rh_arena *a, const struct rh_value *list, const struct rh_difference **v);

/* The value of this member of a hash, where "[redacted]" stands for one that is sensitive; NULL for null. */
const struct rh_value *rh_change_value(struct rh_arena *a, const struct rh_value *change, const char *key);

/* Whether both say the same; values that are sensitive are not known, and equal. */
bool rh_change_equal(const struct rh_difference *a, const struct rh_difference *b);

/* Whether any finding tells of a change, and not of a first time. */
bool rh_findings_any_change(const struct rh_difference *findings, size_t n);

/* Whether there is nothing to say of a resource: it is in sync, and neither a guard nor the audit has found
 * anything; or it was not for this run. It is counted, and no more. */
bool rh_event_is_quiet(const struct rh_event *event);

#endif
