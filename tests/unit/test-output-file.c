/* SPDX-License-Identifier: Apache-2.0 */
/* test-output-file - what core/base/new-file.h and output-file.h promise: a new file takes its place when it
 * is complete, over nothing or a regular file, and nothing is left beside it. */
#include "config.h"

#include "base/output-file.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Linked in its place: a file system on which each file has a name. */
static bool no_tmpfile;

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);

int
__wrap_openat(int at, const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && no_tmpfile) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_openat(at, name, flags, mode);
}

/* What it is called where a long has 32 bits. */
int __wrap_openat64(int at, const char *name, int flags, ...) __attribute__((alias("__wrap_openat")));

static char dir[] = "/tmp/test-output-file.XXXXXX";
static char report[sizeof dir + NAME_MAX + 1];

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

/* How many entries there are; `other` gets the name of one that is not the report. */
static int
entries(char other[NAME_MAX + 1])
{
    rh_autoclosedir DIR *d = opendir(dir);
    const struct dirent *e;
    int n = 0;

    other[0] = '\0';
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        if (strcmp(e->d_name, strrchr(report, '/') + 1) != 0)
            (void)snprintf(other, NAME_MAX + 1, "%s", e->d_name);
    }
    return n;
}

static void
assert_alone(void)
{
    char other[NAME_MAX + 1];

    assert_int_equal(entries(other), 1);
    assert_string_equal(other, "");
}

static int
setup(void **state)
{
    (void)state;
    (void)umask(0);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(report, sizeof report, "%s/report", dir);
    put(report, "before");
    no_tmpfile = false;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    (void)unlink(report);
    return rmdir(dir);
}

static void
write_after(struct rh_output_file *f, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };

    assert_int_equal(rh_output_file_open(f, report, 0640, &err), 0);
    assert_int_equal(write(f->fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_file(report, "before");
}

static void
a_new_file_has_no_name_until_it_is_complete(void **state)
{
    struct rh_output_file f;
    struct stat st;

    (void)state;
    write_after(&f, "after");
    assert_alone();
    assert_int_equal(rh_output_file_close(&f, true), 0);
    assert_file(report, "after");
    assert_alone();
    assert_int_equal(stat(report, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    /* The same where nothing was. */
    assert_int_equal(unlink(report), 0);
    assert_int_equal(rh_write_output(report, "new", 3, 0604, NULL), 0);
    assert_file(report, "new");
    assert_alone();
    assert_int_equal(stat(report, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0604);
}

static void
where_it_needs_a_name_what_a_killed_process_left_goes(void **state)
{
    struct rh_output_file f, killed;
    char other[NAME_MAX + 1], path[sizeof dir + NAME_MAX + 1];
    struct stat st;

    (void)state;
    no_tmpfile = true;
    write_after(&killed, "left");
    assert_int_equal(entries(other), 2);
    assert_int_equal(strncmp(other, ".report.rhost-", 14), 0);
    (void)snprintf(path, sizeof path, "%s/%s", dir, other);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    /* While it is written, it stays. */
    write_after(&f, "second");
    assert_int_equal(entries(other), 3);
    assert_int_equal(rh_output_file_close(&f, false), 0);
    assert_int_equal(entries(other), 2);
    /* Then it is as if its maker had been killed. */
    (void)close(killed.fd);
    (void)close(killed.new.dir);
    free(killed.path);
    write_after(&f, "after");
    assert_int_equal(entries(other), 2);
    assert_file(path, "after");
    assert_int_equal(rh_output_file_close(&f, true), 0);
    assert_file(report, "after");
    assert_alone();
}

static void
names_may_be_as_long_as_the_file_system_has_them(void **state)
{
    char name[NAME_MAX + 1];

    (void)state;
    assert_int_equal(unlink(report), 0);
    memset(name, 'n', NAME_MAX);
    name[NAME_MAX] = '\0';
    (void)snprintf(report, sizeof report, "%s/%s", dir, name);
    for (int i = 0; i < 4; i++) {
        no_tmpfile = i & 1;
        assert_int_equal(rh_write_output(report, i & 1 ? "odd" : "even", i & 1 ? 3 : 4, 0600, NULL), 0);
        assert_file(report, i & 1 ? "odd" : "even");
        assert_int_equal(rh_replace_file(report, "replaced", 8, 0600, NULL), 0);
        assert_file(report, "replaced");
        assert_alone();
        if (i == 1)
            assert_int_equal(unlink(report), 0);
    }
}

static void
what_is_not_kept_leaves_what_was_there(void **state)
{
    struct rh_output_file f;

    (void)state;
    for (int i = 0; i < 2; i++) {
        no_tmpfile = i;
        write_after(&f, "after");
        assert_int_equal(rh_output_file_close(&f, false), 0);
        assert_file(report, "before");
        assert_alone();
        /* Something else than a file has the name meanwhile: it stays. */
        write_after(&f, "after");
        assert_int_equal(unlink(report), 0);
        assert_int_equal(mkfifo(report, 0600), 0);
        assert_int_equal(rh_output_file_close(&f, true), -1);
        assert_int_equal(errno, EEXIST);
        assert_alone();
        assert_int_equal(unlink(report), 0);
        put(report, "before");
    }
}

static void
only_a_regular_file_is_replaced(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    char next[sizeof report + 8];
    struct stat st;

    (void)state;
    (void)snprintf(next, sizeof next, "%s.next", report);
    put(next, "next");
    assert_int_equal(rh_rename_file(next, report, &err), 0);
    assert_file(report, "next");
    assert_int_equal(unlink(report), 0);
    assert_int_equal(rh_replaceable(report, &err), 0);
    assert_int_equal(mkfifo(report, 0600), 0);
    put(next, "next");
    assert_int_equal(rh_replaceable(report, &err), -1);
    assert_non_null(strstr(err.message, "it is not a regular file"));
    rh_error_clear(&err);
    assert_int_equal(rh_rename_file(next, report, &err), -1);
    assert_non_null(strstr(err.message, "it is not a regular file"));
    assert_int_equal(unlink(next), 0);
    assert_int_equal(rh_replace_file(report, "text", 4, 0600, NULL), -1);
    assert_int_equal(lstat(report, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_alone();
}

static void
a_name_that_ends_with_a_slash_is_none(void **state)
{
    char path[sizeof report + 8];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/new/", dir);
    assert_int_equal(rh_write_output(path, "text", 4, 0600, NULL), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(rh_write_output("", "text", 4, 0600, NULL), -1);
    assert_alone();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_new_file_has_no_name_until_it_is_complete),
        CASE(where_it_needs_a_name_what_a_killed_process_left_goes),
        CASE(names_may_be_as_long_as_the_file_system_has_them),
        CASE(what_is_not_kept_leaves_what_was_there),
        CASE(only_a_regular_file_is_replaced),
        CASE(a_name_that_ends_with_a_slash_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
