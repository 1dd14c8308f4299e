/* SPDX-License-Identifier: Apache-2.0 */
/* test-report-file - the new file beside a report has a name of its own, and takes the report's place at the
 * end. */
#include "config.h"

#include "run/report.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Linked in its place: all letters of a name are that of `turn`, and so many turns have the same. */
static unsigned turn, same;

ssize_t __wrap_getrandom(void *to, size_t n, unsigned flags);

ssize_t
__wrap_getrandom(void *to, size_t n, unsigned flags)
{
    (void)flags;
    memset(to, turn++ < same ? 0 : 1, n);
    return (ssize_t)n;
}

static char dir[] = "/tmp/test-report-file.XXXXXX";
static char report[sizeof dir + 16], taken[sizeof report + 16], next[sizeof report + 16];

static void
put(const char *path, const char *text)
{
    rh_autoclose int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void
assert_file(const char *path, const char *text)
{
    char has[64] = "";
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(read(fd, has, sizeof has - 1) >= 0);
    assert_string_equal(has, text);
}

static int
setup(void **state)
{
    (void)state;
    (void)umask(0);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(report, sizeof report, "%s/report", dir);
    (void)snprintf(taken, sizeof taken, "%s.aaaaaa", report);
    (void)snprintf(next, sizeof next, "%s.bbbbbb", report);
    put(taken, "theirs");
    put(report, "before");
    turn = 0;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    (void)unlink(report);
    (void)unlink(taken);
    (void)unlink(next);
    return rmdir(dir);
}

static void
a_name_that_is_taken_is_not_used(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_file f;
    struct stat st;

    (void)state;
    same = 99;
    assert_int_equal(rh_report_file_open(&f, report, 0640, &err), 0);
    assert_int_equal(turn, 100);
    assert_int_equal(stat(next, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(write(f.fd, "after", 5), 5);
    assert_file(report, "before");
    assert_int_equal(rh_report_file_close(&f, true), 0);
    assert_file(report, "after");
    assert_file(taken, "theirs");
    assert_int_equal(stat(report, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(access(next, F_OK), -1);
}

static void
without_a_free_name_nothing_is_written(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_file f;

    (void)state;
    same = 100;
    assert_int_equal(rh_report_file_open(&f, report, 0640, &err), -1);
    assert_non_null(strstr(err.message, "cannot create the report"));
    assert_non_null(strstr(err.message, "File exists"));
    assert_file(report, "before");
    assert_file(taken, "theirs");
}

static void
what_is_not_kept_leaves_what_was_there(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_file f;

    (void)state;
    same = 0;
    assert_int_equal(rh_report_file_open(&f, report, 0640, &err), 0);
    assert_int_equal(write(f.fd, "after", 5), 5);
    assert_int_equal(rh_report_file_close(&f, false), 0);
    assert_file(report, "before");
    assert_int_equal(access(next, F_OK), -1);
    /* Something else than a file has the name meanwhile: it stays. */
    assert_int_equal(rh_report_file_open(&f, report, 0640, &err), 0);
    assert_int_equal(unlink(report), 0);
    assert_int_equal(symlink("/nowhere", report), 0);
    assert_int_equal(rh_report_file_close(&f, true), -1);
    assert_int_equal(access(next, F_OK), -1);
    assert_int_equal(unlink(report), 0);
    put(report, "");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_name_that_is_taken_is_not_used),
        CASE(without_a_free_name_nothing_is_written),
        CASE(what_is_not_kept_leaves_what_was_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
