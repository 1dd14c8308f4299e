/* SPDX-License-Identifier: Apache-2.0 */
/* The names of runs, whatever the clock says, and the files of their journals. */
#include "config.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "run/event.h"
#include "run/identity.h"
#include "run/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Two runs never write one journal. */
static void
a_journal_that_is_there_is_not_opened(void **state)
{
    static const struct rh_journal_head head = { .run = "20231114T221320.042-4711",
                                                 .started = "2023-11-14T22:13:20Z" };
    static const struct rh_run_end end = { .run = "20231114T221320.042-4711" };
    rh_autoerror struct rh_error err = { 0 };
    char folder[] = "/tmp/rhost-journal-XXXXXX", path[80];
    struct rh_journal *j;

    (void)state;
    assert_non_null(mkdtemp(folder));
    j = rh_journal_open(folder, &head, NULL, &err);
    assert_non_null(j);
    assert_null(rh_journal_open(folder, &head, NULL, &err));
    assert_non_null(strstr(err.message, "File exists"));
    rh_error_clear(&err);
    assert_int_equal(rh_journal_close(j, &end, &err), 0);
    (void)snprintf(path, sizeof path, "%s/runs/%s.jsonl", folder, head.run);
    assert_int_equal(remove(path), 0);
    (void)snprintf(path, sizeof path, "%s/runs", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(folder), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_year_has_four_digits),
        cmocka_unit_test(a_journal_that_is_there_is_not_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
