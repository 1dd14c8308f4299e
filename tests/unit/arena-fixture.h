/* SPDX-License-Identifier: Apache-2.0 */
/* arena-fixture - an arena for each test, `arena`: ARENA_TEST(name) in the list of tests. */
#ifndef TESTS_UNIT_ARENA_FIXTURE_H
#define TESTS_UNIT_ARENA_FIXTURE_H

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct rh_arena *arena;

static inline int
set_up(void **state)
{
    (void)state;
    arena = rh_arena_new(NULL);
    return 0;
}

static inline int
tear_down(void **state)
{
    (void)state;
    rh_arena_free(arena);
    return 0;
}

#define ARENA_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
