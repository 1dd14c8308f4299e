/* SPDX-License-Identifier: Apache-2.0 */
/* test-toml - TOML as its specification has it: the examples, valid and not, that it gives. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value-toml.h"
#include "base/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct example {
    const char *toml, *json;
};

/* The value as JSON, or "LINE: message". */
static const char *
read_toml(struct rh_arena *a, const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };
    /* Of its own size, so that the sanitizer sees what reads on. */
    rh_autofree char *copy = malloc(n ? n : 1);
    const struct rh_value *v;

    assert_non_null(copy);
    memcpy(copy, text, n);
    v = rh_value_from_toml(a, copy, n, &err);
    if (!v)
        return rh_arena_printf(a, "%u: %s", err.place.line, err.message);
    rh_value_to_json(&b, v, true);
    return rh_arena_strdup(a, rh_buf_text(&b));
}

static void
assert_examples(const struct example *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        const char *got = read_toml(a, e[i].toml, strlen(e[i].toml));

        if (strcmp(got, e[i].json) != 0)
            fail_msg("%s\n is  %s\n not %s", e[i].toml, got, e[i].json);
    }
}

static void
what_the_specification_has_is_read(void **state)
{
    static const struct example examples[] = {
        { "", "{}" },
        { "# a comment\n", "{}" },
        { "key = \"value\" # a comment\nanother = \"# not a comment\"",
          "{\"key\": \"value\", \"another\": \"# not a comment\"}" },
        { "\t a\t=\t1 \r\n\r\nb = 2", "{\"a\": 1, \"b\": 2}" },
        { "bare_key = 1\nbare-key = 2\n1234 = 3", "{\"bare_key\": 1, \"bare-key\": 2, \"1234\": 3}" },
        { "\"127.0.0.1\" = 1\n'quoted \"value\"' = 2\n\"\" = 3",
          "{\"127.0.0.1\": 1, \"quoted \\\"value\\\"\": 2, \"\": 3}" },
        { "name = 1\nphysical.color = 2\nphysical.shape = 3\nsite.\"google.com\" = true",
          "{\"name\": 1, \"physical\": {\"color\": 2, \"shape\": 3}, \"site\": {\"google.com\": true}}" },
        { "fruit . flavor = 1\nfruit.\t'color' = 2", "{\"fruit\": {\"flavor\": 1, \"color\": 2}}" },
        { "apple.type = 1\norange.type = 2\napple.skin = 3",
          "{\"apple\": {\"type\": 1, \"skin\": 3}, \"orange\": {\"type\": 2}}" },
        { "3.14159 = 1", "{\"3\": {\"14159\": 1}}" },
        { "s = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00e4\\U0001F600\"",
          "{\"s\": \"\\u0008\\t\\n\\u000c\\u000d\\\"\\\\\u00e4\U0001F600\"}" },
        { "s = \"\"\"\nRoses\nViolets\"\"\"", "{\"s\": \"Roses\\nViolets\"}" },
        { "s = \"\"\"a \\\n\n   b \\  \r\n c\"\"\"", "{\"s\": \"a b c\"}" },
        { "s = \"\"\"two \"\" three \\\"\"\" end\"\"\"\"\"",
          "{\"s\": \"two \\\"\\\" three \\\"\\\"\\\" end\\\"\\\"\"}" },
        { "s = 'C:\\Users\\n'\nt = '''\n'one' ''two'' '''''",
          "{\"s\": \"C:\\\\Users\\\\n\", \"t\": \"'one' ''two'' ''\"}" },
        { "s = \"\"\"a\r\nb\"\"\"\ne = \"\"\n", "{\"s\": \"a\\nb\", \"e\": \"\"}" },
        { "a = +99\nb = 42\nc = 0\nd = -17\ne = 1_000\nf = 5_349_221\ng = -0",
          "{\"a\": 99, \"b\": 42, \"c\": 0, \"d\": -17, \"e\": 1000, \"f\": 5349221, \"g\": 0}" },
        { "a = 0xDEADBEEF\nb = 0xdead_beef\nc = 0o01234567\nd = 0b11010110",
          "{\"a\": 3735928559, \"b\": 3735928559, \"c\": 342391, \"d\": 214}" },
        { "a = 9223372036854775807\nb = -9223372036854775808",
          "{\"a\": 9223372036854775807, \"b\": -9223372036854775808}" },
        { "a = +1.0\nb = 3.1415\nc = -0.01\nd = 5e+22\ne = 1e06\nf = -2E-2\ng = 6.626e-34\nh = "
          "224_617.445_991",
          "{\"a\": 1.0, \"b\": 3.1415, \"c\": -0.01, \"d\": 5e+22, \"e\": 1e+06, \"f\": -0.02, "
          "\"g\": 6.626e-34, \"h\": 224617.445991}" },
        { "a = true\nb = false", "{\"a\": true, \"b\": false}" },
        { "a = 1979-05-27T07:32:00Z\nb = 1979-05-27T00:32:00.999999-07:00\nc = 1979-05-27 07:32:00Z\n"
          "d = 1979-05-27T07:32:00\ne = 1979-05-27\nf = 07:32:00\ng = 00:32:00.5\nh = 2024-02-29 # leap",
          "{\"a\": \"1979-05-27T07:32:00Z\", \"b\": \"1979-05-27T00:32:00.999999-07:00\", "
          "\"c\": \"1979-05-27 07:32:00Z\", \"d\": \"1979-05-27T07:32:00\", \"e\": \"1979-05-27\", "
          "\"f\": \"07:32:00\", \"g\": \"00:32:00.5\", \"h\": \"2024-02-29\"}" },
        { "a = [ 1, 2, 3 ]\nb = [ [ 1, 2 ], [\"a\", 'b'] ]\nc = []\nd = [\n 1, # one\n\n 2,\n]",
          "{\"a\": [1, 2, 3], \"b\": [[1, 2], [\"a\", \"b\"]], \"c\": [], \"d\": [1, 2]}" },
        { "a = [ 0.1, 1, { x = \"y\" } ]", "{\"a\": [0.1, 1, {\"x\": \"y\"}]}" },
        { "[table]\n[table-2]\nk = 1\n[dog.\"tater.man\"]\ntype.name = \"pug\"",
          "{\"table\": {}, \"table-2\": {\"k\": 1}, \"dog\": {\"tater.man\": {\"type\": {\"name\": "
          "\"pug\"}}}}" },
        { "[ j . \"x\" . 'l' ]\n[x.y.z.w]\n[x]\nk = 1",
          "{\"j\": {\"x\": {\"l\": {}}}, \"x\": {\"y\": {\"z\": {\"w\": {}}}, \"k\": 1}}" },
        { "[fruit.apple]\n[animal]\n[fruit.orange]",
          "{\"fruit\": {\"apple\": {}, \"orange\": {}}, \"animal\": {}}" },
        { "[fruit]\napple.color = 1\napple.taste.sweet = true\n[fruit.apple.texture]\nsmooth = true",
          "{\"fruit\": {\"apple\": {\"color\": 1, \"taste\": {\"sweet\": true}, \"texture\": {\"smooth\": "
          "true}}}}" },
        { "p = { x = 1, y.z = 2 }\nq = {}\nr = { a.b = 1, a.c = 2 }",
          "{\"p\": {\"x\": 1, \"y\": {\"z\": 2}}, \"q\": {}, \"r\": {\"a\": {\"b\": 1, \"c\": 2}}}" },
        { "[[products]]\nname = 1\n\n[[products]]\n\n[[products]]\nname = 2",
          "{\"products\": [{\"name\": 1}, {}, {\"name\": 2}]}" },
        { "[[f]]\nn = 1\n[f.p]\nc = 2\n[[f.v]]\nn = 3\n[[f.v]]\nn = 4\n[[f]]\nn = 5\n[[f.v]]\nn = 6",
          "{\"f\": [{\"n\": 1, \"p\": {\"c\": 2}, \"v\": [{\"n\": 3}, {\"n\": 4}]}, {\"n\": 5, \"v\": "
          "[{\"n\": 6}]}]}" },
        { "points = [ { x = 1 },\n { y = 2 } ]", "{\"points\": [{\"x\": 1}, {\"y\": 2}]}" },
        { "[a.b]\nx = 1\n[a]\nb2.y = 1", "{\"a\": {\"b\": {\"x\": 1}, \"b2\": {\"y\": 1}}}" },
    };

    (void)state;
    assert_examples(examples, sizeof examples / sizeof *examples);
}

static void
what_it_refuses_is_refused(void **state)
{
    static const struct example examples[] = {
        { "key = # INVALID", "1: a value is missing" },
        { "a = 1 b = 2", "1: more text on the line after the value" },
        { "= 1", "1: expected a key: letters, digits, '_' and '-', or a text in quotes" },
        { "a\n", "1: expected '=' after the key 'a'" },
        { "a. = 1", "1: expected a key: letters, digits, '_' and '-', or a text in quotes" },
        { "a = 1\na = 2", "2: duplicate key 'a'" },
        { "spelling = 1\n\"spelling\" = 2", "2: duplicate key 'spelling'" },
        { "fruit.apple = 1\nfruit.apple.smooth = true",
          "2: 'apple' is defined already, and a key with dots cannot add to it" },
        { "\"\"\"a\"\"\" = 1", "1: expected '=' after the key ''" },
        { "\"a\\u0000\" = 1", "1: a key must not contain a NUL character" },
        { "a = \"x\ny\"", "1: a text in quotes is not closed" },
        { "a = 'x", "1: a text in quotes is not closed" },
        { "a = \"\"\"x\"\"", "1: a text in quotes is not closed" },
        { "a = '''x''''''", "1: more text on the line after the value" },
        { "a = \"\\x41\"", "1: unknown escape after a backslash" },
        { "a = \"\\uD800\"", "1: this escape is not a character of Unicode" },
        { "a = \"\\U00110000\"", "1: this escape is not a character of Unicode" },
        { "a = \"\\u12g4\"", "1: an escape needs 4 hexadecimal digits" },
        { "a = \"\x01\"", "1: a text must not contain control characters: write an escape" },
        { "a = 'x\ry'", "1: a text must not contain control characters: write an escape" },
        { "# \x7f", "1: a comment must not contain control characters" },
        { "a = 1\rb = 2", "1: more text on the line after the value" },
        { "a = \"\xff\"", "0: not UTF-8" },
        { "a = 01", "1: this is not a value: text needs quotes" },
        { "a = 1__0", "1: this is not a value: text needs quotes" },
        { "a = _1", "1: this is not a value: text needs quotes" },
        { "a = 1_", "1: this is not a value: text needs quotes" },
        { "a = +0x1", "1: this is not a value: text needs quotes" },
        { "a = 0X1", "1: this is not a value: text needs quotes" },
        { "a = 0b2", "1: this is not a value: text needs quotes" },
        { "a = .7", "1: this is not a value: text needs quotes" },
        { "a = 7.", "1: this is not a value: text needs quotes" },
        { "a = 3.e+20", "1: this is not a value: text needs quotes" },
        { "a = 1e", "1: this is not a value: text needs quotes" },
        { "a = 9223372036854775808", "1: the number is too large" },
        { "a = 1e999", "1: the number is too large" },
        { "a = inf", "1: infinite and undefined numbers cannot be used" },
        { "a = -nan", "1: infinite and undefined numbers cannot be used" },
        { "a = True", "1: this is not a value: text needs quotes" },
        { "a = hello", "1: this is not a value: text needs quotes" },
        { "a = 2023-02-29", "1: this is not a valid date or time" },
        { "a = 1979-13-01", "1: this is not a valid date or time" },
        { "a = 1979-5-27", "1: this is not a valid date or time" },
        { "a = 1979-05-27T25:00:00", "1: this is not a valid date or time" },
        { "a = 07:32", "1: this is not a valid date or time" },
        { "a = 07:32:00Z", "1: this is not a valid date or time" },
        { "a = 1979-05-27T07:32:00.", "1: this is not a valid date or time" },
        { "a = 1979-05-27T07:32:00+7", "1: this is not a valid date or time" },
        { "a = [1 2]", "1: expected ',' or ']' in a list" },
        { "a = [1,,2]", "1: a value is missing" },
        { "a = [1,\n2", "2: expected ',' or ']' in a list" },
        { "a = {x = 1,}", "1: a table of one line must not end with a comma" },
        { "a = {x = 1\n}", "1: expected ',' or '}' in a table of one line" },
        { "a = {x = 1, x = 2}", "1: duplicate key 'x'" },
        { "a = {x = 1}\na.y = 2", "2: 'a' is defined already, and a key with dots cannot add to it" },
        { "[p]\nt = { n = 1 }\n[p.t.x]",
          "3: 't' is defined already, and is not a table that can be added to" },
        { "[p]\nt = { n = 1 }\n[p.t]", "3: duplicate table 't'" },
        { "a = { b = {}, b.c = 1 }", "1: 'b' is defined already, and a key with dots cannot add to it" },
        { "[a]\n[a]", "2: duplicate table 'a'" },
        { "[fruit]\napple = 1\n[fruit.apple]", "3: duplicate table 'apple'" },
        { "[fruit]\napple.color = 1\n[fruit.apple]", "3: duplicate table 'apple'" },
        { "[fruit]\napple.taste.sweet = 1\n[fruit.apple.taste]", "3: duplicate table 'taste'" },
        { "[a.b.c]\nz = 9\n[a]\nb.c.t = 1",
          "4: 'c' is defined already, and a key with dots cannot add to it" },
        { "[a]\nb.x = 1\n[c]\n[a.d]\n[e]\n[a.b.f]\n[a.b]", "7: duplicate table 'b'" },
        { "[]", "1: expected a key: letters, digits, '_' and '-', or a text in quotes" },
        { "[a.]", "1: expected a key: letters, digits, '_' and '-', or a text in quotes" },
        { "[a", "1: expected ']' after the name of a table" },
        { "[[a]", "1: expected ']]' after the name of a table" },
        { "[ [a] ]", "1: expected a key: letters, digits, '_' and '-', or a text in quotes" },
        { "[a] b = 1", "1: more text on the line after the value" },
        { "fruits = []\n[[fruits]]", "2: 'fruits' is defined already, and is not a list of tables" },
        { "[[f]]\n[[f.v]]\n[f.v]", "3: duplicate table 'v'" },
        { "[f.p]\n[[f]]", "2: 'f' is defined already, and is not a list of tables" },
        { "[[f]]\n[f.p]\n[[f.p]]", "3: 'p' is defined already, and is not a list of tables" },
        { "a = [{ b = 1 }]\n[a.c]", "2: 'a' is defined already, and is not a table that can be added to" },
        { "[[a.b]]\n[a]\nb.y = 2", "3: 'b' is defined already, and a key with dots cannot add to it" },
    };

    (void)state;
    assert_examples(examples, sizeof examples / sizeof *examples);
}

static void
what_is_deep_or_long_is_refused(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf lists = { 0 }, tables = { 0 }, keys = { 0 }, number = { 0 };

    (void)state;
    rh_buf_add(&lists, "a = ");
    rh_buf_add(&number, "a = ");
    for (int i = 0; i < 100000; i++) {
        rh_buf_add(&lists, "[");
        rh_buf_add(&number, "1");
        rh_buf_add(&keys, "a.");
        rh_buf_add(&tables, "a={");
    }
    assert_string_equal(read_toml(a, lists.s, lists.n),
                        "1: values are nested too deeply: more than 64 levels");
    assert_string_equal(read_toml(a, tables.s, tables.n),
                        "1: values are nested too deeply: more than 64 levels");
    assert_string_equal(read_toml(a, keys.s, keys.n), "1: a key has at most 64 parts");
    assert_string_equal(read_toml(a, number.s, number.n),
                        "1: a value without quotes has at most 400 characters");
    assert_string_equal(read_toml(a, "a = \0", 5), "1: a value is missing");
    assert_string_equal(read_toml(a, "a\0 = 1", 6), "1: expected '=' after the key 'a'");
}

/* 100,000 keys in one table, and as many tables: what takes time with their square takes minutes. */
static void
reading_takes_time_with_the_length(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    clock_t before = clock();

    (void)state;
    for (int i = 0; i < 100000; i++)
        rh_buf_addf(&b, "k%d = 1\n", i);
    for (int i = 0; i < 100000; i++)
        rh_buf_addf(&b, "[t%d]\n", i);
    assert_int_equal(rh_value_count(rh_value_from_toml(a, b.s, b.n, NULL)), 200000);
    assert_true(clock() - before < (clock_t)20 * CLOCKS_PER_SEC);
}

/* JSON in, TOML out; and what was written is read again. */
static void
values_are_written_and_read_again(void **state)
{
    static const struct example examples[] = {
        { "", "{}" },
        { "a = 1\nb = \"x\\ny\"\nc = 1.5\nd = true\n\"e f\" = []\n",
          "{\"a\": 1, \"b\": \"x\\ny\", \"c\": 1.5, \"d\": true, \"e f\": []}" },
        { "z = 1\n\n[a]\nb = 1\n\n[a.c]\n", "{\"a\": {\"b\": 1, \"c\": {}}, \"z\": 1}" },
        { "[a.b.c]\nd = 1\n", "{\"a\": {\"b\": {\"c\": {\"d\": 1}}}}" },
        { "[[a]]\nx = 1\n\n[[a]]\n\n[a.y]\n", "{\"a\": [{\"x\": 1}, {\"y\": {}}]}" },
        { "a = [1, {x = [2], \"y z\" = {}}]\n", "{\"a\": [1, {\"x\": [2], \"y z\": {}}]}" },
        { "a = [[{x = 1}]]\n", "{\"a\": [[{\"x\": 1}]]}" },
        { "\"\" = \"\\\"\\\\\\u007f\\u001b\"\n", "{\"\": \"\\\"\\\\\\u007f\\u001b\"}" },
        { "a = 1e+22\nb = -0.0\n", "{\"a\": 1e+22, \"b\": -0.0}" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        rh_autobuf struct rh_buf b = { 0 };
        const struct rh_value *v = rh_value_from_json(a, examples[i].json, strlen(examples[i].json), NULL),
                              *again;

        assert_non_null(v);
        assert_int_equal(rh_toml_add(&b, v, NULL), 0);
        assert_string_equal(rh_buf_text(&b), examples[i].toml);
        again = rh_value_from_toml(a, rh_buf_text(&b), b.n, NULL);
        assert_non_null(again);
        assert_true(rh_value_equal(v, again));
    }
}

static void
what_is_null_is_left_out_of_tables_and_refused_in_lists(void **state)
{
    static const char fine[] = "{\"a\": null, \"b\": [{\"x\": null}], \"c\": [1, {\"y\": null}]}";
    static const char wrong[] = "{\"a\": [1, null]}";
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(rh_toml_add(&b, rh_value_from_json(a, fine, sizeof fine - 1, NULL), NULL), 0);
    assert_string_equal(rh_buf_text(&b), "c = [1, {}]\n\n[[b]]\n");
    assert_int_equal(rh_toml_add(&b, rh_value_from_json(a, wrong, sizeof wrong - 1, NULL), &err), -1);
    assert_string_equal(err.message, "'a': a list of TOML cannot have an element that is null");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_specification_has_is_read),
        cmocka_unit_test(what_it_refuses_is_refused),
        cmocka_unit_test(what_is_deep_or_long_is_refused),
        cmocka_unit_test(reading_takes_time_with_the_length),
        cmocka_unit_test(values_are_written_and_read_again),
        cmocka_unit_test(what_is_null_is_left_out_of_tables_and_refused_in_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
