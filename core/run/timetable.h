/* SPDX-License-Identifier: Apache-2.0 */
/* timetable - when resources with a schedule had their last turn, kept in the state directory as
 * schedule.json. */
#ifndef RH_RUN_TIMETABLE_H
#define RH_RUN_TIMETABLE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_catalog;
struct rh_error;
struct rh_resource;
struct rh_timetable;

/* *t is NULL when nothing in the catalog has a schedule. */
RH_CHECKED int rh_timetable_open(struct rh_timetable **t, const struct rh_catalog *c, const char *state_dir,
                                 struct rh_error *err);
void rh_timetable_free(struct rh_timetable *t);

/* Whether it may have its turn now. */
bool rh_timetable_allows(const struct rh_timetable *t, const struct rh_resource *r);

/* It had it, and did not fail. */
void rh_timetable_note_run(struct rh_timetable *t, const struct rh_resource *r);

/* Writes what has changed; NULL is fine. */
RH_CHECKED int rh_timetable_save(struct rh_timetable *t, struct rh_error *err);

#endif
