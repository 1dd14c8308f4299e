/* SPDX-License-Identifier: Apache-2.0 */
/* test-push-record - what a target keeps of a push: who can read it, and what the next push finds. */
#include "config.h"

#include "reach/push-record.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/test-push-record.XXXXXX";
static char folder[sizeof dir + 16];

static int
setup(void **state)
{
    (void)state;
    (void)umask(0);  /* the modes are those of the code */
    (void)alarm(60); /* a pipe that is opened may wait for ever */
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(folder, sizeof folder, "%s/received", dir);
    return 0;
}

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int
teardown(void **state)
{
    (void)state;
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *
file(const char *name)
{
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static mode_t
mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static bool
exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static void
begin(struct rh_push_record *r, const char *push)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *begun = rh_value_new(a, RH_HASH);

    *r = RH_PUSH_RECORD_INIT;
    rh_value_put(begun, "push", rh_value_string(a, push));
    assert_int_equal(rh_push_record_open(r, dir, push, begun, &err), 0);
}

/* What the next push finds under this name; NULL: nothing. */
static const struct rh_value *
find(const struct rh_value *earlier, const char *name)
{
    for (size_t i = 0; i < rh_value_count(earlier); i++)
        if (strcmp(rh_value_get_str(rh_value_at(earlier, i), "file", ""), name) == 0)
            return rh_value_at(earlier, i);
    return NULL;
}

static void
write_file(const char *name, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };

    assert_int_equal(rh_replace_file(file(name), text, strlen(text), 0600, &err), 0);
}

static bool
ends_in_a_newline(const char *path)
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, 0, &n, NULL);

    return text && n && text[n - 1] == '\n';
}

static void
only_the_owner_has_access(void **state)
{
    struct rh_push_record r;

    (void)state;
    begin(&r, "one");
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(file("one.json")), 0600);
    assert_false(exists(file(".one.new")));
    assert_true(ends_in_a_newline(file("one.json")));
    rh_push_record_remove(&r);
    assert_false(exists(file("one.json")));
    rh_push_record_close(&r);
}

static void
a_record_is_found_until_it_was_told(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *earlier, *end = rh_value_new(a, RH_HASH);
    struct rh_push_record r;

    (void)state;
    begin(&r, "one");
    earlier = rh_push_records_earlier(a, dir);
    assert_int_equal(rh_value_count(earlier), 1);
    assert_string_equal(rh_value_get_str(find(earlier, "one.json"), "push", ""), "one");
    assert_non_null(rh_value_get(find(earlier, "one.json"), "running"));
    rh_push_records_forget(dir, earlier);
    assert_true(exists(file("one.json")));
    /* The end is shorter than what was there. */
    rh_value_put(end, "s", rh_value_integer(a, 3));
    assert_int_equal(rh_push_record_keep(&r, end, &err), 0);
    assert_int_equal(rh_push_record_size(end), strlen("{\"s\": 3}"));
    rh_push_record_close(&r);
    earlier = rh_push_records_earlier(a, dir);
    assert_int_equal(rh_value_get(find(earlier, "one.json"), "s")->u.integer, 3);
    assert_null(rh_value_get(find(earlier, "one.json"), "push"));
    assert_null(rh_value_get(find(earlier, "one.json"), "running"));
    rh_push_records_forget(dir, earlier);
    assert_false(exists(file("one.json")));
}

static void
a_push_has_one_record(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_push_record r, other = RH_PUSH_RECORD_INIT;

    (void)state;
    begin(&r, "one");
    assert_int_equal(rh_push_record_open(&other, dir, "one", rh_value_new(a, RH_HASH), &err), -1);
    assert_non_null(strstr(err.message, "one.json': File exists"));
    rh_push_record_remove(&other); /* it has none */
    assert_true(exists(file("one.json")));
    rh_push_record_close(&other);
    rh_error_clear(&err);
    /* Not what somebody put there. */
    assert_int_equal(symlink("elsewhere", file(".two.new")), 0);
    assert_int_equal(rh_push_record_open(&other, dir, "two", rh_value_new(a, RH_HASH), &err), -1);
    assert_false(exists(file("elsewhere")));
    assert_int_equal(rh_push_record_keep(&other, rh_value_new(a, RH_HASH), &err), 0);
    rh_push_record_close(&other);
    rh_error_clear(&err);
    write_file(".three.new", "not ours");
    assert_int_equal(rh_push_record_open(&other, dir, "three", rh_value_new(a, RH_HASH), &err), -1);
    assert_non_null(strstr(err.message, "three.json': File exists"));
    assert_false(exists(file("three.json")));
    rh_push_record_close(&other);
    rh_push_record_close(&r);
}

static void
a_record_that_cannot_be_written_is_told_of(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_push_record r = RH_PUSH_RECORD_INIT;
    struct rlimit usual, small;
    int rc;

    (void)state;
    assert_int_equal(rh_push_record_open(&r, "/dev/null", "one", rh_value_new(a, RH_HASH), &err), -1);
    assert_non_null(strstr(err.message, "/dev/null"));
    assert_null(strstr(err.message, "one")); /* no record was tried there */
    rh_error_clear(&err);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small = usual;
    small.rlim_cur = 1;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rc = rh_push_record_open(&r, dir, "one", rh_value_new(a, RH_HASH), &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(err.message, "File too large"));
    assert_false(exists(file("one.json")));
    assert_false(exists(file(".one.new")));
    rh_push_record_close(&r);
}

/* Nothing is removed behind a link, and a pipe is not waited for. */
static void
the_folder_is_a_directory(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *earlier;
    struct rh_push_record r;
    char other[sizeof folder];

    (void)state;
    begin(&r, "one");
    rh_push_record_close(&r);
    earlier = rh_push_records_earlier(a, dir);
    (void)snprintf(other, sizeof other, "%s/other", dir);
    assert_int_equal(rename(folder, other), 0);
    assert_int_equal(symlink("other", folder), 0);
    rh_push_records_forget(dir, earlier);
    assert_true(exists(file("one.json")));
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(mkfifo(folder, 0600), 0);
    rh_push_records_forget(dir, earlier);
}

static void
only_records_are_read(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *earlier;
    struct rh_push_record r;

    (void)state;
    earlier = rh_push_records_earlier(a, dir);
    assert_int_equal(rh_value_count(earlier), 0);
    begin(&r, "one");
    write_file("damaged.json", "{");
    write_file("list.json", "[1]");
    write_file(".hidden.json", "{}");
    write_file("a.other", "{}");
    assert_int_equal(mkfifo(file("pipe.json"), 0600), 0);
    assert_int_equal(mkdir(file("dir.json"), 0700), 0);
    assert_int_equal(symlink("one.json", file("link.json")), 0);
    earlier = rh_push_records_earlier(a, dir);
    assert_int_equal(rh_value_count(earlier), 3);
    assert_non_null(find(earlier, "one.json"));
    /* It is said that there was one, and then it goes. */
    assert_int_equal(find(earlier, "damaged.json")->count, 1);
    assert_int_equal(find(earlier, "list.json")->count, 1);
    rh_push_records_forget(dir, earlier);
    assert_false(exists(file("damaged.json")));
    assert_true(exists(file("pipe.json")));
    rh_push_record_close(&r);
}

static void
twenty_are_told_at_once(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *earlier;
    struct rh_push_record r;

    (void)state;
    for (int i = 0; i < 21; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "%d", i);
        begin(&r, name);
        rh_push_record_close(&r);
    }
    earlier = rh_push_records_earlier(a, dir);
    assert_int_equal(rh_value_count(earlier), 20);
    rh_push_records_forget(dir, earlier);
    assert_int_equal(rh_value_count(rh_push_records_earlier(a, dir)), 1);
}

/* A receiver that was killed before its record had a name. */
static void
what_has_no_name_goes_after_a_day(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct timespec times[2] = { { .tv_sec = time(NULL) - 24 * 3600 - 60 }, { .tv_sec = 0 } };
    const struct {
        const char *name;
        bool old, stays;
    } names[] = { { ".old.new", true, false },
                  { ".young.new", false, true },
                  { ".old.other", true, true },
                  { ".new", true, true } };
    struct rh_push_record r;

    (void)state;
    begin(&r, "one");
    times[1] = times[0];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        write_file(names[i].name, "");
        if (names[i].old)
            assert_int_equal(utimensat(AT_FDCWD, file(names[i].name), times, 0), 0);
    }
    assert_int_equal(symlink("nowhere", file(".link.new")), 0);
    assert_int_equal(utimensat(AT_FDCWD, file(".link.new"), times, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(rh_value_count(rh_push_records_earlier(a, dir)), 1);
    assert_false(exists(file(".link.new")));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(exists(file(names[i].name)), names[i].stays);
    rh_push_record_close(&r);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(only_the_owner_has_access),
        TEST(a_record_is_found_until_it_was_told),
        TEST(a_push_has_one_record),
        TEST(only_records_are_read),
        TEST(a_record_that_cannot_be_written_is_told_of),
        TEST(the_folder_is_a_directory),
        TEST(twenty_are_told_at_once),
        TEST(what_has_no_name_goes_after_a_day),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
