/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - when a resource may have its turn. */
#include "config.h"

#include "catalog/meta.h"

#include "base/arena.h"
#include "base/value.h"

#include <string.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

static const char *const period_names[] = { "", "hourly", "daily", "weekly", "monthly", "never" };

static const int64_t lengths[] = {
    [RH_HOURLY] = HOUR,
    [RH_DAILY] = DAY,
    [RH_WEEKLY] = 7 * DAY,
    [RH_MONTHLY] = INT64_C(30) * DAY,
};

int
rh_period_find(const char *word)
{
    for (int i = RH_HOURLY; i <= RH_NEVER; i++)
        if (strcmp(period_names[i], word) == 0)
            return i;
    return -1;
}

const char *
rh_period_name(enum rh_period period)
{
    return period_names[period];
}

static struct tm
local(int64_t when)
{
    time_t t = (time_t)when;
    struct tm tm = { .tm_year = 70, .tm_mday = 1 };

    (void)localtime_r(&t, &tm); /* fails for years that no clock shows */
    return tm;
}

/* What a clock on the wall shows, as seconds: it jumps where summer time begins and ends. */
static int64_t
on_the_wall(int64_t when)
{
    struct tm tm = local(when);

    tm.tm_isdst = 0;
    return timegm(&tm);
}

static bool
is_day(const struct rh_schedule *s, int day)
{
    return !s->weekdays || s->weekdays >> (day + 7) % 7 & 1;
}

/* A range over midnight belongs to the day on which it begins. */
static bool
in_window(const struct rh_schedule *s, int64_t now)
{
    struct tm tm = local(now);
    int32_t at = tm.tm_hour * HOUR + tm.tm_min * MINUTE + (tm.tm_sec < 60 ? tm.tm_sec : 59);

    if (!s->n_ranges)
        return is_day(s, tm.tm_wday);
    for (size_t i = 0; i < s->n_ranges; i++) {
        const struct rh_time_range *r = &s->ranges[i];

        if (r->from < r->to) {
            if (at >= r->from && at <= r->to && is_day(s, tm.tm_wday))
                return true;
        } else if ((at >= r->from && is_day(s, tm.tm_wday)) || (at <= r->to && is_day(s, tm.tm_wday - 1))) {
            return true;
        }
    }
    return false;
}

/* A number that is the same for all times of one period of the calendar. */
static int64_t
number_of(enum rh_period period, int64_t when)
{
    struct tm tm = local(when);
    int64_t day = on_the_wall(when) / DAY;

    switch (period) {
    case RH_HOURLY:
        return (when + tm.tm_gmtoff) / HOUR * 4 + (tm.tm_isdst > 0); /* an hour may come twice */
    case RH_DAILY:
        return day;
    case RH_WEEKLY:
        return day - tm.tm_wday; /* its Sunday */
    case RH_MONTHLY:
        return (int64_t)tm.tm_year * 12 + tm.tm_mon;
    default:
        return when;
    }
}

static bool
is_due(const struct rh_schedule *s, const struct rh_last_run *last, int64_t now)
{
    int64_t passed = now - last->when, wall;

    if (s->period == RH_EACH_RUN || !last->times)
        return true;
    if (s->by_number)
        return number_of(s->period, last->when) != number_of(s->period, now) || last->times < s->repeat;
    /* The day on which summer time begins has 23 hours, and is a day all the same. */
    wall = on_the_wall(now) - on_the_wall(last->when);
    if (s->period >= RH_DAILY && wall > passed)
        passed = wall;
    return now < last->when || passed >= lengths[s->period] / s->repeat;
}

bool
rh_schedule_allows(const struct rh_schedule *s, const struct rh_last_run *last, int64_t now)
{
    if (s->period == RH_NEVER)
        return (s->n_ranges || s->weekdays) && !in_window(s, now);
    return in_window(s, now) && is_due(s, last, now);
}

struct rh_last_run
rh_schedule_after(const struct rh_schedule *s, const struct rh_last_run *last, int64_t now)
{
    bool same = last->times && number_of(s->period, last->when) == number_of(s->period, now);

    return (struct rh_last_run){
        .when = now,
        .times = same && last->times < UINT32_MAX ? last->times + 1 : 1,
    };
}

static struct rh_value *
range_text(struct rh_arena *a, const struct rh_time_range *r)
{
    return rh_value_string(a, rh_arena_printf(a, "%02d:%02d:%02d - %02d:%02d:%02d", r->from / HOUR,
                                              r->from / MINUTE % 60, r->from % 60, r->to / HOUR,
                                              r->to / MINUTE % 60, r->to % 60));
}

struct rh_value *
rh_schedule_to_value(struct rh_arena *a, const struct rh_schedule *s)
{
    struct rh_value *v = rh_value_new(a, RH_HASH), *list;

    if (s->name)
        rh_value_put(v, "name", rh_value_string(a, s->name));
    if (s->period != RH_EACH_RUN)
        rh_value_put(v, "period", rh_value_string(a, period_names[s->period]));
    if (s->by_number)
        rh_value_put(v, "periodmatch", rh_value_string(a, "number"));
    if (s->repeat > 1)
        rh_value_put(v, "repeat", rh_value_integer(a, s->repeat));
    if (s->weekdays) {
        list = rh_value_new(a, RH_ARRAY);
        for (int day = 0; day < 7; day++)
            if (s->weekdays >> day & 1)
                rh_value_append(list, rh_value_integer(a, day));
        rh_value_put(v, "weekday", list);
    }
    if (s->n_ranges) {
        list = rh_value_new(a, RH_ARRAY);
        for (size_t i = 0; i < s->n_ranges; i++)
            rh_value_append(list, range_text(a, &s->ranges[i]));
        rh_value_put(v, "range", list);
    }
    return v;
}
