/* SPDX-License-Identifier: Apache-2.0 */
/* test-wire - frames between controller and receiver, whole, in pieces and wrong ones. */
#include "config.h"

#include "reach/wire.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Takes the next frame, which is of this kind and has these bytes. */
static void
expect(struct rh_wire *w, enum rh_wire_kind kind, const void *content, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    enum rh_wire_kind got;
    const char *at;
    size_t length;

    assert_int_equal(rh_wire_next(w, &got, &at, &length, &err), 1);
    assert_int_equal(got, kind);
    assert_int_equal(length, n);
    assert_memory_equal(at, content, n);
}

/* What the next frame is: 0 when it is not complete, -1 when it is none. */
static int
outcome(struct rh_wire *w)
{
    rh_autoerror struct rh_error err = { 0 };
    enum rh_wire_kind kind;
    const char *at;
    size_t n;

    return rh_wire_next(w, &kind, &at, &n, &err);
}

static void
test_pieces(void **state)
{
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_wire w = { 0 };

    (void)state;
    rh_wire_add(&out, RH_WIRE_OUTPUT, "one", 3);
    rh_wire_add(&out, RH_WIRE_PING, "", 0);
    rh_wire_add(&out, RH_WIRE_ERROR, "three", 5);
    assert_int_equal(out.n, 3 * 5 + 3 + 5);
    assert_memory_equal(out.s, "o\0\0\0\3one", 8);
    /* A byte at a time: nothing comes before its last byte is there. */
    for (size_t i = 0; i < out.n; i++) {
        assert_int_equal(outcome(&w), 0);
        rh_wire_take(&w, out.s + i, 1);
        if (i == 7)
            expect(&w, RH_WIRE_OUTPUT, "one", 3);
        if (i == 12)
            expect(&w, RH_WIRE_PING, "", 0);
    }
    expect(&w, RH_WIRE_ERROR, "three", 5);
    assert_int_equal(outcome(&w), 0);
    /* All at once, and more behind what was read of it. */
    rh_wire_take(&w, out.s, out.n);
    expect(&w, RH_WIRE_OUTPUT, "one", 3);
    rh_wire_take(&w, out.s, out.n);
    expect(&w, RH_WIRE_PING, "", 0);
    expect(&w, RH_WIRE_ERROR, "three", 5);
    expect(&w, RH_WIRE_OUTPUT, "one", 3);
    rh_wire_clear(&w);
    assert_int_equal(outcome(&w), 0);
}

static void
test_large(void **state)
{
    static char bytes[2 * RH_WIRE_PART + 1];
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_wire w = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    for (size_t i = 0; i < 3; i++) {
        static const enum rh_wire_kind kinds[] = { RH_WIRE_DATA, RH_WIRE_REPORT, RH_WIRE_OUTPUT };

        rh_wire_add(&out, kinds[i], bytes, RH_WIRE_PART);
        rh_wire_add(&out, kinds[i], bytes, sizeof bytes);
        rh_wire_take(&w, out.s, out.n);
        rh_buf_clear(&out);
        expect(&w, kinds[i], bytes, RH_WIRE_PART);
        expect(&w, kinds[i], bytes, RH_WIRE_PART);
        expect(&w, kinds[i], bytes + RH_WIRE_PART, RH_WIRE_PART);
        expect(&w, kinds[i], bytes + (size_t)2 * RH_WIRE_PART, 1);
        assert_int_equal(outcome(&w), 0);
    }
    rh_wire_add(&out, RH_WIRE_REQUEST, bytes, sizeof bytes);
    rh_wire_take(&w, out.s, out.n);
    expect(&w, RH_WIRE_REQUEST, bytes, sizeof bytes);
    rh_wire_clear(&w);
}

static void
test_wrong(void **state)
{
    static const char *const wrong[] = { "Q", "\n", "RHOST", "z\0\0\0", "q\0\x10\0\1" };
    static const size_t lengths[] = { 1, 1, 5, 4, 5 };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct rh_wire w = { 0 };

        rh_wire_take(&w, wrong[i], lengths[i]);
        assert_int_equal(outcome(&w), -1);
        rh_wire_clear(&w);
    }
    for (size_t i = 0; i < 2; i++) {
        struct rh_wire w = { 0 };

        rh_wire_take(&w, i ? "\0\0\0\0\0" : "q\0\x10\0\0", 5); /* no letter; the largest, not complete */
        assert_int_equal(outcome(&w), i ? -1 : 0);
        rh_wire_clear(&w);
    }
}

static void
test_values(void **state)
{
    static const char *const none[] = { "[1]", "1", "{", "", "{} x", "null" };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *v;

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };

        assert_null(rh_wire_value(a, none[i], strlen(none[i]), &err));
        assert_non_null(err.message);
    }
    v = rh_wire_value(a, "{\"a\": 7}", 8, NULL);
    assert_int_equal(rh_value_get(v, "a")->u.integer, 7);
}

static void
test_small(void **state)
{
    static const struct {
        const char *text;
        size_t most;
        bool small;
    } cases[] = {
        { "[{}]", 2, true },
        { "[{}]", 1, false },
        { "[1,2,3,4,5,6,7,8,9]", 1, true },
        { "[1,2,3,4,5,6,7,8,9,10]", 1, false },
        { "{\"[[[,,,,,,,,,,\": 1}", 1, true },
        { "{\"\\\"[[[\": 1}", 1, true },
        { "{\"\\\\\": [1]}", 1, false },
        { "{\"a\": \"b\\\\\", \"c\": [[]]}", 2, false },
        { "\\\"[[", 1, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (rh_wire_is_small(cases[i].text, strlen(cases[i].text), cases[i].most) != cases[i].small)
            fail_msg("%s, %zu", cases[i].text, cases[i].most);
}

static void
test_paths(void **state)
{
    static const char *const good[] = { "a", "a/b", "...", ".a", "a/..b", "a./b", "..a/.b" };
    static const char *const bad[] = { "",   "/",   "/a",  "a/",   "a//b",   ".",
                                       "..", "./a", "a/.", "a/..", "a/../b", "../a" };
    char name[NAME_MAX + 2], path[PATH_MAX];
    size_t most = PATH_MAX / 2 - 1;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (!rh_wire_is_path(good[i]))
            fail_msg("'%s' is refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (rh_wire_is_path(bad[i]))
            fail_msg("'%s' is accepted", bad[i]);
    memset(name, 'n', sizeof name);
    name[NAME_MAX + 1] = '\0';
    assert_false(rh_wire_is_path(name));
    name[NAME_MAX] = '\0';
    assert_true(rh_wire_is_path(name));
    for (size_t i = 0; i < sizeof path; i++)
        path[i] = i % 100 == 99 ? '/' : 'p';
    path[most + 1] = '\0';
    assert_false(rh_wire_is_path(path));
    path[most] = '\0';
    assert_true(rh_wire_is_path(path));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_large), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_values), cmocka_unit_test(test_small), cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
