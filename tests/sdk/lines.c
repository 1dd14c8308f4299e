/* SPDX-License-Identifier: Apache-2.0 */
/* lines - <rhost/lines.h>: what is not edited stays byte for byte. */
#include "config.h"

#include <rhost/lines.h>

#include <setjmp.h>

#include <cmocka.h>

static struct rhost_lines *
lines_of(const char *text, size_t len)
{
    struct rhost_lines *l = rhost_lines_from(text, len);

    assert_non_null(l);
    return l;
}

static void
assert_text(struct rhost_lines *l, const char *expected, size_t len)
{
    size_t got;
    char *text = rhost_lines_text(l, &got);

    assert_non_null(text);
    assert_int_equal(got, len);
    assert_memory_equal(text, expected, len + 1);
    free(text);
    rhost_lines_free(l);
}

#define LINES(text) lines_of("" text, sizeof text - 1)
#define ASSERT_TEXT(l, text) assert_text(l, "" text, sizeof text - 1)

static void
test_whatever_is_read_is_written_again(void **state)
{
    static const char *const texts[] = { "", "\n", "a", "a\n", "a\n\n", "\r\n", "a\r\nb\nc\r", "\r", "\xff\n" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_text(lines_of(texts[i], strlen(texts[i])), texts[i], strlen(texts[i]));
    ASSERT_TEXT(LINES("a\0b\n\0"), "a\0b\n\0");
}

static void
test_lines_are_without_their_ends(void **state)
{
    struct rhost_lines *l = LINES("a\r\n\nbc");

    (void)state;
    assert_int_equal(l->n, 3);
    assert_true(rhost_line_is(l, 0, "a", 1));
    assert_true(rhost_line_is(l, 1, "", 0));
    assert_true(rhost_line_is(l, 2, "bc", 2));
    assert_false(rhost_line_is(l, 2, "b", 1));
    rhost_lines_free(l);
}

static void
test_a_new_line_ends_as_the_others(void **state)
{
    struct rhost_lines *l = LINES("a\r\nb");

    (void)state;
    rhost_lines_append(l, "c");
    ASSERT_TEXT(l, "a\r\nb\r\nc\r\n");
    l = LINES("");
    rhost_lines_append(l, "c");
    ASSERT_TEXT(l, "c\n");
}

static void
test_a_missing_newline_stays_missing(void **state)
{
    struct rhost_lines *l = LINES("a\nb");

    (void)state;
    rhost_lines_put(l, 1, "long", 4);
    rhost_lines_insert(l, 0, "top", 3);
    ASSERT_TEXT(l, "top\na\nlong");
}

static void
test_many_edits(void **state)
{
    struct rhost_lines *l = LINES("x\ny\n");
    char number[16];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(number, sizeof number, "%d", i);
        rhost_lines_insert(l, 1, number, strlen(number));
        rhost_lines_put(l, 1, number, strlen(number));
    }
    assert_int_equal(l->n, 1002);
    rhost_lines_remove(l, 2, 999);
    assert_true(l->edited);
    ASSERT_TEXT(l, "x\n999\ny\n");
}

static void
test_a_file_is_fresh_until_it_changes(void **state)
{
    char path[] = "/tmp/rhost-lines-XXXXXX";
    int fd = mkstemp(path);
    struct timespec moment = { .tv_nsec = 60000000 };
    struct rhost_lines *l;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\n", 2), 2);
    l = rhost_lines_read(path);
    assert_non_null(l);
    assert_false(rhost_lines_are_fresh(l)); /* written a moment ago: nobody could tell */
    rhost_lines_free(l);
    nanosleep(&moment, NULL);
    l = rhost_lines_read(path);
    assert_true(rhost_lines_are_fresh(l));
    assert_int_equal(pwrite(fd, "b", 1, 0), 1); /* as long as before */
    assert_false(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    nanosleep(&moment, NULL);
    l = rhost_lines_read(path);
    rhost_lines_append(l, "c");
    assert_false(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    assert_int_equal(unlink(path), 0);
    l = rhost_lines_read(path);
    assert_non_null(l);
    assert_int_equal(l->exists, 0);
    assert_true(rhost_lines_are_fresh(l));
    rhost_lines_free(l);
    close(fd);
}

static void
test_what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_null(rhost_lines_read("/"));
    assert_int_equal(errno, EISDIR);
    assert_null(rhost_lines_read("/dev/null"));
    assert_int_equal(errno, EINVAL);
}

static void
test_text_is_told_from_other_bytes(void **state)
{
    static const char *const good[] = { "", "abc\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
    static const char *const bad[] = { "\xe9", "a\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                       "\xf5\x80\x80\x80", "\xf0\x9f\x98", "\x80", "\xff" };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(rhost_is_utf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(rhost_is_utf8(bad[i], strlen(bad[i])));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whatever_is_read_is_written_again),
        cmocka_unit_test(test_lines_are_without_their_ends),
        cmocka_unit_test(test_a_new_line_ends_as_the_others),
        cmocka_unit_test(test_a_missing_newline_stays_missing),
        cmocka_unit_test(test_many_edits),
        cmocka_unit_test(test_a_file_is_fresh_until_it_changes),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_text_is_told_from_other_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
