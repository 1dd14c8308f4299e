/* SPDX-License-Identifier: Apache-2.0 */
/* test-directory - what is left of a new directory whose owner and mode could not be changed. */
#include "config.h"

#include "fake-host.h"

#include <rhost/provider.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const struct rhost_plugin *rhost_plugin_v1(void);
int __wrap_fchmod(int fd, mode_t mode);

static struct fake fake;

int
__wrap_fchmod(int fd, mode_t mode)
{
    (void)fd;
    (void)mode;
    errno = EIO;
    return -1;
}

/* The mode of a directory that was created with this mode wanted, NULL for none; `rc` is what came of it. */
static mode_t
created(const char *mode, int32_t *rc)
{
    char dir[] = "/tmp/rhost-directory-XXXXXX", path[64];
    struct rhost_change change = { .title = path };
    struct rh_value *name, *should;
    struct stat st;

    fake_open(&fake);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/new", dir);
    name = rh_value_new(fake.arena, RH_HASH);
    should = rh_value_new(fake.arena, RH_HASH);
    rh_value_put(name, "path", rh_value_string(fake.arena, path));
    rh_value_put(should, "ensure", rh_value_string(fake.arena, "present"));
    if (mode)
        rh_value_put(should, "mode", rh_value_string(fake.arena, mode));
    change.name = fake_out(name);
    change.should = fake_out(should);
    *rc = rhost_plugin_v1()->providers[0]->create(&fake.ctx, &change);
    assert_int_equal(lstat(path, &st), 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dir), 0);
    return st.st_mode & 07777;
}

static void
until_it_has_its_mode_nobody_else_can_look_into_it(void **state)
{
    int32_t rc;

    (void)state;
    assert_int_equal(created("0755", &rc), 0700);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "cannot change the owner or the mode"));
    fake_close(&fake);
}

static void
without_a_mode_it_is_made_with_the_usual_one(void **state)
{
    int32_t rc;

    (void)state;
    assert_int_equal(created(NULL, &rc), 0755);
    assert_int_equal(rc, 0);
    fake_close(&fake);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(until_it_has_its_mode_nobody_else_can_look_into_it),
        cmocka_unit_test(without_a_mode_it_is_made_with_the_usual_one),
    };

    (void)umask(0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
