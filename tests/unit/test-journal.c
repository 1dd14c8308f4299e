/* SPDX-License-Identifier: Apache-2.0 */
/* The names of runs, whatever the clock says. */
#include "config.h"

#include "base/cleanup.h"
#include "run/identity.h"
#include "run/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
assert_run(long long second, const char *id, const char *started)
{
    const struct timespec at = { .tv_sec = (time_t)second, .tv_nsec = 42000000 };
    char made[RH_RUN_ID], text[RH_RUN_TIME], name[RH_RUN_ID + 8];

    rh_identity_run_at(&at, 4711, made, text);
    assert_string_equal(made, id);
    assert_string_equal(text, started);
    (void)snprintf(name, sizeof name, "%s.jsonl", made);
    rh_autofree char *run = rh_journal_run(name);
    assert_non_null(run); /* it is in the list of runs */
    assert_string_equal(run, id);
}

static void
every_year_has_four_digits(void **state)
{
    (void)state;
    assert_run(0, "19700101T000000.042-4711", "1970-01-01T00:00:00Z");
    assert_run(1700000000, "20231114T221320.042-4711", "2023-11-14T22:13:20Z");
    assert_run(-59011459200, "01000101T000000.042-4711", "0100-01-01T00:00:00Z");
    assert_run(-62167219200, "00000101T000000.042-4711", "0000-01-01T00:00:00Z");
    assert_run(-62167219201, "00000101T000000.042-4711", "0000-01-01T00:00:00Z");
    assert_run(INT64_MIN, "00000101T000000.042-4711", "0000-01-01T00:00:00Z");
    assert_run(253402300799, "99991231T235959.042-4711", "9999-12-31T23:59:59Z");
    assert_run(253402300800, "99991231T235959.042-4711", "9999-12-31T23:59:59Z");
    assert_run(INT64_MAX, "99991231T235959.042-4711", "9999-12-31T23:59:59Z");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_year_has_four_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
