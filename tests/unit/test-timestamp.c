/* SPDX-License-Identifier: Apache-2.0 */
/* test-timestamp - which texts are points in time and spans of it. */
#include "config.h"

#include "datatype/timestamp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
a_text_is_a_timestamp_as_a_whole(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } some[] = {
        { "1970-01-01", 0 },
        { "1970-01-01T23:59:60Z", 86400 },
        { "1970-01-01 00:00:01.0 +01:30", 1 - 5400 },
        { "1970-01-01 00:00:01-0130", 1 + 5400 },
        { "1970-01-01 GMT", 0 },
        { "1970-01-01+23", -82800 },
        { "-0001-12-31", -62167305600 },
        { "2000-02-29", 951782400 },
    };
    static const char *const none[] = {
        "",
        "1970-1-1",
        "1970-00-01",
        "1970-13-01",
        "1970-01-00",
        "1970-01-32",
        "1900-02-29",
        "1970-01-01T",
        "1970-01-01T24:00:00",
        "1970-01-01T23:60:00",
        "1970-01-01 23:59:61",
        "1970-01-01 1:0:0",
        "1970-01-01T00:00:00.",
        "1970-01-01 ",
        "1970-01-01 CET",
        "1970-01-01+1",
        "1970-01-01+24:00",
        "1970-01-01+01:60",
        "1970-01-01+01:0",
        "1970-01-01Z ",
        "1970-01-01+01:00 ",
        "970-01-01",
    };
    struct rh_instant t;

    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (!rh_timestamp_parse(some[i].text, strlen(some[i].text), &t))
            fail_msg("'%s' was not taken for a timestamp", some[i].text);
        if (t.s != some[i].seconds)
            fail_msg("'%s' is not %lld", some[i].text, (long long)t.s);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (rh_timestamp_parse(none[i], strlen(none[i]), &t))
            fail_msg("'%s' was taken for a timestamp", none[i]);
}

static void
a_text_is_a_timespan_as_a_whole(void **state)
{
    static const char *const none[] = { "1x", "1:2:3 ", "1-02:03:04x", "1.5s", "-1-",
                                        "1:", "",       "1-02:03.5",   "1-02", "1:2:3:4" };
    struct rh_instant t;

    (void)state;
    assert_true(rh_timespan_parse("-1-02:03:04.5", 13, &t));
    assert_int_equal(t.s, -93785);
    assert_int_equal(t.ns, 500000000);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (rh_timespan_parse(none[i], strlen(none[i]), &t))
            fail_msg("'%s' was taken for a timespan", none[i]);
}

static void
seconds_become_an_instant_unless_there_are_too_many(void **state)
{
    struct rh_instant t;

    (void)state;
    assert_true(rh_instant_from_seconds(-1.5, &t));
    assert_int_equal(t.s, -2);
    assert_int_equal(t.ns, 500000000);
    assert_false(rh_instant_from_seconds(1e15, &t));
    assert_false(rh_instant_from_seconds(-1e15, &t));
    assert_true(rh_instant_from_seconds(999999999999999, &t));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_a_timestamp_as_a_whole),
        cmocka_unit_test(a_text_is_a_timespan_as_a_whole),
        cmocka_unit_test(seconds_become_an_instant_unless_there_are_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
