/* SPDX-License-Identifier: Apache-2.0 */
/* test-ids - <rhost/ids.h> without the extension: what the data base of accounts answers, and what its
 * failures mean. */
#include "config.h"

#include "fake-host.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* What the data base answers: this number, or that somebody is there once there is room enough. */
static int answer;
static size_t needed;
static int n_asked;

static int
ask(size_t room)
{
    n_asked++;
    return room < needed ? ERANGE : answer;
}

static int
our_getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t size, struct passwd **found)
{
    int why = ask(size);

    *pw = (struct passwd){ .pw_name = strcpy(buf, name), .pw_uid = 7 };
    *found = why || strcmp(name, "user") != 0 ? NULL : pw;
    return why;
}

static int
our_getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t size, struct passwd **found)
{
    int why = ask(size);

    *pw = (struct passwd){ .pw_name = strcpy(buf, "user"), .pw_uid = uid };
    *found = why || uid != 7 ? NULL : pw;
    return why;
}

static int
our_getgrnam_r(const char *name, struct group *gr, char *buf, size_t size, struct group **found)
{
    int why = ask(size);

    *gr = (struct group){ .gr_name = strcpy(buf, name), .gr_gid = 8 };
    *found = why || strcmp(name, "group") != 0 ? NULL : gr;
    return why;
}

static int
our_getgrgid_r(gid_t gid, struct group *gr, char *buf, size_t size, struct group **found)
{
    int why = ask(size);

    *gr = (struct group){ .gr_name = strcpy(buf, "group"), .gr_gid = gid };
    *found = why || gid != 8 ? NULL : gr;
    return why;
}

#define getpwnam_r our_getpwnam_r
#define getpwuid_r our_getpwuid_r
#define getgrnam_r our_getgrnam_r
#define getgrgid_r our_getgrgid_r
#include <rhost/ids.h>
#undef getpwnam_r
#undef getpwuid_r
#undef getgrnam_r
#undef getgrgid_r

#include <cmocka.h>

static struct fake fake;

static int
setup(void **state)
{
    (void)state;
    fake_open(&fake);
    answer = 0;
    needed = 0;
    n_asked = 0;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    fake_close(&fake);
    return 0;
}

static void
accounts_are_found_both_ways(void **state)
{
    const char *name = NULL;
    int64_t id = 0;

    (void)state;
    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_USER, "user", &id), 0);
    assert_int_equal(id, 7);
    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_GROUP, "group", &id), 0);
    assert_int_equal(id, 8);
    assert_int_equal(rhost_ids_name(&fake.ctx, RHOST_IDS_USER, 7, &name), 0);
    assert_string_equal(name, "user");
    assert_int_equal(rhost_ids_name(&fake.ctx, RHOST_IDS_GROUP, 8, &name), 0);
    assert_string_equal(name, "group");
}

static void
assert_missing(void)
{
    const char *name = "";
    int64_t id = 0;

    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_USER, "other", &id), 0);
    assert_int_equal(id, -1);
    assert_int_equal(rhost_ids_name(&fake.ctx, RHOST_IDS_GROUP, 9, &name), 0);
    assert_null(name);
}

static void
there_is_no_account_in_all_the_ways_that_this_is_said(void **state)
{
    static const int ways[] = { 0, ENOENT, ESRCH, EBADF, EPERM };

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        answer = ways[i];
        assert_missing();
    }
}

static void
a_data_base_that_fails_says_so(void **state)
{
    const char *name;
    int64_t id;

    (void)state;
    answer = EIO;
    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_USER, "user", &id), -EIO);
    assert_int_equal(rhost_ids_name(&fake.ctx, RHOST_IDS_GROUP, 8, &name), -EIO);
}

/* An account with many members needs more room; there is an end to it. */
static void
room_is_made_as_it_is_needed(void **state)
{
    int64_t id;

    (void)state;
    needed = (size_t)1 << 20;
    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_GROUP, "group", &id), 0);
    assert_int_equal(id, 8);
    assert_int_equal(n_asked, 4);
    needed++;
    assert_int_equal(rhost_ids_number(&fake.ctx, RHOST_IDS_GROUP, "group", &id), -ERANGE);
    assert_int_equal(n_asked, 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(accounts_are_found_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(there_is_no_account_in_all_the_ways_that_this_is_said, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_data_base_that_fails_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(room_is_made_as_it_is_needed, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
