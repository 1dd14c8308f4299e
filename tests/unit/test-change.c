/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a change, written and read again, and records of what was observed. */
#include "config.h"

#include "arena-fixture.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/change.h"

#include <string.h>

static struct rh_value *
text(const char *s)
{
    return rh_value_string(arena, s);
}

static struct rh_value *
secret(const char *s)
{
    struct rh_value *v = text(s);

    v->marks |= RH_SENSITIVE;
    return v;
}

/* As a list of JSON, and read again. */
static size_t
there_and_back(enum rh_change_kind kind, const struct rh_difference *v, size_t n,
               const struct rh_difference **back)
{
    rh_autobuf struct rh_buf b = { 0 };
    const struct rh_value *all;

    rh_buf_addc(&b, '{');
    rh_changes_to_json(&b, "list", kind, v, n);
    rh_buf_addc(&b, '}');
    all = rh_value_from_json(arena, rh_buf_text(&b), b.n, NULL);
    assert_non_null(all);
    return rh_changes_from_json(arena, rh_value_get(all, "list"), back);
}

static void
a_difference_comes_back_as_it_was_written(void **state)
{
    const struct rh_difference v[] = {
        { .attribute = "mode", .from = text("0644"), .to = text("0600") },
        { .attribute = "content", .from = secret(""), .to = secret("") },
        { .attribute = "ensure", .to = text("present"), .unknown = true },
        { .attribute = "size", .from = rh_value_integer(arena, 3), .message = "grown\nby 2" },
    };
    const struct rh_difference *back;

    (void)state;
    assert_int_equal(there_and_back(RH_CHANGE_DIFFERENCE, v, 4, &back), 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(rh_change_equal(&v[i], &back[i]));
    assert_true(rh_value_sensitive(back[1].from)); /* and no text that was there */
    assert_null(back[2].from);
    assert_false(back[0].unknown);
    for (size_t i = 1; i < 4; i++)
        assert_false(rh_change_equal(&v[0], &back[i]));
}

static void
a_finding_has_its_time_and_no_message(void **state)
{
    const struct rh_difference v[] = {
        { .attribute = "mode", .from = text("0644"), .to = text("0600"), .since = "2026-11-21T02:00:00Z" },
        { .attribute = "owner", .to = text("root") },
    };
    const struct rh_difference *back;

    (void)state;
    assert_int_equal(there_and_back(RH_CHANGE_FINDING, v, 2, &back), 2);
    assert_true(rh_change_equal(&v[0], &back[0]));
    assert_true(rh_change_equal(&v[1], &back[1]));
    assert_true(rh_findings_any_change(back, 2));
    assert_false(rh_findings_any_change(back + 1, 1));
}

static void
each_part_of_a_change_counts(void **state)
{
    const struct rh_difference one = {
        .attribute = "a", .from = text("x"), .to = text("y"), .message = "m", .since = "s"
    };
    struct rh_difference v[7] = { one, one, one, one, one, one, one };

    (void)state;
    v[0].attribute = "b";
    v[1].from = NULL;
    v[2].to = text("z");
    v[3].message = NULL;
    v[4].since = "t";
    v[5].unknown = true;
    v[6].from = secret("x");
    assert_true(rh_change_equal(&one, &one));
    for (size_t i = 0; i < 7; i++) {
        assert_false(rh_change_equal(&one, &v[i]));
        assert_false(rh_change_equal(&v[i], &one));
    }
}

static void
what_is_no_list_of_changes_is_read_without_harm(void **state)
{
    static const char *const texts[] = {
        "null", "3", "{}", "[]", "[1, null, \"x\", []]",
    };
    const struct rh_difference *v;
    const struct rh_value *odd = rh_value_from_json(
        arena, "[{\"attribute\": 3, \"unknown\": \"yes\", \"since\": {}, \"message\": []}]",
        strlen("[{\"attribute\": 3, \"unknown\": \"yes\", \"since\": {}, \"message\": []}]"), NULL);

    (void)state;
    assert_int_equal(rh_changes_from_json(arena, NULL, &v), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(
            rh_changes_from_json(arena, rh_value_from_json(arena, texts[i], strlen(texts[i]), NULL), &v), 0);
    assert_int_equal(rh_changes_from_json(arena, odd, &v), 1);
    assert_string_equal(v[0].attribute, "?");
    assert_false(v[0].unknown);
    assert_null(v[0].since);
    assert_null(v[0].message);
}

static void
names_from_a_file_are_fit_to_be_shown(void **state)
{
    static const char json[] = "[{\"attribute\": \"a\\u001b[31m\", \"since\": \"\\u0007\"}]";
    const struct rh_difference *v;

    (void)state;
    assert_int_equal(rh_changes_from_json(arena, rh_value_from_json(arena, json, sizeof json - 1, NULL), &v),
                     1);
    assert_null(strchr(v[0].attribute, '\033'));
    assert_null(strchr(v[0].since, '\a'));
}

static void
what_was_observed_is_kept_as_itself_its_digest_or_a_salted_hash(void **state)
{
    char large[2000];
    const struct rh_value *none = rh_observed_new(arena, "a", NULL, "salt");
    const struct rh_value *small = rh_observed_new(arena, "a", text("x"), NULL);
    const struct rh_value *long_one, *hidden = rh_observed_new(arena, "a", text("x"), "salt");

    (void)state;
    memset(large, 'x', sizeof large);
    long_one = rh_observed_new(arena, "a", rh_value_stringn(arena, large, sizeof large), NULL);
    assert_int_equal(rh_value_count(none), 0);
    assert_string_equal(rh_value_get_str(small, "value", ""), "x");
    assert_int_equal(rh_value_get(long_one, "bytes")->u.integer, 2000);
    assert_null(rh_value_get(long_one, "value"));
    assert_null(rh_value_get(hidden, "value"));
    assert_true(rh_observed_is_secret(hidden));
    assert_false(rh_observed_is_secret(small));
    assert_string_equal(rh_observed_salt(hidden), "salt");
    assert_null(rh_observed_show(arena, none));
    assert_true(rh_value_sensitive(rh_observed_show(arena, hidden)));
    assert_memory_equal(rh_observed_show(arena, long_one)->u.string, "2000 bytes, {sha256}", 20);
}

static void
records_are_equal_when_what_was_observed_was(void **state)
{
    const struct rh_value *v[] = {
        rh_observed_new(arena, "a", NULL, NULL),        rh_observed_new(arena, "a", text("x"), NULL),
        rh_observed_new(arena, "a", text("y"), NULL),   rh_observed_new(arena, "a", text("x"), "salt"),
        rh_observed_new(arena, "a", text("y"), "salt"), rh_observed_new(arena, "a", text("x"), "other"),
        rh_observed_new(arena, "b", text("x"), "salt"), rh_observed_new(arena, "a", text(""), NULL),
    };
    size_t n = sizeof v / sizeof v[0];

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            assert_int_equal(rh_observed_equal(v[i], v[k]), i == k);
    assert_true(rh_observed_equal(v[3], rh_observed_new(arena, "a", text("x"), "salt")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_comes_back_as_it_was_written),
        cmocka_unit_test(a_finding_has_its_time_and_no_message),
        cmocka_unit_test(each_part_of_a_change_counts),
        cmocka_unit_test(what_is_no_list_of_changes_is_read_without_harm),
        cmocka_unit_test(names_from_a_file_are_fit_to_be_shown),
        cmocka_unit_test(what_was_observed_is_kept_as_itself_its_digest_or_a_salted_hash),
        cmocka_unit_test(records_are_equal_when_what_was_observed_was),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
