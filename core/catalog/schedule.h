/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - when a resource may have its turn. A question of the clock on the wall: local time. */
#ifndef RH_CATALOG_SCHEDULE_H
#define RH_CATALOG_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_value;

enum rh_period { RH_EACH_RUN, RH_HOURLY, RH_DAILY, RH_WEEKLY, RH_MONTHLY, RH_NEVER };

/* Seconds since midnight, both included; over midnight when it ends before it begins. */
struct rh_range {
    int32_t from, to;
};

struct rh_schedule {
    const char *name; /* or NULL, when it stands on the resource itself */
    enum rh_period period;
    bool by_number; /* the same period of the calendar counts, not the distance */
    uint32_t repeat; /* times in a period; at least 1 */
    uint8_t weekdays; /* bit 0 is Sunday; none: all */
    struct rh_range *ranges;
    size_t n_ranges; /* 0: the whole day */
};

/* When a resource had its last turn; none: never. */
struct rh_last_turn {
    int64_t when;
    uint32_t times; /* in the calendar's period that `when` is in */
};

/* Whether a resource that had its last turn then may have one now. A clock that was turned back keeps
 * nobody waiting. */
bool rh_schedule_allows(const struct rh_schedule *s, const struct rh_last_turn *last, int64_t now);

/* What is known of it after a turn now. */
struct rh_last_turn rh_schedule_after(const struct rh_schedule *s, const struct rh_last_turn *last,
                                      int64_t now);

/* The period of this name; -1 when there is none. */
int rh_period_find(const char *word);
const char *rh_period_name(enum rh_period period);

/* As a manifest has it on a resource. */
struct rh_value *rh_schedule_to_value(struct rh_arena *a, const struct rh_schedule *s);

#endif
