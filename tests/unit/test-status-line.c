/* SPDX-License-Identifier: Apache-2.0 */
/* test-status-line - what is written to show lines, and to remove them again. */
#include "config.h"

#include "base/status-line.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2];
static char said[4096];

/* What was written since it was asked for last. */
static const char *
written(void)
{
    ssize_t n = 0;
    int waiting = 0;

    assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
    if (waiting)
        n = read(ends[0], said, sizeof said - 1);
    assert_int_equal(n, waiting);
    said[n] = '\0';
    return said;
}

static int
setup(void **state)
{
    (void)state;
    if (pipe(ends) < 0)
        return -1;
    rh_status_line_open(ends[1], false);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_status_line_close();
    return close(ends[0]) + close(ends[1]);
}

static void
nothing_is_removed_where_nothing_is_shown(void **state)
{
    (void)state;
    rh_status_line_hide();
    assert_string_equal(written(), "");
    assert_false(rh_status_line_is_shown());
}

static void
what_is_shown_is_removed_once(void **state)
{
    const char *const lines[] = { "one", "two" };

    (void)state;
    rh_status_line_show(lines, 2);
    assert_non_null(strstr(written(), "one"));
    assert_non_null(strstr(said, "two"));
    assert_true(rh_status_line_is_shown());
    rh_status_line_hide();
    assert_string_equal(written(), "\r\033[A\033[J");
    assert_false(rh_status_line_is_shown());
    rh_status_line_hide();
    assert_string_equal(written(), "");
}

static void
what_is_the_same_is_not_written_again(void **state)
{
    const char *const lines[] = { "one" }, *const others[] = { "other" };

    (void)state;
    rh_status_line_show(lines, 1);
    assert_string_not_equal(written(), "");
    rh_status_line_show(lines, 1);
    assert_string_equal(written(), "");
    rh_status_line_show(others, 1);
    assert_non_null(strstr(written(), "other"));
}

static void
nothing_is_shown_where_nobody_reads(void **state)
{
    const char *const lines[] = { "one" };

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(close(ends[0]), 0);
    rh_status_line_show(lines, 1);
    assert_false(rh_status_line_is_shown());
    ends[0] = dup(ends[1]); /* which teardown closes */
    rh_status_line_show(lines, 1);
    rh_status_line_hide();
    assert_false(rh_status_line_is_shown());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_removed_where_nothing_is_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_shown_is_removed_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_the_same_is_not_written_again, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_shown_where_nobody_reads, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
