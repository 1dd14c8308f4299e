/* SPDX-License-Identifier: Apache-2.0 */
/* test-unmount - unmounting by a name in an open directory, in a mount namespace of its own. */
#include "config.h"

#include "../../plugins/mount/unmount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* How long the kernel waits for something, as far as the code under test can tell. */
static unsigned seconds;

int __real_umount2(const char *path, int flags);
int __wrap_umount2(const char *path, int flags);

int
__wrap_umount2(const char *path, int flags)
{
    (void)sleep(seconds);
    return __real_umount2(path, flags);
}

static int
unmount_in(int directory, const char *name, uint32_t timeout)
{
    char path[100];

    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name);
    return unmount_at(path, timeout);
}

static char top[] = "/tmp/rhost-unmount.XXXXXX";

static int
open_top(void **state)
{
    (void)state;
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 0; /* each test is skipped */
    if (!mkdtemp(top) || chdir(top) < 0 || mkdir("real", 0755) < 0 || symlink("real", "link") < 0)
        return -1;
    return 0;
}

static int
close_top(void **state)
{
    (void)state;
    (void)unlink("link");
    (void)rmdir("real");
    return chdir("/") < 0 || (rmdir(top) < 0 && errno != ENOENT && errno != EINVAL) ? -1 : 0;
}

/* A directory, with a file system mounted `times` times at its `real`. */
static int
directory(int times)
{
    if (access("real", F_OK) < 0)
        skip();
    for (int i = 0; i < times; i++)
        assert_int_equal(mount("none", "real", "tmpfs", 0, NULL), 0);
    return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void
what_is_mounted_upmost_is_unmounted(void **state)
{
    int dir = directory(2);

    (void)state;
    assert_int_equal(unmount_in(dir, "real", 10000), 0);
    assert_int_equal(unmount_in(dir, "real", 10000), 0);
    assert_int_equal(unmount_in(dir, "real", 10000), EINVAL);
    assert_int_equal(unmount_in(dir, "none", UINT32_MAX), ENOENT);
    assert_int_equal(close(dir), 0);
}

static void
a_link_is_not_followed(void **state)
{
    int dir = directory(1);

    (void)state;
    assert_int_equal(unmount_in(dir, "link", 10000), EINVAL);
    assert_int_equal(unmount_in(dir, "real", 10000), 0);
    assert_int_equal(close(dir), 0);
}

static void
what_is_in_use_stays(void **state)
{
    int dir = directory(1), inside = open("real", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(unmount_in(dir, "real", 10000), EBUSY);
    assert_int_equal(close(inside), 0);
    assert_int_equal(unmount_in(dir, "real", 10000), 0);
    assert_int_equal(close(dir), 0);
}

static void
nobody_waits_longer_than_the_time_limit(void **state)
{
    int dir = directory(1);
    time_t began = time(NULL);

    (void)state;
    seconds = 60;
    assert_int_equal(unmount_in(dir, "real", 100), ETIMEDOUT);
    assert_true(time(NULL) - began < 30);
    seconds = 0;
    assert_int_equal(unmount_in(dir, "real", 10000), 0); /* who waited did not do it */
    assert_int_equal(close(dir), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_mounted_upmost_is_unmounted),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(what_is_in_use_stays),
        cmocka_unit_test(nobody_waits_longer_than_the_time_limit),
    };

    return cmocka_run_group_tests(tests, open_top, close_top);
}
