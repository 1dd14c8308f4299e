/* SPDX-License-Identifier: Apache-2.0 */
/* test-channel - which machines a channel chooses. */
#include "config.h"

#include "bundle/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { MACHINES = 20000 };

static void
name_machine(char id[33], unsigned i)
{
    (void)snprintf(id, 33, "%032x", i * 2654435761U);
}

/* printf '%s:%s' SALT HOST | sha256sum | cut -c1-8, modulo 100; docs/guides/channel.md has the same. */
static void
bucket_is_as_documented(void **state)
{
    (void)state;
    assert_int_equal(rh_channel_bucket("8f14e45fceea167a", "3d0f1a5b7c924e6f8a1b2c3d4e5f6071"), 86);
    assert_int_equal(rh_channel_bucket("a", "b"), 22);
}

static void
each_percent_gets_its_share(void **state)
{
    int count[100] = { 0 };
    double chi = 0;

    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        char id[33];

        name_machine(id, i);
        count[rh_channel_bucket("salt", id)]++;
    }
    for (int i = 0; i < 100; i++) {
        double off = count[i] - MACHINES / 100.0;

        chi += off * off / (MACHINES / 100.0);
    }
    /* 99 degrees of freedom: above 160 in fewer than one of 10,000 salts; this one is always the same. */
    assert_true(chi < 160);
}

static void
other_salts_choose_other_machines(void **state)
{
    int both = 0;

    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        char id[33];

        name_machine(id, i);
        both += rh_channel_bucket("salt", id) < 10 && rh_channel_bucket("other", id) < 10;
    }
    assert_in_range(both, MACHINES / 100 - 60, MACHINES / 100 + 60);
}

static void
names_ids_and_percent_choose(void **state)
{
    const char *hosts[] = { "web1", "00000000000000000000000000000001" };
    struct rh_channel c = { .want = 43, .other = 42, .salt = "salt", .hosts = hosts, .n_hosts = 2 };

    (void)state;
    assert_int_equal(rh_channel_choose(&c, "ff", "WEB1"), 43);
    assert_int_equal(rh_channel_choose(&c, "00000000000000000000000000000001", "x"), 43);
    assert_int_equal(rh_channel_choose(&c, "ff", "web10"), 42);
    assert_int_equal(rh_channel_choose(&c, "web", "ff"), 42);
    for (c.percent = 0; c.percent <= 100; c.percent++)
        assert_int_equal(rh_channel_choose(&c, "ff", ""),
                         rh_channel_bucket("salt", "ff") < c.percent ? 43 : 42);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bucket_is_as_documented),
        cmocka_unit_test(each_percent_gets_its_share),
        cmocka_unit_test(other_salts_choose_other_machines),
        cmocka_unit_test(names_ids_and_percent_choose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
