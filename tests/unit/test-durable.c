/* SPDX-License-Identifier: Apache-2.0 */
/* test-durable - what core/provider/durable.c promises: one descriptor for each file system, and all of them
 * at last. */
#include "config.h"

#include "provider/file-parts.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Linked in their place. */
static int synced, everything, fails;

int __wrap_syncfs(int fd);
void __wrap_sync(void);

int
__wrap_syncfs(int fd)
{
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    if (++synced == fails) {
        errno = EIO;
        return -1;
    }
    return 0;
}

void
__wrap_sync(void)
{
    everything++;
}

static size_t
count_open(void)
{
    rh_autoclosedir DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    while (d && readdir(d))
        n++;
    return n;
}

static int
setup(void **state)
{
    (void)state;
    synced = everything = fails = 0;
    return 0;
}

static void
a_file_system_is_synced_once(void **state)
{
    size_t before = count_open();

    (void)state;
    assert_false(rh_durable_pending());
    for (int i = 0; i < 3; i++) {
        rh_durable_touch_on(STDIN_FILENO, 1);
        rh_durable_touch_on(STDIN_FILENO, 2);
    }
    assert_true(rh_durable_pending());
    assert_int_equal(count_open(), before + 2);
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_int_equal(synced, 2);
    assert_int_equal(everything, 0);
    assert_false(rh_durable_pending());
    assert_int_equal(count_open(), before);
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_int_equal(synced, 2);
}

static void
two_files_of_one_are_one(void **state)
{
    rh_autoclose int a = open("/", O_RDONLY | O_CLOEXEC), b = open("/proc", O_RDONLY | O_CLOEXEC);

    (void)state;
    rh_durable_touch(a);
    rh_durable_touch(b);
    rh_durable_touch(a);
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_int_equal(synced, 2);
}

static void
of_too_many_all_are_synced(void **state)
{
    size_t before = count_open();

    (void)state;
    for (int i = 1; i <= 32; i++)
        rh_durable_touch_on(STDIN_FILENO, (dev_t)i);
    assert_int_equal(count_open(), before + 32);
    rh_durable_touch_on(STDIN_FILENO, 1);
    rh_durable_clear();
    assert_false(rh_durable_pending());
    assert_int_equal(count_open(), before);
    for (int i = 1; i <= 33; i++)
        rh_durable_touch_on(STDIN_FILENO, (dev_t)i);
    assert_true(rh_durable_pending());
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_int_equal(everything, 1);
    assert_false(rh_durable_pending());
    assert_int_equal(count_open(), before);
    rh_durable_touch(-1); /* what it is on is not known */
    assert_true(rh_durable_pending());
    rh_durable_touch_on(STDIN_FILENO, 1);
    assert_int_equal(count_open(), before);
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_int_equal(everything, 2);
}

static void
one_that_fails_is_named_and_the_others_are_synced(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int a = open("/", O_RDONLY | O_CLOEXEC);

    (void)state;
    fails = 1;
    rh_durable_touch_on(a, 1);
    rh_durable_touch_on(STDIN_FILENO, 2);
    assert_int_equal(rh_durable_sync(&err), -1);
    assert_string_equal(err.message, "cannot sync the file system of '/' to disk: Input/output error");
    assert_int_equal(synced, 2);
    assert_false(rh_durable_pending());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_system_is_synced_once, setup),
        cmocka_unit_test_setup(two_files_of_one_are_one, setup),
        cmocka_unit_test_setup(of_too_many_all_are_synced, setup),
        cmocka_unit_test_setup(one_that_fails_is_named_and_the_others_are_synced, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
