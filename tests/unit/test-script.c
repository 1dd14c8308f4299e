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
#include <sys/mman.h>
#include <unistd.h>

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
    assert_string_equal(script_json(f, "default(each.missing)"), "null");
    assert_string_equal(script_json(f, "tostring(each)"), "\"table\"");
}

static void
what_is_not_there_is_named(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"web\": {\"server\": {\"port\": 80}}}");
    assert_string_equal(script_error(f, "web.sever.port"),
                        "4: unknown attribute 'sever': web.sever does not exist | did you mean 'server'?");
    assert_string_equal(script_error(f, "1 +\n  wbe.port"), "6: unknown name 'wbe' | did you mean 'web'?");
    assert_string_equal(script_error(f, "string.uper('x')"),
                        "7: unknown name 'uper' in 'string' | did you mean 'upper'?");
    assert_string_equal(
        script_error(f, "web.server.prot + 1"),
        "11: unknown attribute 'prot': web.server.prot does not exist | did you mean 'port'?");
}

/* What may be missing: the first argument of default() and exists(), and a path before 'or'. */
static void
what_may_be_missing_is_no_error(void **state)
{
    static const struct {
        const char *text, *result;
    } rows[] = {
        { "default(web.a.b.c, 1)", "1" },
        { "default(web.server.port, 1)", "80" },
        { "default (web.server[\"port\"], 1)", "80" },
        { "default(--[[ ( , ]] web[\"a, b)\"], 2)", "2" },
        { "default(default(web.a, web.list[1]), 3)", "10" },
        { "default(web.a, default(web.b.c, 4))", "4" },
        { "default((function(a, b) local c, d = a, b return web.e end)(1, 2), 5)", "5" },
        { "default(({ web.list[2], 7 })[1], 6)", "11" },
        { "default(map(web.list, function(v) if v > 1 then return v end end), 6)", "[10, 11]" },
        { "exists(web.server)", "true" },
        { "exists(web.server.a.b)", "false" },
        { "exists(web.list[3]) or exists(web.list[2])", "true" },
        { "not exists(web.a) and not exists(web.nothing)", "true" },
        { "web.a.b or web.c or 8", "8" },
        { "web.list[9] or 9", "9" },
        { "1 == 1 and web.a or 'no'", "\"no\"" },
        { "({ x = web.a or 1, web.b or 2 }).x", "1" },
        { "web.server.port or 1", "80" },
        { "web.list [3] or 1", NULL },
        { "1 == web.a or 1", NULL },
        { "'x' .. web.a or 1", NULL },
        { "web.a", NULL },
        { "web.list[3]", NULL },
        { "web.list[0]", NULL },
        { "web.name.first", NULL },
        { "default(web.name.first, 12)", "12" },
        { "default(1, web.a)", NULL },
        { "web.a == nil", NULL },
        { "web['default'] or 'a' .. 'b'", "\"ab\"" },
        { "default(web.a, 1) .. '\\' default(' .. [[exists(]]", "\"1' default(exists(\"" },
    };
    struct script_fixture *f = *state;

    script_scope(
        f, "{\"web\": {\"server\": {\"port\": 80}, \"list\": [10, 11], \"name\": \"x\", \"nothing\": null}}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *refused = rows[i].result ? NULL : script_error(f, rows[i].text);

        if (rows[i].result)
            assert_string_equal(script_json(f, rows[i].text), rows[i].result);
        else if (!strstr(refused, "does not exist"))
            assert_string_equal(refused, "9: unknown attribute 'first' of a text");
    }
    /* An error in there is one all the same, and so is what is wrong with the text. */
    assert_string_equal(script_error(f, "default(wbe.a, 1)"), "8: unknown name 'wbe' | did you mean 'web'?");
    assert_string_equal(script_error(f, "default(1 + {}, 1)"),
                        "0: attempt to perform arithmetic on a table value");
    assert_non_null(strstr(script_error(f, "default(web.a"), "expected"));
    assert_non_null(strstr(script_error(f, "default(web.a, function() return 1"), "expected"));
    assert_non_null(strstr(script_error(f, "exists(web.[)"), "expected"));
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

/* As many steps as it has numbers. */
static void
a_range_is_charged_for(void **state)
{
    struct script_fixture *f = *state;

    f->limits.instructions = 20000;
    script_reopen(f);
    assert_string_equal(script_json(f, "#range(1, 1000)"), "1000");
    assert_string_equal(script_error(f, "#range(1, 30000)"), "0: takes too many steps: more than 20000");
    assert_string_equal(script_error(f, "range(1, 30000) and 1"), "0: takes too many steps: more than 20000");
}

/* Behind the text is a page that cannot be read. */
static size_t
expression_end(const char *text)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = strlen(text), end;
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(at != MAP_FAILED && n <= page);
    assert_int_equal(mprotect(at + page, page, PROT_NONE), 0);
    memcpy(at + page - n, text, n);
    end = rh_script_expression_end(at + page - n, n);
    assert_int_equal(munmap(at, 2 * page), 0);
    return end;
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
    static const char *const open[] = { "",   "a",   "{}",   "'}",    "[[}",   "--}",  "'a\n}", "-",
                                        "--", "--[", "--[=", "--[[a", "--[[]", "[",    "[=",    "[[a",
                                        "'",  "'a",  "'\\",  "'\\z",  "'\\\r", "[=[]", "[[]",   "a\r" };

    (void)state;
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        assert_int_equal(expression_end(closed[i]), strlen(closed[i]) - 1);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_true(expression_end(open[i]) == SIZE_MAX);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(an_expression_keeps_its_type),
        SCRIPT_TEST(names_come_from_the_scope_and_then_from_the_library),
        SCRIPT_TEST(what_is_not_there_is_named),
        SCRIPT_TEST(what_may_be_missing_is_no_error),
        SCRIPT_TEST(what_is_written_wrong_is_pointed_at),
        SCRIPT_TEST(limits_can_not_be_caught),
        SCRIPT_TEST(reading_a_text_is_charged_for),
        SCRIPT_TEST(a_range_is_charged_for),
        SCRIPT_TEST(the_end_of_an_expression_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
