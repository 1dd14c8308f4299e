/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: what they give, what they are refused for, and where. */
#include "config.h"

#include "script-fixture.h"

#include "base/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
an_expression_keeps_its_type(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_json(f, "1 + 2"), "3");
    assert_string_equal(script_json(f, "2.0 * 2"), "4.0");
    assert_string_equal(script_json(f, "'a' .. 'b'"), "\"ab\"");
    assert_string_equal(script_json(f, "nil"), "null");
    assert_string_equal(script_json(f, "1 < 2"), "true");
    assert_string_equal(script_json(f, "{1, 2, {a = 'b', ['0'] = true}}"),
                        "[1, 2, {\"0\": true, \"a\": \"b\"}]");
    assert_string_equal(script_json(f, "{}"), "{}");
}

static void
names_come_from_the_scope_and_then_from_the_library(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"each\": {\"key\": \"bob\", \"value\": {\"groups\": [\"a\", \"b\"]}}, "
                    "\"port\": 80, \"type\": \"mine\"}");
    assert_string_equal(script_json(f, "each.key"), "\"bob\"");
    assert_string_equal(script_json(f, "each.value.groups[2]"), "\"b\"");
    assert_string_equal(script_json(f, "#each.value.groups"), "2");
    assert_string_equal(script_json(f, "port + 1"), "81");
    assert_string_equal(script_json(f, "type"), "\"mine\"");
    assert_string_equal(script_json(f, "each.value"), "{\"groups\": [\"a\", \"b\"]}");
    assert_string_equal(script_json(f, "each.missing"), "null");
    assert_string_equal(script_json(f, "tostring(each)"), "\"table\"");
}

static void
what_is_not_there_is_named(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"web\": {\"server\": {\"port\": 80}}}");
    assert_string_equal(script_error(f, "web.sever.port"),
                        "4: 'sever' does not exist (web.sever) | did you mean 'server'?");
    assert_string_equal(script_error(f, "1 +\n  wbe.port"), "6: unknown name 'wbe' | did you mean 'web'?");
    assert_string_equal(script_error(f, "string.uper('x')"),
                        "7: unknown name 'uper' in 'string' | did you mean 'upper'?");
    assert_string_equal(script_error(f, "web.server.prot + 1"),
                        "11: 'prot' does not exist (web.server.prot) | did you mean 'port'?");
}

static void
what_is_written_wrong_is_pointed_at(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_error(f, "error('')"), "0: failed without a message");
    assert_string_equal(script_error(f, "1 +"), "3: unexpected symbol at its end");
    assert_string_equal(script_error(f, "1 + * 2"), "4: unexpected symbol near '*'");
    assert_string_equal(script_error(f, "'a"), "2: unfinished string at its end");
    assert_string_equal(script_error(f, ""), "0: missing expression");
    assert_string_equal(script_error(f, "render('{{ 1 + }}') ..  1"), "0: unexpected symbol near ')'");
    assert_string_equal(script_error(f, "1 2"), "2: <eof> expected near '2'");
}

static void
limits_can_not_be_caught(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_error(f, "(function() while true do end end)()"),
                        "0: takes too many steps: more than 20000000");
    assert_string_equal(
        script_error(f, "(function() while true do pcall(function() while true do end end) end end)()"),
        "0: takes too many steps: more than 20000000");
}

/* An expression of one kilobyte, which is mostly blanks. */
static void
reading_a_text_is_charged_for(void **state)
{
    struct script_fixture *f = *state;
    char text[1024 + 1];

    memset(text, ' ', sizeof text - 1);
    text[0] = '1';
    text[sizeof text - 1] = '\0';
    f->limits.instructions = 8000;
    script_reopen(f);
    assert_string_equal(script_json(f, text), "1");
    f->limits.instructions = 4000;
    script_reopen(f);
    assert_string_equal(script_error(f, text), "0: takes too many steps: more than 4000");
    assert_string_equal(script_json(f, "1"), "1");
}

static void
the_end_of_an_expression_is_found(void **state)
{
    static const char *const closed[] = {
        "a}",
        "{1}}",
        "'}'}",
        "\"}\"}",
        "'\\'}'}",
        "[[}]]}",
        "[==[ ]] } ]==]}",
        "a --[[ } ]] }",
        "t[1]}",
        "a --x }\n}",
        "{{}, '{'}}",
        "a - -1}",
        "'\\z \n }'}",
        "'a\\\n}'}",
        "'\\\\'}",
    };
    static const char *const open[] = { "", "a", "{}", "'}", "[[}", "--}", "'a\n}" };

    (void)state;
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        assert_int_equal(rh_script_expression_end(closed[i], strlen(closed[i])), strlen(closed[i]) - 1);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_true(rh_script_expression_end(open[i], strlen(open[i])) == SIZE_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(an_expression_keeps_its_type),
        SCRIPT_TEST(names_come_from_the_scope_and_then_from_the_library),
        SCRIPT_TEST(what_is_not_there_is_named),
        SCRIPT_TEST(what_is_written_wrong_is_pointed_at),
        SCRIPT_TEST(limits_can_not_be_caught),
        SCRIPT_TEST(reading_a_text_is_charged_for),
        SCRIPT_TEST(the_end_of_an_expression_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
