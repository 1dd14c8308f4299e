/* SPDX-License-Identifier: Apache-2.0 */
/* test-cron-lines - what is read of the jobs in the lines of a crontab, as others may have left them. */
#include "config.h"

#include "fake-host.h"

#include "../../plugins/cron/job.h"
#include "../../plugins/cron/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct fake fake;
static struct rhost_lines *lines;

static int
setup(void **state)
{
    (void)state;
    fake_open(&fake);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rhost_lines_free(lines);
    lines = NULL;
    fake_close(&fake);
    return 0;
}

/* The first job of these lines. */
static int
next(const char *text, struct tab_job *job)
{
    size_t from = 0;

    rhost_lines_free(lines);
    lines = calloc(1, sizeof *lines);
    assert_non_null(lines);
    lines->text = strdup(text);
    assert_non_null(lines->text);
    lines->text_len = strlen(text);
    assert_int_equal(rhost_lines_split(lines), 0);
    return tab_next(lines, 1, &from, job);
}

static void
assert_part(struct tab_part part, const char *text)
{
    assert_int_equal(part.len, strlen(text));
    assert_memory_equal(part.at, text, part.len);
}

static void
a_return_at_the_end_is_no_part_of_a_job(void **state)
{
    static const char *const texts[] = {
        "# rhost: a\r\n* * * * * root true x\r\n",
        "# rhost: a\n* * * * * root true x\r",
        "# rhost: a \r\r\n* * * * * root true x \t\r",
        "# rhost: a\n* * * * * root true x",
    };
    struct tab_job job;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(next(texts[i], &job), 1);
        assert_part(job.name, "a");
        assert_part(job.user, "root");
        assert_part(job.command, "true x");
    }
    assert_int_equal(next("# rhost: \r", &job), 0);
}

/* The environment that is reported of a job with this line above it; NULL: it is unknown. */
static const char *
environment(const char *setting)
{
    static char text[200];
    const struct rh_value *all;
    struct rh_value *into = rh_value_new(fake.arena, RH_HASH);
    struct tab_job job;

    (void)snprintf(text, sizeof text, "# rhost: a\n%s\n* * * * * root true\n", setting);
    assert_int_equal(next(text, &job), 1);
    assert_int_equal(job.n_env, 1);
    job_report(&fake.ctx, fake_out(into), lines, TARGET_DEFAULT, &job);
    assert_string_equal(rh_value_get_str(into, "command", ""), "true");
    all = rh_value_get(into, "environment");
    if (!all)
        return NULL;
    assert_int_equal(rh_value_count(all), 1);
    return rh_value_str(rh_value_at(all, 0), "");
}

/* The type has no value for them: a list of jobs with such a value in it would be refused as a whole. */
static void
a_setting_that_no_value_can_be_is_unknown(void **state)
{
    static const char *const unknown[] = {
        "1A=b", "\"A B\"=c", "'A'=b", "A=b\rc", "1=\r2", "A=\xff", "\"\"=b",
    };

    (void)state;
    assert_string_equal(environment("A=b"), "A=b");
    assert_string_equal(environment(" _A1 \t= b c \r"), "_A1=b c");
    assert_string_equal(environment("A="), "A=");
    assert_string_equal(environment("A=\"b\"=c"), "A=\"b\"=c");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (environment(unknown[i]))
            fail_msg("'%s' was reported as '%s'", unknown[i], environment(unknown[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_return_at_the_end_is_no_part_of_a_job, setup, teardown),
        cmocka_unit_test_setup_teardown(a_setting_that_no_value_can_be_is_unknown, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
