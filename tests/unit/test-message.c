/* SPDX-License-Identifier: Apache-2.0 */
/* test-message - questions of a worker about the catalog, their answers, and log lines. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "plugin/message.h"
#include "provider/log-record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a frame carries, without its header. */
static struct rh_in
payload(struct rh_buf *b)
{
    return (struct rh_in){ .at = b->s + RH_FRAME_HEADER, .end = b->s + b->n };
}

static void
a_question_arrives_as_it_was_asked(void **state)
{
    const struct rh_question asked[] = { { "file", "/etc/motd" }, { "file", "" }, { "file", NULL } };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rh_buf b = { 0 };
        struct rh_question got;
        struct rh_in in;

        rh_message_question(&b, &asked[i]);
        in = payload(&b);
        assert_true(rh_message_take_question(&in, &got));
        assert_string_equal(got.type, asked[i].type);
        assert_int_equal(got.title != NULL, asked[i].title != NULL);
        if (got.title)
            assert_string_equal(got.title, asked[i].title);
        rh_buf_clear(&b);
    }
}

static void
a_question_that_is_cut_or_too_long_is_none(void **state)
{
    struct rh_buf b = { 0 };
    size_t whole;

    (void)state;
    rh_message_question(&b, &(struct rh_question){ "file", "/etc/motd" });
    whole = b.n;
    for (size_t n = 0; n < whole - RH_FRAME_HEADER; n++) {
        struct rh_in in = { .at = b.s + RH_FRAME_HEADER, .end = b.s + RH_FRAME_HEADER + n };
        struct rh_question got;

        assert_false(rh_message_take_question(&in, &got));
    }
    rh_put_u8(&b, 1);
    {
        struct rh_in in = payload(&b);
        struct rh_question got;

        assert_false(rh_message_take_question(&in, &got));
    }
    rh_buf_clear(&b);
}

/* Sends `v`, and gives what arrives. */
static bool
travels(struct rh_arena *a, const struct rh_value *v, const struct rh_value **got)
{
    struct rh_buf b = { 0 };
    struct rh_in in;
    bool fits = false, whole;
    char *kept;

    rh_message_answer(&b, v);
    kept = rh_arena_alloc(a, b.n); /* values point into it */
    memcpy(kept, b.s, b.n);
    in = (struct rh_in){ .at = kept + RH_FRAME_HEADER, .end = kept + b.n };
    whole = rh_message_take_answer(&in, a, got, &fits);
    rh_buf_clear(&b);
    assert_true(whole);
    return fits;
}

static void
an_answer_arrives_or_says_that_it_does_not_fit(void **state)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH), *deep = rh_value_new(a, RH_ARRAY);
    enum { LARGE = 65 << 20 };
    const struct rh_value *got;
    char *large = rh_arena_alloc(a, LARGE);

    (void)state;
    assert_true(travels(a, NULL, &got));
    assert_null(got);
    rh_value_put(v, "title", rh_value_string(a, "x"));
    assert_true(travels(a, v, &got));
    assert_true(rh_value_equal(v, got));
    for (int i = 0; i < 70; i++) {
        struct rh_value *outer = rh_value_new(a, RH_ARRAY);

        rh_value_append(outer, deep);
        deep = outer;
    }
    assert_false(travels(a, deep, &got));
    assert_null(got);
    memset(large, 'x', LARGE - 1);
    rh_value_put(v, "content", rh_value_string_ref(a, large, LARGE - 1));
    assert_false(travels(a, v, &got));
    assert_null(got);
    rh_arena_free(a);
}

static void
a_log_line_arrives_as_it_was_said(void **state)
{
    const struct rh_log_about about[] = { { 7, "/etc/motd" }, { RH_NOBODY, "b: [c]" } };
    const struct rh_log_record said[] = {
        { .level = RH_WARNING,
          .type = "file",
          .about = about,
          .n = 2,
          .total = 40,
          .label = "Updating",
          .message = "x: [y]: z\n" },
        { .level = RH_DEBUG, .generated = true, .message = "" },
    };
    struct rh_arena *a = rh_arena_new(NULL);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rh_buf b = { 0 };
        struct rh_log_record got;
        struct rh_in in;
        size_t whole;

        rh_message_log(&b, &said[i]);
        whole = b.n - RH_FRAME_HEADER;
        for (size_t n = 0; n < whole; n++) {
            in = (struct rh_in){ .at = b.s + RH_FRAME_HEADER, .end = b.s + RH_FRAME_HEADER + n };
            assert_false(rh_message_take_log(&in, a, "file", &got));
        }
        in = payload(&b);
        assert_true(rh_message_take_log(&in, a, "file", &got));
        assert_int_equal(got.level, said[i].level);
        assert_int_equal(got.generated, said[i].generated);
        assert_int_equal(got.n, said[i].n);
        assert_int_equal(got.total, said[i].total);
        assert_int_equal(got.type != NULL, said[i].type != NULL);
        assert_int_equal(got.label != NULL, said[i].label != NULL);
        assert_string_equal(got.message, said[i].message);
        if (got.n) {
            assert_int_equal(got.about[0].id, 7);
            assert_int_equal(got.about[1].id, RH_NOBODY);
            assert_string_equal(got.about[1].title, "b: [c]");
            assert_string_equal(got.label, "Updating");
        }
        rh_buf_clear(&b);
    }
    rh_arena_free(a);
}

static bool
progress_travels(const struct rh_progress *said, struct rh_progress *got)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_in in;
    bool ok;

    rh_message_progress(&b, said);
    in = payload(&b);
    ok = rh_message_take_progress(&in, got);
    got->text = got->unit = NULL; /* are the buffer's */
    return ok;
}

static void
progress_has_any_number_and_short_words(void **state)
{
    static char text[1100];
    struct rh_progress got;

    (void)state;
    assert_true(
        progress_travels(&(struct rh_progress){ .counted = true, .done = 5, .total = UINT64_MAX }, &got));
    assert_int_equal(got.done, 5);
    assert_true(got.total == UINT64_MAX);
    memset(text, 'x', 1000);
    assert_true(progress_travels(&(struct rh_progress){ .text = text, .unit = text }, &got));
    text[1000] = 'x';
    assert_false(progress_travels(&(struct rh_progress){ .text = text }, &got));
    assert_false(progress_travels(&(struct rh_progress){ .unit = text }, &got));
}

static void
a_log_line_about_more_than_it_names_is_none(void **state)
{
    const struct rh_log_about about[RH_LOG_NAMED + 1] = { { 0, "a" }, { 0, "a" } };
    struct rh_log_record wrong[] = {
        { .type = "file", .about = about, .n = 2, .total = 1, .message = "x" },
        { .type = "file", .about = about, .n = 1, .total = 1, .message = "x", .level = (enum rh_level)9 },
    };
    struct rh_arena *a = rh_arena_new(NULL);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct rh_buf b = { 0 };
        struct rh_log_record got;
        struct rh_in in;

        rh_message_log(&b, &wrong[i]);
        in = payload(&b);
        assert_false(rh_message_take_log(&in, a, "file", &got));
        rh_buf_clear(&b);
    }
    rh_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_arrives_as_it_was_asked),
        cmocka_unit_test(a_question_that_is_cut_or_too_long_is_none),
        cmocka_unit_test(an_answer_arrives_or_says_that_it_does_not_fit),
        cmocka_unit_test(a_log_line_arrives_as_it_was_said),
        cmocka_unit_test(progress_has_any_number_and_short_words),
        cmocka_unit_test(a_log_line_about_more_than_it_names_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
