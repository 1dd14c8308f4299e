/* SPDX-License-Identifier: Apache-2.0 */
/* test-datatype - the data type language, in promises. */
#include "config.h"

#include "datatype-fixture.h"

#include "datatype/alias.h"
#include "datatype/match.h"

#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <string.h>
#include <time.h>

static struct rh_value *
json(const char *text)
{
    struct rh_value *v = rh_value_from_json(arena, text, strlen(text), NULL);

    if (!v)
        fail_msg("%s is not JSON", text);
    return v;
}

static void
assert_refused(const char *text, size_t at, const char *why)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_datatype_parse(arena, NULL, text, &err))
        fail_msg("%s is accepted", text);
    assert_string_equal(err.message, why);
    assert_int_equal(err.at, at);
}

static void
assert_explained(const char *text, const struct rh_value *v, const char *why)
{
    rh_autobuf struct rh_buf b = { 0 };

    assert_false(rh_datatype_match(type(text), v));
    rh_datatype_explain(type(text), "x", v, &b);
    assert_string_equal(rh_buf_text(&b), why);
}

static void
assert_printed(const char *text, const char *canonical)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_datatype_print(type(text), &b);
    assert_string_equal(rh_buf_text(&b), canonical);
}

static void
a_refused_type_says_where_and_what(void **state)
{
    (void)state;
    assert_refused("Strin", 0, "unknown data type 'Strin' (did you mean 'String'?)");
    assert_refused("Array[Strng]", 6, "unknown data type 'Strng' (did you mean 'String'?)");
    assert_refused("String[3,1]", 7, "String has its lower bound '3' above its upper bound '1'");
    assert_refused("Integer[1,", 10, "expected a parameter, found the end of the text");
    assert_refused("String Integer", 7, "expected the end of the text, found 'Integer'");
    assert_refused("Integer[-1,-3]", 8, "Integer has its lower bound '-1' above its upper bound '-3'");
    assert_refused("Enum[A]", 5, "Enum takes words: one that starts with a capital needs quotes");
    assert_refused("Struct[{a=>Integer,a=>Any}]", 19, "duplicate key 'a'");
    assert_refused("Struct[{String=>Integer}]", 8,
                   "Struct takes a key as 'name', Optional['name'] or NotUndef['name'] here, not "
                   "'String'");
    assert_refused("SemVer[1]", 7,
                   "SemVer takes a version range, like '>=1.2.0 <2.0.0' or '1.x', here, not '1'");
    assert_refused("URI['http:/a b']", 4,
                   "URI takes a URI, like 'https://example.com/', here, not ''http:/a b''");
    assert_refused("Pattern[/(/]", 10, "bad pattern: a group is not closed: missing ')'");
    assert_refused("Enum['a", 5, "the string that starts here is not closed");
    assert_refused("Integer[99999999999999999999]", 8, "'99999999999999999999' does not fit in 64 bits");
    assert_refused("", 0, "expected a data type, like String, found the end of the text");
}

static void
nesting_ends_somewhere(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    for (int i = 0; i < 10000; i++)
        rh_buf_add(&b, "Array[");
    assert_null(rh_datatype_parse(arena, NULL, rh_buf_text(&b), &err));
    assert_string_equal(err.message, "types are nested too deeply here");
}

static void
a_type_prints_in_canonical_words(void **state)
{
    (void)state;
    assert_printed("Enum[present,absent, 'it\\'s']", "Enum['absent', 'it\\'s', 'present']");
    assert_printed("String[default,3]", "String[0, 3]");
    assert_printed("Struct[{a=>Integer,Optional[b]=>String}]",
                   "Struct[{'a' => Integer, Optional['b'] => String}]");
    assert_printed("Array[ 1,2 ]", "Array[Any, 1, 2]");
    assert_printed("Variant[Variant[String,Integer],String]", "Variant[String, Integer]");
    assert_printed("Enum[\"a\\nb\"]", "Enum[\"a\\nb\"]");
    assert_printed("Sensitive[String[1,3]]", "Sensitive[String[1, 3]]");
}

static void
a_mismatch_says_what_was_expected_and_what_is_there(void **state)
{
    (void)state;
    assert_explained("Integer[1,10]", json("0"), "x expects an Integer[1, 10] value, got Integer[0, 0]");
    assert_explained("Integer[1,10]", json("\"5\""), "x expects an Integer value, got String");
    assert_explained("Enum[a,b]", json("\"c\""), "x expects a match for Enum['a', 'b'], got 'c'");
    assert_explained("Optional[String]", json("1"), "x expects a value of type Undef or String, got Integer");
    assert_explained("Array[String,1,2]", json("[]"), "x expects size to be between 1 and 2, got 0");
    assert_explained("Hash[String,Array[Integer]]", json("{\"a\": [1, \"b\"]}"),
                     "x entry 'a' index 1 expects an Integer value, got String");
    assert_explained("Struct[{a=>Integer}]", json("{\"b\": 1}"),
                     " x expects a value for key 'a'\n  x unrecognized key 'b'");
    assert_explained("Variant[String,Array[Integer]]", json("[\"b\"]"),
                     " x variant 0 expects a String value, got Tuple\n"
                     "  x variant 1 index 0 expects an Integer value, got String");
}

static void
a_mismatch_without_a_subject_starts_with_the_complaint(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };

    (void)state;
    rh_datatype_explain(type("Array[Integer]"), "", json("[\"a\"]"), &b);
    assert_string_equal(rh_buf_text(&b), "index 0 expects an Integer value, got String");
}

static void
nothing_from_a_value_reaches_a_terminal_raw(void **state)
{
    (void)state;
    assert_explained("Enum[a]", json("\"\\u001b[2J\\n\""),
                     "x expects a match for Enum['a'], got '\\x1b[2J\\n'");
}

static void
a_thousand_complaints_are_cut(void **state)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *v = rh_value_new(arena, RH_ARRAY);

    (void)state;
    for (int i = 0; i < 1000; i++)
        rh_value_append(v, rh_value_integer(arena, i));
    rh_datatype_explain(type("Array[String]"), "x", v, &b);
    assert_non_null(strstr(rh_buf_text(&b), "\n  and 900 more"));
}

static void
what_is_sensitive_is_not_told(void **state)
{
    struct rh_value *v = json("\"hunter2\""), *list = json("[\"hunter2\", 17]");
    struct rh_value *wrapped = rh_value_new(arena, RH_WRAPPED);
    struct rh_value *hash = json("{\"hunter2\": [17]}");

    (void)state;
    v->marks |= RH_SENSITIVE;
    list->marks |= RH_SENSITIVE;
    hash->marks |= RH_SENSITIVE;
    rh_value_append(wrapped, json("17"));
    assert_explained("Enum[a]", v, "x expects a match for Enum['a'], got String");
    assert_explained("Sensitive[Enum[a]]", v,
                     "x expects a Sensitive[Enum['a']] value, got Sensitive[String]");
    assert_explained("Array[Integer]", list, "x expects an Array[Integer] value, got Array");
    assert_explained("Struct[{a=>Integer}]", hash, "x expects a Struct[{'a' => Integer}] value, got Hash");
    assert_explained("Sensitive[Integer[1,5]]", wrapped,
                     "x expects a Sensitive[Integer[1, 5]] value, got Sensitive[Integer]");
}

static void
the_mark_of_a_secret_is_asked_for_only_by_sensitive(void **state)
{
    struct rh_value *v = json("\"a\""), *list = json("[\"a\"]");

    (void)state;
    assert_false(rh_datatype_match(type("Sensitive[String]"), v));
    v->marks |= RH_SENSITIVE;
    list->marks |= RH_SENSITIVE;
    assert_true(rh_datatype_match(type("Sensitive[String]"), v));
    assert_true(rh_datatype_match(type("String"), v));
    assert_true(rh_datatype_match(type("Array[Sensitive[String[1]]]"), list));
    assert_false(rh_datatype_match(type("Sensitive[String[2]]"), v));
    assert_true(rh_datatype_sensitive(type("Optional[Sensitive[String]]")));
    assert_false(rh_datatype_sensitive(type("Array[Sensitive[String]]")));
}

static void
what_is_not_known_yet_fits_everything(void **state)
{
    (void)state;
    assert_true(rh_datatype_match(type("Integer[1,2]"), rh_value_new(arena, RH_UNKNOWN)));
}

static void
matching_allocates_nothing(void **state)
{
    const struct rh_datatype *t = type("Struct[{a => Array[Variant[Pattern[/^[a-z]+$/], Enum['A']]], "
                                       "Optional[b] => Hash[String[1], Integer[1, 9]]}]");
    struct rh_value *v = json("{\"a\": [\"x\", \"A\"], \"b\": {\"c\": 5}}");
    size_t before = rh_arena_size(arena);

    (void)state;
    for (int i = 0; i < 100000; i++)
        assert_true(rh_datatype_match(t, v));
    assert_int_equal(rh_arena_size(arena), before);
}

/* L3 */
static void
aliases_may_use_each_other_and_themselves(void **state)
{
    struct rh_aliases *s = rh_aliases_new(arena);
    rh_autobuf struct rh_buf b = { 0 };
    const struct rh_datatype *t;

    (void)state;
    assert_int_equal(rh_aliases_declare(s, "My::Tree", "Variant[My::Leaf, Array[My::Tree]]", NULL), 0);
    assert_int_equal(rh_aliases_declare(s, "My::Leaf", "Integer[0, 9]", NULL), 0);
    assert_int_equal(rh_aliases_resolve(s, NULL), 0);
    t = rh_datatype_parse(arena, s, "My::Tree", NULL);
    assert_non_null(t);
    assert_true(rh_datatype_match(t, json("[1, [2, [3, []]]]")));
    assert_false(rh_datatype_match(t, json("[1, [2, [\"x\"]]]")));
    rh_datatype_explain(t, "x", json("true"), &b);
    assert_string_equal(rh_buf_text(&b), "x expects a My::Tree = Variant[My::Leaf = Integer[0, 9], "
                                         "Array[My::Tree]] value, got Boolean");
    assert_true(rh_assignable(t, t));
}

static void
an_alias_can_not_stand_for_itself(void **state)
{
    struct rh_aliases *s = rh_aliases_new(arena);
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(rh_aliases_declare(s, "A", "Optional[B]", &err), 0);
    assert_int_equal(rh_aliases_declare(s, "B", "Variant[String, A]", &err), 0);
    assert_int_equal(rh_aliases_resolve(s, &err), -1);
    assert_string_equal(err.message, "data type 'A' refers only to itself: wrap it, for example in "
                                     "Array[A]");
}

static void
an_alias_with_a_bad_body_is_named(void **state)
{
    struct rh_aliases *s = rh_aliases_new(arena);
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(rh_aliases_declare(s, "My::Port", "Integer[0, 65535]", &err), 0);
    assert_int_equal(rh_aliases_declare(s, "My::Ports", "Array[My::Prt]", &err), 0);
    assert_int_equal(rh_aliases_resolve(s, &err), -1);
    assert_string_equal(err.message, "in data type 'My::Ports': unknown data type 'My::Prt' (did "
                                     "you mean 'My::Port'?)");
    assert_int_equal(err.at, 6);
}

static void
a_pattern_that_goes_wrong_ends(void **state)
{
    static const char *const bombs[] = {
        "Pattern[/\\A(a+)+\\z/]",     "Pattern[/\\A(a|aa)+\\z/]",          "Pattern[/\\A(a|a?)+\\z/]",
        "Pattern[/\\A(.*a){20}\\z/]", "Pattern[/\\A(?<x>a\\g<x>|a)+\\z/]",
    };
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_value *v;
    time_t from = time(NULL);
    size_t undecided = 0;

    (void)state;
    for (int i = 0; i < 200; i++)
        rh_buf_addc(&text, 'a');
    rh_buf_addc(&text, '!');
    v = rh_value_string(arena, rh_buf_text(&text));
    for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
        rh_autobuf struct rh_buf why = { 0 };
        const struct rh_datatype *t = type(bombs[i]);

        enum rh_fit fit = rh_datatype_fit(t, v);

        for (int j = 0; j < 40; j++)
            assert_int_equal(rh_datatype_fit(t, v), fit);
        assert_int_not_equal(fit, RH_FITS);
        rh_datatype_explain(t, "x", v, &why);
        assert_non_null(strstr(rh_buf_text(&why),
                               fit == RH_MISFITS ? "expects a match for Pattern" : "takes too many steps"));
        undecided += fit == RH_UNDECIDED;
    }
    assert_true(undecided >= 4);
    assert_true(time(NULL) - from < 60);
}

static void
a_pattern_can_not_lift_its_limits(void **state)
{
    (void)state;
    assert_refused("Pattern[/(*LIMIT_MATCH=999999999)a/]", 9, "bad pattern: nothing to repeat");
    assert_refused("Pattern[/(?C1)a/]", 11, "bad pattern: unknown kind of group");
}

static void
patterns_are_read_as_ruby_reads_them(void **state)
{
    static const struct {
        const char *type, *json;
        bool fits;
    } cases[] = {
        { "Pattern[/^b$/]", "\"a\\nb\\nc\"", true },
        { "Pattern[/\\A\\h+\\z/]", "\"0fA\"", true },
        { "Pattern[/\\A\\h+\\z/]", "\"0fg\"", false },
        { "Pattern[/a.b/]", "\"a\\nb\"", false },
        { "Pattern[/(?m)a.b/]", "\"a\\nb\"", true },
        { "Pattern[/\\A[a-z&&[^aeiou]]+\\z/]", "\"xyz\"", true },
        { "Pattern[/\\A[a-z&&[^aeiou]]+\\z/]", "\"xyza\"", false },
        { "Pattern[/\\Aa{,2}\\z/]", "\"aaa\"", false },
        { "Pattern[/\\Aa{2}+\\z/]", "\"aaaa\"", true },
        { "Pattern[/\\Aa(?i)b|c\\z/]", "\"aC\"", true },
        { "Pattern[/\\w/]", "\"\\u00e9\"", false },
        { "Pattern[/[[:alpha:]]/]", "\"\\u00e9\"", true },
        { "Pattern[/\\Aa\\Z/]", "\"a\\n\"", true },
        { "Pattern[/\\u00e9/]", "\"\\u00e9\"", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (rh_datatype_match(type(cases[i].type), json(cases[i].json)) != cases[i].fits)
            fail_msg("%s and %s", cases[i].type, cases[i].json);
}

static void
text_is_read_by_the_type_that_stands_for_it(void **state)
{
    const struct rh_value *v;

    (void)state;
    v = rh_datatype_from_text(arena, type("Integer"), "x", "0x1F", NULL);
    assert_true(rh_value_is(v, RH_INTEGER) && v->u.integer == 31);
    v = rh_datatype_from_text(arena, type("Integer"), "x", " - 017 ", NULL);
    assert_true(rh_value_is(v, RH_INTEGER) && v->u.integer == -15);
    v = rh_datatype_from_text(arena, type("Float"), "x", "01.5e-1", NULL);
    assert_true(rh_value_is(v, RH_FLOAT) && v->u.real == 0.15);
    assert_null(rh_datatype_from_text(arena, type("Numeric"), "x", "0x", NULL));
    assert_null(rh_datatype_from_text(arena, type("Numeric"), "x", "1e+5", NULL));
    assert_null(rh_datatype_from_text(arena, type("Numeric"), "x", "08", NULL));
    v = rh_datatype_from_text(arena, type("Variant[Boolean, String]"), "x", "true", NULL);
    assert_true(rh_value_is(v, RH_BOOLEAN) && v->u.integer);
    v = rh_datatype_from_text(arena, type("Variant[Boolean, String]"), "x", "yes", NULL);
    assert_string_equal(rh_value_str(v, ""), "yes");
    v = rh_datatype_from_text(arena, type("Sensitive[Integer]"), "x", "5", NULL);
    assert_true(rh_value_is(v, RH_INTEGER) && v->marks & RH_SENSITIVE);
    v = rh_datatype_read(arena, type("Array[Integer]"), "x", json("[\"1\", 2]"), NULL);
    assert_true(rh_value_equal(v, json("[1, 2]")));
}

static void
text_that_can_not_be_read_says_why(void **state)
{
    static const char *const cases[][3] = {
        { "Integer[1,5]", "9", "x expects an Integer[1, 5] value, got Integer[9, 9]" },
        { "Optional[Integer]", "", "x expects an Integer value, got String" },
        { "Variant[Boolean, Enum['true']]", "true",
          "x \"true\" is not unambiguously convertible to Variant[Boolean, Enum['true']]" },
        { "Integer", "99999999999999999999", "x \"99999999999999999999\" is too large for a number" },
        { "Sensitive[Integer]", "hunter2", "x expects a Sensitive[Integer] value, got Sensitive[String]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };

        assert_null(rh_datatype_from_text(arena, type(cases[i][0]), "x", cases[i][1], &err));
        assert_string_equal(err.message, cases[i][2]);
    }
}

static void
versions_fit_their_ranges(void **state)
{
    static const struct {
        const char *type, *version;
        bool fits;
    } cases[] = {
        { "SemVer['1.x']", "1.9.0", true },
        { "SemVer['1.x']", "2.0.0", false },
        { "SemVer['>=1.2.0 <2.0.0']", "1.2.0", true },
        { "SemVer['~1.2.3']", "1.2.9", true },
        { "SemVer['~1.2.3']", "1.3.0", false },
        { "SemVer['^1.2.3']", "1.9.0", true },
        { "SemVer['^0.2.3']", "0.3.0", false },
        { "SemVer['1.0.0 - 2.0.0']", "2.0.0", true },
        { "SemVer['<1.0.0 || >=3.0.0']", "3.1.0", true },
        { "SemVer['<1.0.0 || >=3.0.0']", "2.0.0", false },
        { "SemVer['>=1.0.0']", "2.0.0-rc.1", false },
        { "SemVer['>=1.0.0-rc.1']", "1.0.0-rc.2", true },
        { "SemVer['>=1.0.0-rc.2']", "1.0.0-rc.11", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *s = cases[i].version;
        struct rh_value *v = rh_value_text(arena, RH_SEMVER, s, strlen(s));

        if (rh_datatype_match(type(cases[i].type), v) != cases[i].fits)
            fail_msg("%s and %s", cases[i].type, s);
    }
}

static void
times_fit_their_ranges(void **state)
{
    static const char in[] = "2020-02-29T23:59:59.5 +01:00", out[] = "2020-03-01";
    const struct rh_datatype *t = type("Timestamp['2020-02-29', '2020-02-29 22:59:59.5']");

    (void)state;
    assert_true(rh_datatype_match(t, rh_value_text(arena, RH_TIMESTAMP, in, strlen(in))));
    assert_false(rh_datatype_match(t, rh_value_text(arena, RH_TIMESTAMP, out, strlen(out))));
    assert_printed("Timestamp[-1.5]", "Timestamp['1969-12-31T23:59:58.500000000 UTC']");
    assert_printed("Timespan[-90, '1-02:03:04.5']", "Timespan['-0-00:01:30.0', '1-02:03:04.5']");
}

static void
the_shape_of_a_type_can_be_walked(void **state)
{
    const struct rh_datatype *t = type("Struct[{a => Enum[x, y], b => Hash[String, Integer]}]"), *in;

    (void)state;
    assert_int_equal(rh_datatype_kind(t), RH_T_STRUCT);
    assert_int_equal(rh_datatype_count(t), 2);
    assert_string_equal(rh_datatype_key(t, 1, &in), "b");
    assert_int_equal(rh_datatype_kind(rh_datatype_inner(in, 1)), RH_T_INTEGER);
    assert_string_equal(rh_datatype_key(t, 0, &in), "a");
    assert_string_equal(rh_datatype_key(in, 1, NULL), "y");
    assert_null(rh_datatype_key(t, 2, &in));
    assert_null(rh_datatype_inner(type("Array"), 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_refused_type_says_where_and_what),
        ARENA_TEST(nesting_ends_somewhere),
        ARENA_TEST(a_type_prints_in_canonical_words),
        ARENA_TEST(a_mismatch_says_what_was_expected_and_what_is_there),
        ARENA_TEST(a_mismatch_without_a_subject_starts_with_the_complaint),
        ARENA_TEST(nothing_from_a_value_reaches_a_terminal_raw),
        ARENA_TEST(a_thousand_complaints_are_cut),
        ARENA_TEST(what_is_sensitive_is_not_told),
        ARENA_TEST(the_mark_of_a_secret_is_asked_for_only_by_sensitive),
        ARENA_TEST(what_is_not_known_yet_fits_everything),
        ARENA_TEST(matching_allocates_nothing),
        ARENA_TEST(aliases_may_use_each_other_and_themselves),
        ARENA_TEST(an_alias_can_not_stand_for_itself),
        ARENA_TEST(an_alias_with_a_bad_body_is_named),
        ARENA_TEST(a_pattern_that_goes_wrong_ends),
        ARENA_TEST(a_pattern_can_not_lift_its_limits),
        ARENA_TEST(patterns_are_read_as_ruby_reads_them),
        ARENA_TEST(text_is_read_by_the_type_that_stands_for_it),
        ARENA_TEST(text_that_can_not_be_read_says_why),
        ARENA_TEST(versions_fit_their_ranges),
        ARENA_TEST(times_fit_their_ranges),
        ARENA_TEST(the_shape_of_a_type_can_be_walked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
