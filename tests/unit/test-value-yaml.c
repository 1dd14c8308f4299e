/* SPDX-License-Identifier: Apache-2.0 */
/* test-value-yaml - values as YAML that people read: what needs quotes, what fits on a line. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value-yaml.h"
#include "base/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void
assert_block(const char *json, const char *expected)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *v = rh_value_from_json(a, json, strlen(json), NULL);

    assert_non_null(v);
    rh_yaml_add_block(&b, v, false);
    assert_string_equal(rh_buf_text(&b), expected);
}

static void
assert_text(const char *text, const char *expected)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };

    rh_yaml_add(&b, rh_value_string(a, text));
    assert_string_equal(rh_buf_text(&b), expected);
}

static void
what_yaml_reads_otherwise_is_quoted(void **state)
{
    static const char *const plain[] = { "a",    "z",     "A",           "Z",
                                         "/",    "abc",   "/etc/x.conf", "a-b_c.d+e/f09",
                                         "yess", "trues", "nul",         "aZ" };
    static const char *const quoted[] = { "",   "true", "True", "FALSE", "false", "null", "Null", "yes", "no",
                                          "on", "Off",  "y",    "n",     "N",     "1",    "0x1",  "-a",  ".a",
                                          "_a", "+a",   "a b",  "a:",    "a#",    "a,",   "[",    "{",   "@",
                                          "`",  "a=b",  "~",    "a~",    "a ",    " a",   "a'",   "*",   "&a",
                                          "!",  "%",    "a[",   "a^",    "a{" };
    char text[210], expected[216];

    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_text(plain[i], plain[i]);
    for (size_t i = 0; i < sizeof quoted / sizeof quoted[0]; i++) {
        (void)snprintf(expected, sizeof expected, "\"%s\"", quoted[i]);
        assert_text(quoted[i], expected);
    }
    memset(text, 'a', sizeof text);
    text[200] = '\0';
    assert_text(text, text);
    text[200] = 'a';
    text[201] = '\0';
    (void)snprintf(expected, sizeof expected, "\"%s\"", text);
    assert_text(text, expected);
}

static void
what_a_terminal_acts_on_is_escaped(void **state)
{
    (void)state;
    assert_text("a\"b", "\"a\\\"b\"");
    assert_text("a\\b", "\"a\\\\b\"");
    assert_text("a\nb\t", "\"a\\nb\\t\"");
    assert_text("\x1b[m", "\"\\u001b[m\"");
    assert_text("\x7f", "\"\\u007f\"");
    assert_text("~ !", "\"~ !\"");
    assert_text("\xc3\xa4", "\"\xc3\xa4\"");
    assert_text("\xe2\x80\xae"
                "a",
                "\"\\u202ea\"");
    assert_text("\xf0\x9f\x99\x82", "\"\xf0\x9f\x99\x82\"");
}

static void
blocks_are_indented(void **state)
{
    (void)state;
    assert_block("1", "1\n");
    assert_block("\"a\"", "a\n");
    assert_block("null", "null\n");
    assert_block("[]", "[]\n");
    assert_block("{}", "{}\n");
    assert_block("{\"a\": 1, \"yes\": true}", "a: 1\n\"yes\": true\n");
    assert_block("{\"a\": {\"b\": {\"c\": []}}, \"d\": {}}", "a:\n  b:\n    c: []\nd: {}\n");
    assert_block("{\"a\": [1, \"two\", null]}", "a: [1, two, null]\n");
    assert_block("{\"a\": [{\"b\": 1, \"c\": 2}, {\"d\": 3}]}", "a:\n  - b: 1\n    c: 2\n  - d: 3\n");
    assert_block("{\"a\": [[1, 2], []]}", "a:\n  - [1, 2]\n  - []\n");
    assert_block("[[1], [[2]]]", "- [1]\n- - [2]\n");
    assert_block("{\"a\": {\"b\": [{\"c\": 1}]}}", "a:\n  b:\n    - c: 1\n");
}

static void
a_list_that_is_too_wide_has_lines(void **state)
{
    (void)state;
    /* Eight columns for what is no text, two more than its length for a text: less than 70 fit. */
    assert_block("{\"a\": [1, 2, 3, 4, 5, 6, 7, 8]}", "a: [1, 2, 3, 4, 5, 6, 7, 8]\n");
    assert_block("{\"a\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}",
                 "a:\n  - 1\n  - 2\n  - 3\n  - 4\n  - 5\n  - 6\n  - 7\n  - 8\n  - 9\n");
    assert_block("{\"a\": [1, 2, 3, 4, 5, 6, 7, 8, \"abc\"]}", "a: [1, 2, 3, 4, 5, 6, 7, 8, abc]\n");
    assert_block("{\"a\": [1, 2, 3, 4, 5, 6, 7, 8, \"abcd\"]}",
                 "a:\n  - 1\n  - 2\n  - 3\n  - 4\n  - 5\n  - 6\n  - 7\n  - 8\n  - abcd\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_yaml_reads_otherwise_is_quoted),
        cmocka_unit_test(what_a_terminal_acts_on_is_escaped),
        cmocka_unit_test(blocks_are_indented),
        cmocka_unit_test(a_list_that_is_too_wide_has_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
