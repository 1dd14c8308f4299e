/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: what they write, what they take away, and where they are wrong. */
#include "config.h"

#include "base/error.h"
#include "script-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
values_and_statements_are_lua(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"name\": \"db1\", \"ports\": [80, 443], \"tls\": true}");
    assert_string_equal(script_rendered(f, "Hello {{ name }}!\n"), "Hello db1!\n");
    assert_string_equal(script_rendered(f, "{{ #ports }} {{ tls }} {{ 1.5 }}"), "2 true 1.5");
    assert_string_equal(script_rendered(f, "{% for _, p in ipairs(ports) do %}<{{ p }}>{% end %}"),
                        "<80><443>");
    assert_string_equal(script_rendered(f, "{{ ({a = 'x'}).a }}{{ ({1})[2] or '}}' }}y"), "x}}y");
}

static void
a_line_of_statements_leaves_nothing_behind(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_rendered(f, "a\n  {% if true then %}  \nb\n{% end %}\nc\n"), "a\nb\nc\n");
    assert_string_equal(script_rendered(f, "a\n{# nothing #}\nb"), "a\nb");
    assert_string_equal(script_rendered(f, "a {% local x = 1 %}\nb"), "a \nb");
    assert_string_equal(script_rendered(f, "{% local x = 1 %}\n{{ x }}\n"), "1\n");
    assert_string_equal(script_rendered(f, "a\n{% local x = 1 %}"), "a\n");
}

static void
a_dash_takes_white_space_away(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_rendered(f, "a \n {{- 'b' -}} \n\n c"), "abc");
    assert_string_equal(script_rendered(f, "a {%- local x = 1 -%} b"), "ab");
    assert_string_equal(script_rendered(f, "a {#- x -#} b"), "ab");
    assert_string_equal(script_rendered(f, "{{ 3 -1 }} {{ -1 }}{{ 2-- x\n }}"), "2 -12");
}

static void
delimiters_can_be_written(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_rendered(f, "{{ \"{{\" }} x {{ '}}' }} { } }} %} #}"), "{{ x }} { } }} %} #}");
    assert_string_equal(script_rendered(f, "\"quoted\" \\ back\\n \r\n"), "\"quoted\" \\ back\\n \r\n");
    assert_string_equal(script_rendered(f, ""), "");
    assert_string_equal(script_rendered(f, "{{ 1 -- }} comment\n }}"), "1 comment\n }}");
}

static void
errors_have_the_templates_own_line(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"web\": {\"title\": \"x\"}}");
    assert_string_equal(script_rendered(f, "a\nb\n  {{ web.titel }}\n"),
                        "3010: unknown attribute 'titel': web.titel does not exist | did you mean 'title'?");
    assert_string_equal(script_rendered(f, "{% if true then -%}\n\n\n{{ web }}{% end %}"),
                        "4004: cannot insert 'web' into text: it is a table | write join(list, \", \") or "
                        "json(value), or loop over it");
    assert_string_equal(script_rendered(f, "a\n{% if true then %}\nb"),
                        "3001: 'end' expected (to close 'if' at line 2) at its end");
    assert_string_equal(script_rendered(f, "a\n\n{{ 1 + }}"), "3001: unexpected symbol near ')'");
    assert_string_equal(script_rendered(f, "a\n{{ 1"), "2001: missing '}}' after '{{'");
    assert_string_equal(script_rendered(f, "a\n{% x "), "2001: missing '%}' after '{%'");
    assert_string_equal(script_rendered(f, "\n\n{# x "), "3001: missing '#}' after '{#'");
    assert_string_equal(script_rendered(f, "a\n{{ \n\n web.x.y }}"),
                        "4006: unknown attribute 'x': web.x does not exist | "
                        "where it may be missing, write default(web.x, VALUE) or exists(web.x)");
}

static void
templates_include_one_another(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"name\": \"db1\"}");
    script_files(f, "{\"head\": \"# {{ name }} {{ x }}\\n\", \"loop\": \"{{ include('loop') }}\", "
                    "\"bad\": \"\\n{{ nil }}\"}");
    assert_string_equal(script_rendered(f, "{{ include('head', {x = 1}) }}b"), "# db1 1\nb");
    assert_string_equal(script_rendered(f, "{% x = 5 %}{{ include('head') }}b"), "# db1 5\nb");
    assert_string_equal(script_rendered(f, "{{ include('loop') }}"),
                        "1001: templates are nested more than 20 deep");
    assert_string_equal(script_rendered(f, "\n\n {{ include('none') }}"), "3014: cannot open 'none'");
    assert_string_equal(script_rendered(f, "{{ include('bad') }}"),
                        "2004: cannot insert 'nil' into text: it is nil | default(VALUE, OTHER) "
                        "gives another value when it is nil");
    assert_string_equal(script_json(f, "template('head', {x = 2})"), "\"# db1 2\\n\"");
    assert_string_equal(script_json(f, "render('{{ a }}{{ name }}', {a = 1})"), "\"1db1\"");
}

/* Where a template was included from is told as well. */
static void
errors_say_where_the_template_was_included(void **state)
{
    static const char text[] = "a\n\n{{ include('bad') }}";
    struct script_fixture *f = *state;
    struct rh_error p = { 0 };

    script_files(f, "{\"bad\": \"\\n{{ nil }}\"}");
    assert_null(rh_script_render(f->script, text, sizeof text - 1, 1, NULL, &p));
    assert_int_equal(p.place.line, 2);
    assert_string_equal(rh_sources_name(&f->sources, p.place.file), "bad");
    assert_int_equal(p.related[0].place.line, 3);
    assert_int_equal(p.related[0].place.file, 1);
    rh_error_clear(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(values_and_statements_are_lua),
        SCRIPT_TEST(a_line_of_statements_leaves_nothing_behind),
        SCRIPT_TEST(a_dash_takes_white_space_away),
        SCRIPT_TEST(delimiters_can_be_written),
        SCRIPT_TEST(errors_have_the_templates_own_line),
        SCRIPT_TEST(templates_include_one_another),
        SCRIPT_TEST(errors_say_where_the_template_was_included),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
