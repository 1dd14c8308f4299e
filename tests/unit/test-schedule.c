/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: what the clock on the wall allows, in a place with summer time. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "catalog/meta.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { H = 3600, SUN = 1, MON = 2, SAT = 64 };

/* "2026-11-21 02:00:00 +0100" in seconds. */
static int64_t
at(const char *text)
{
    struct tm tm = { 0 };
    const char *end = strptime(text, "%Y-%m-%d %H:%M:%S %z", &tm);
    long offset = tm.tm_gmtoff;

    assert_true(end && !*end);
    tm.tm_gmtoff = 0;
    return timegm(&tm) - offset;
}

static const struct rh_last_run never = { 0 };

static struct rh_last_run
once(const char *text)
{
    return (struct rh_last_run){ .when = at(text), .times = 1 };
}

static bool
window(int32_t from, int32_t to, uint8_t days, const char *now)
{
    struct rh_time_range range = { .from = from, .to = to };
    const struct rh_schedule s = { .repeat = 1, .ranges = &range, .n_ranges = 1, .weekdays = days };

    return rh_schedule_allows(&s, &never, at(now));
}

static bool
due(enum rh_period period, uint32_t repeat, bool by_number, const char *last, const char *now)
{
    const struct rh_schedule s = { .period = period, .repeat = repeat, .by_number = by_number };
    const struct rh_last_run turn = once(last);

    return rh_schedule_allows(&s, &turn, at(now));
}

static void
a_range_has_both_its_ends(void **state)
{
    (void)state;
    assert_false(window(2 * H, 4 * H, 0, "2026-11-21 01:59:59 +0100"));
    assert_true(window(2 * H, 4 * H, 0, "2026-11-21 02:00:00 +0100"));
    assert_true(window(2 * H, 4 * H, 0, "2026-11-21 04:00:00 +0100"));
    assert_false(window(2 * H, 4 * H, 0, "2026-11-21 04:00:01 +0100"));
}

static void
a_range_over_midnight_belongs_to_the_day_it_begins_on(void **state)
{
    (void)state;
    assert_true(window(22 * H, 4 * H, SAT, "2026-11-21 23:00:00 +0100")); /* a Saturday */
    assert_true(window(22 * H, 4 * H, SAT, "2026-11-22 02:00:00 +0100")); /* Sunday */
    assert_false(window(22 * H, 4 * H, SAT, "2026-11-21 02:00:00 +0100"));
    assert_false(window(22 * H, 4 * H, SAT, "2026-11-22 23:00:00 +0100"));
    assert_true(window(22 * H, 4 * H, SUN, "2026-11-23 02:00:00 +0100")); /* Monday */
    assert_true(window(22 * H, 4 * H, SAT | SUN, "2026-11-22 02:00:00 +0100"));
    assert_false(window(22 * H, 4 * H, 0, "2026-11-22 12:00:00 +0100"));
}

static void
a_range_that_ends_where_it_begins_is_the_whole_day(void **state)
{
    (void)state;
    assert_true(window(4 * H, 4 * H, 0, "2026-11-22 03:59:00 +0100"));
    assert_true(window(4 * H, 4 * H, 0, "2026-11-22 12:00:00 +0100"));
}

static void
a_range_means_the_clock_on_the_wall_in_summer_and_winter(void **state)
{
    (void)state;
    assert_true(window(2 * H, 3 * H, 0, "2026-07-01 02:30:00 +0200"));
    assert_true(window(2 * H, 3 * H, 0, "2026-12-01 02:30:00 +0100"));
    /* On the night when summer time ends, half past two comes twice. */
    assert_true(window(2 * H, 3 * H, 0, "2026-10-25 02:30:00 +0200"));
    assert_true(window(2 * H, 3 * H, 0, "2026-10-25 02:30:00 +0100"));
    /* When it begins, it does not come. */
    assert_false(window(2 * H + 60, 3 * H - 60, 0, "2026-03-29 01:59:59 +0100"));
    assert_false(window(2 * H + 60, 3 * H - 60, 0, "2026-03-29 03:00:00 +0200"));
}

static void
weekdays_alone_are_whole_days(void **state)
{
    const struct rh_schedule s = { .repeat = 1, .weekdays = MON };

    (void)state;
    assert_false(rh_schedule_allows(&s, &never, at("2026-11-22 23:59:59 +0100")));
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-23 00:00:00 +0100")));
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-23 23:59:59 +0100")));
    assert_false(rh_schedule_allows(&s, &never, at("2026-11-24 00:00:00 +0100")));
}

static void
a_period_is_a_distance(void **state)
{
    const struct rh_schedule daily = { .period = RH_DAILY, .repeat = 1 };

    (void)state;
    assert_true(rh_schedule_allows(&daily, &never, at("2026-11-21 12:00:00 +0100")));
    assert_false(due(RH_DAILY, 1, false, "2026-11-20 12:00:00 +0100", "2026-11-21 11:59:59 +0100"));
    assert_true(due(RH_DAILY, 1, false, "2026-11-20 12:00:00 +0100", "2026-11-21 12:00:00 +0100"));
    assert_false(due(RH_HOURLY, 6, false, "2026-11-20 12:00:00 +0100", "2026-11-20 12:09:59 +0100"));
    assert_true(due(RH_HOURLY, 6, false, "2026-11-20 12:00:00 +0100", "2026-11-20 12:10:00 +0100"));
    assert_false(due(RH_WEEKLY, 1, false, "2026-11-14 12:00:00 +0100", "2026-11-21 11:00:00 +0100"));
    assert_true(due(RH_WEEKLY, 1, false, "2026-11-14 12:00:00 +0100", "2026-11-21 12:00:00 +0100"));
    assert_false(due(RH_MONTHLY, 1, false, "2026-11-01 12:00:00 +0100", "2026-11-30 12:00:00 +0100"));
    assert_true(due(RH_MONTHLY, 1, false, "2026-11-01 12:00:00 +0100", "2026-12-01 12:00:00 +0100"));
}

static void
the_day_on_which_summer_time_begins_is_a_day(void **state)
{
    (void)state;
    assert_true(due(RH_DAILY, 1, false, "2026-03-28 12:00:00 +0100", "2026-03-29 12:00:00 +0200"));
    assert_true(due(RH_DAILY, 1, false, "2026-10-24 12:00:00 +0200", "2026-10-25 12:00:00 +0100"));
    assert_false(due(RH_HOURLY, 1, false, "2026-03-29 01:30:00 +0100", "2026-03-29 03:15:00 +0200"));
}

static void
a_period_may_be_that_of_the_calendar(void **state)
{
    (void)state;
    assert_true(due(RH_HOURLY, 1, true, "2026-11-20 12:59:00 +0100", "2026-11-20 13:00:00 +0100"));
    assert_false(due(RH_HOURLY, 1, true, "2026-11-20 12:00:00 +0100", "2026-11-20 12:59:00 +0100"));
    assert_true(due(RH_HOURLY, 1, true, "2026-11-20 12:00:00 +0100", "2026-11-21 12:00:00 +0100"));
    assert_true(due(RH_HOURLY, 1, true, "2026-10-25 02:30:00 +0200", "2026-10-25 02:30:00 +0100"));
    assert_true(due(RH_DAILY, 1, true, "2026-11-20 23:59:00 +0100", "2026-11-21 00:01:00 +0100"));
    assert_false(due(RH_DAILY, 1, true, "2026-11-20 00:01:00 +0100", "2026-11-20 23:59:00 +0100"));
    assert_true(due(RH_WEEKLY, 1, true, "2026-11-21 12:00:00 +0100", "2026-11-22 00:00:00 +0100"));
    assert_false(due(RH_WEEKLY, 1, true, "2026-11-22 12:00:00 +0100", "2026-11-28 23:59:00 +0100"));
    assert_true(due(RH_MONTHLY, 1, true, "2026-11-30 23:00:00 +0100", "2026-12-01 00:00:00 +0100"));
    assert_false(due(RH_MONTHLY, 1, true, "2026-11-01 00:00:00 +0100", "2026-11-30 23:00:00 +0100"));
}

static void
turns_are_counted_within_a_period_of_the_calendar(void **state)
{
    const struct rh_schedule s = { .period = RH_DAILY, .repeat = 2, .by_number = true };
    struct rh_last_run turn = { 0 };

    (void)state;
    turn = rh_schedule_after(&s, &turn, at("2026-11-20 01:00:00 +0100"));
    assert_int_equal(turn.times, 1);
    assert_true(rh_schedule_allows(&s, &turn, at("2026-11-20 01:01:00 +0100")));
    turn = rh_schedule_after(&s, &turn, at("2026-11-20 01:01:00 +0100"));
    assert_int_equal(turn.times, 2);
    assert_false(rh_schedule_allows(&s, &turn, at("2026-11-20 23:00:00 +0100")));
    assert_true(rh_schedule_allows(&s, &turn, at("2026-11-21 00:00:00 +0100")));
    turn = rh_schedule_after(&s, &turn, at("2026-11-21 00:00:00 +0100"));
    assert_int_equal(turn.times, 1);
}

static void
a_clock_that_was_turned_back_keeps_nobody_waiting(void **state)
{
    (void)state;
    assert_true(due(RH_DAILY, 1, false, "2040-01-01 12:00:00 +0100", "2026-11-20 12:00:00 +0100"));
    assert_true(due(RH_DAILY, 1, true, "2040-01-01 12:00:00 +0100", "2026-11-20 12:00:00 +0100"));
}

static void
never_is_never_or_not_in_its_range(void **state)
{
    struct rh_time_range range = { .from = 8 * H, .to = 18 * H };
    struct rh_schedule s = { .period = RH_NEVER, .repeat = 1 };

    (void)state;
    assert_false(rh_schedule_allows(&s, &never, at("2026-11-20 12:00:00 +0100")));
    s.ranges = &range;
    s.n_ranges = 1;
    assert_false(rh_schedule_allows(&s, &never, at("2026-11-20 12:00:00 +0100")));
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-20 18:00:01 +0100")));
    s.weekdays = MON;
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-20 12:00:00 +0100"))); /* a Friday */
}

static void
several_ranges_are_any_of_them(void **state)
{
    struct rh_time_range ranges[] = { { .from = 2 * H, .to = 4 * H }, { .from = 22 * H, .to = 23 * H } };
    const struct rh_schedule s = { .repeat = 1, .ranges = ranges, .n_ranges = 2 };

    (void)state;
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-20 03:00:00 +0100")));
    assert_true(rh_schedule_allows(&s, &never, at("2026-11-20 22:30:00 +0100")));
    assert_false(rh_schedule_allows(&s, &never, at("2026-11-20 12:00:00 +0100")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_has_both_its_ends),
        cmocka_unit_test(a_range_over_midnight_belongs_to_the_day_it_begins_on),
        cmocka_unit_test(a_range_that_ends_where_it_begins_is_the_whole_day),
        cmocka_unit_test(a_range_means_the_clock_on_the_wall_in_summer_and_winter),
        cmocka_unit_test(weekdays_alone_are_whole_days),
        cmocka_unit_test(a_period_is_a_distance),
        cmocka_unit_test(the_day_on_which_summer_time_begins_is_a_day),
        cmocka_unit_test(a_period_may_be_that_of_the_calendar),
        cmocka_unit_test(turns_are_counted_within_a_period_of_the_calendar),
        cmocka_unit_test(a_clock_that_was_turned_back_keeps_nobody_waiting),
        cmocka_unit_test(never_is_never_or_not_in_its_range),
        cmocka_unit_test(several_ranges_are_any_of_them),
    };

    /* Central European time by its rules, so that no data of the system are needed. */
    if (setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1) < 0)
        return 99;
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
