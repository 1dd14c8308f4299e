/* SPDX-License-Identifier: Apache-2.0 */
/* test-mounted - what is a mount point, and what only leads to one. */
#include "config.h"

#include "base/cleanup.h"
#include "base/mounted.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void
a_link_to_a_mount_point_is_none(void **state)
{
    char folder[] = "/tmp/rhost-mounted-XXXXXX";
    rh_autoclose int dir = -1;

    (void)state;
    assert_non_null(mkdtemp(folder));
    dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    assert_int_equal(symlinkat("/proc", dir, "link"), 0);
    assert_true(rh_is_mounted(AT_FDCWD, "/proc"));
    assert_false(rh_is_mounted(dir, "link"));
    assert_false(rh_is_mounted(dir, "missing"));
    assert_int_equal(unlinkat(dir, "link", 0), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void
an_open_directory_may_be_one(void **state)
{
    rh_autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_true(proc >= 0);
    assert_true(rh_is_mounted(proc, ""));
    assert_false(rh_is_mounted(proc, "self"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_to_a_mount_point_is_none),
        cmocka_unit_test(an_open_directory_may_be_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
