/* SPDX-License-Identifier: Apache-2.0 */
/* test-scalar - plain text is what its attribute's type says. */
#include "config.h"

#include "manifest/text/scalar.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "manifest/text/yaml.h"
#include "schema/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rh_arena *arena;

static int
setup(void **state)
{
    (void)state;
    arena = rh_arena_new(NULL);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_arena_free(arena);
    return 0;
}

static const struct rh_datatype *
parse(const char *type)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = rh_datatype_parse(arena, NULL, type, &err);

    if (!t)
        fail_msg("%s: %s", type, err.message);
    return t;
}

static struct rh_value *
read_as(const char *type, const char *yaml)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_value *v = rh_yaml_read(arena, yaml, strlen(yaml), 0, &complaints);

    assert_int_equal(complaints.n, 0);
    rh_complaints_clear(&complaints);
    return rh_scalar_read(arena, type ? parse(type) : NULL, v);
}

static void
assert_no_plain(const struct rh_value *v)
{
    assert_int_equal(v->marks & RH_PLAIN, 0);
    for (size_t i = 0; i < rh_value_count(v); i++)
        assert_no_plain(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i));
}

static void
assert_reads(const char *type, const char *yaml, const char *shown)
{
    const struct rh_value *v = read_as(type, yaml);
    rh_autobuf struct rh_buf b = { 0 };

    rh_value_show(&b, v, 0);
    if (strcmp(rh_buf_text(&b), shown) != 0)
        fail_msg("%s by %s: expected %s, got %s", yaml, type ? type : "no type", shown, rh_buf_text(&b));
    assert_no_plain(v);
}

static void
without_a_type_the_core_schema_decides(void **state)
{
    static const char *const cases[][2] = {
        { "~", "undef" },
        { "null", "undef" },
        { "Null", "undef" },
        { "NULL", "undef" },
        { "nULL", "\"nULL\"" },
        { "true", "true" },
        { "True", "true" },
        { "FALSE", "false" },
        { "yes", "\"yes\"" },
        { "no", "\"no\"" },
        { "on", "\"on\"" },
        { "0", "0" },
        { "-12", "-12" },
        { "+12", "12" },
        { "0644", "644" },
        { "0o644", "420" },
        { "0x1F", "31" },
        { "0xg", "\"0xg\"" },
        { "0o8", "\"0o8\"" },
        { "0x", "\"0x\"" },
        { "-0x1", "\"-0x1\"" },
        { "1_000", "\"1_000\"" },
        { "1.5", "1.5" },
        { ".5", "0.5" },
        { "5.", "5.0" },
        { "-1e3", "-1e+03" },
        { "1e", "\"1e\"" },
        { "1e400", "\"1e400\"" },
        { ".inf", "inf" },
        { "-.INF", "-inf" },
        { ".nan", "nan" },
        { "-.nan", "\"-.nan\"" },
        { "inf", "\"inf\"" },
        { "nan", "\"nan\"" },
        { ".", "\".\"" },
        { "-", "\"-\"" },
        { "1.10", "1.1" },
        { "1.2.3", "\"1.2.3\"" },
        { "02:30", "\"02:30\"" },
        { "9223372036854775807", "9223372036854775807" },
        { "9223372036854775808", "\"9223372036854775808\"" },
        { "99999999999999999999", "\"99999999999999999999\"" },
        { "'5'", "\"5\"" },
        { "\"true\"", "\"true\"" },
        { "''", "\"\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_autofree char *yaml = rh_printf("[%s]", cases[i][0]);
        rh_autofree char *shown = rh_printf("[%s]", cases[i][1]);

        if (strcmp(cases[i][0], "-") != 0)
            assert_reads(NULL, yaml, shown);
    }
    assert_reads(NULL, "a:", "{a: undef}");
}

static void
text_types_get_the_text_as_written(void **state)
{
    (void)state;
    assert_reads("Pattern[/^[0-7]{3,4}$/]", "0644", "\"0644\"");
    assert_reads("String", "0644", "\"0644\"");
    assert_reads("String", "1.10", "\"1.10\"");
    assert_reads("String", "02:30", "\"02:30\"");
    assert_reads("String", "true", "\"true\"");
    assert_reads("String", "0x1F", "\"0x1F\"");
    assert_reads("Enum[yes, no, '1']", "1", "\"1\"");
    assert_reads("Optional[String[1]]", "007", "\"007\"");
    assert_reads("NotUndef[String]", "12", "\"12\"");
    assert_reads("Variant[Enum[absent], Pattern[/^\\d+$/]]", "0644", "\"0644\"");
}

static void
other_types_get_what_the_core_schema_says(void **state)
{
    (void)state;
    assert_reads("Integer", "42", "42");
    assert_reads("Boolean", "true", "true");
    assert_reads("Float", "1.5", "1.5");
    assert_reads("Numeric", "1", "1");
    assert_reads("Variant[Boolean, String]", "true", "true");
    assert_reads("Variant[String, Integer]", "12", "12");
    assert_reads("Variant[Boolean, String]", "12", "\"12\"");
    assert_reads("Variant[Integer, Enum[none]]", "none", "\"none\"");
    assert_reads("Any", "12", "12");
    assert_reads("Data", "[1, x, ~]", "[1, \"x\", undef]");
    assert_reads("Scalar", "1.5", "1.5");
}

static void
quoted_text_stays_text(void **state)
{
    (void)state;
    assert_reads("Integer", "'42'", "\"42\"");
    assert_reads("Boolean", "\"true\"", "\"true\"");
    assert_reads("Any", "'~'", "\"~\"");
}

static void
null_is_never_text(void **state)
{
    (void)state;
    assert_reads("String", "~", "undef");
    assert_reads("String", "null", "undef");
    assert_reads("Optional[String]", "null", "undef");
    assert_reads("Enum['null', x]", "null", "undef");
    assert_reads("Array[String]", "[~, 'null']", "[undef, \"null\"]");
    assert_reads("String", "'null'", "\"null\"");
}

static void
what_fits_no_reading_is_left_for_the_type_to_refuse(void **state)
{
    (void)state;
    assert_reads("Boolean", "no", "\"no\"");
    assert_reads("Integer", "1.5", "1.5");
    assert_reads("Integer", "99999999999999999999", "\"99999999999999999999\"");
    assert_reads("Float", "1", "1");
}

static void
containers_are_read_element_by_element(void **state)
{
    (void)state;
    assert_reads("Array[String]", "[1, no, 0644]", "[\"1\", \"no\", \"0644\"]");
    assert_reads("Array[Integer]", "[1, 0x10]", "[1, 16]");
    assert_reads("Hash[String, String]", "{a: 1, b: true}", "{a: \"1\", b: \"true\"}");
    assert_reads("Hash[String, Array[Integer]]", "{a: [1]}", "{a: [1]}");
    assert_reads("Struct[{name => String, bits => Integer}]", "{name: 12, bits: 12, more: 1}",
                 "{name: \"12\", bits: 12, more: 1}");
    assert_reads("Tuple[String, Integer]", "[1, 1, 1]", "[\"1\", 1, 1]");
    assert_reads("Optional[Array[Optional[String]]]", "[1, ~]", "[\"1\", undef]");
    assert_reads("Array", "[1, x]", "[1, \"x\"]");
}

static void
of_a_variant_the_member_that_fits_reads(void **state)
{
    (void)state;
    assert_reads("Variant[String, Array[String]]", "[1, 2]", "[\"1\", \"2\"]");
    assert_reads("Variant[String, Array[String]]", "1", "\"1\"");
    assert_reads("Variant[Array[Integer], Array[String]]", "[1, x]", "[\"1\", \"x\"]");
    assert_reads("Variant[Array[Integer], Array[String]]", "[1, 2]", "[1, 2]");
    assert_reads("Variant[Variant[Boolean, Hash[String, String]], Array[String]]", "{a: 1}", "{a: \"1\"}");
}

static void
sensitive_is_looked_through(void **state)
{
    const struct rh_value *v = read_as("Sensitive[String]", "12345678");

    (void)state;
    assert_string_equal(rh_value_str(v, ""), "12345678");
    v = read_as("Optional[Sensitive[Integer]]", "12");
    assert_int_equal(v->kind, RH_INTEGER);
}

static void
rich_types_are_read_from_text_plain_or_quoted(void **state)
{
    (void)state;
    assert_int_equal(read_as("SemVer", "1.2.3")->kind, RH_SEMVER);
    assert_int_equal(read_as("SemVer", "'1.2.3'")->kind, RH_SEMVER);
    assert_int_equal(read_as("Variant[Enum[latest], SemVer]", "1.2.3")->kind, RH_SEMVER);
    assert_int_equal(read_as("Variant[Enum[latest], SemVer]", "latest")->kind, RH_STRING);
    assert_int_equal(read_as("SemVer", "x")->kind, RH_STRING);
    assert_int_equal(read_as("SemVerRange", "1")->kind, RH_SEMVER_RANGE);
    assert_int_equal(read_as("Timestamp", "2020-01-02")->kind, RH_TIMESTAMP);
    assert_int_equal(read_as("Timespan", "02:30:00")->kind, RH_TIMESPAN);
    assert_int_equal(read_as("URI", "https://x/y")->kind, RH_URI);
    assert_int_equal(read_as("Regexp", "'^a$'")->kind, RH_REGEXP);
    assert_int_equal(read_as("Regexp", "'('")->kind, RH_STRING);
    assert_int_equal(read_as("Variant[String, SemVer]", "1.2.3")->kind, RH_STRING);
}

static void
bytes_are_written_in_base64(void **state)
{
    const struct rh_value *v = read_as("Binary", "aGVsbG8=");

    (void)state;
    assert_int_equal(v->kind, RH_BINARY);
    assert_int_equal(v->count, 5);
    assert_memory_equal(v->u.string, "hello", 6);
    assert_int_equal(read_as("Binary", "''")->count, 0);
    assert_int_equal(read_as("Binary", "aGVsbG8")->kind, RH_STRING);
    assert_int_equal(read_as("Binary", "aG=sbG8=")->kind, RH_STRING);
    assert_int_equal(read_as("Binary", "\"aGVs\\nbG8h\"")->count, 6);
}

static void
marks_and_places_stay(void **state)
{
    const struct rh_value *v =
        rh_value_get(read_as("Hash[String, Array[String]]", "x:\n  a: !append\n    - 1\n"), "x");

    (void)state;
    v = rh_value_get(v, "a");
    assert_int_equal(v->marks, RH_APPEND);
    assert_int_equal(rh_value_place(rh_value_at(v, 0)).line, 3);
}

/* Misfits. */

static void
assert_hint(const char *type, const char *yaml, const char *wanted)
{
    const struct rh_value *v = read_as(type, yaml);
    struct rh_misfit m;
    rh_autofree char *hint = NULL;

    assert_false(rh_datatype_match(parse(type), v));
    m = rh_misfit_find(parse(type), v);
    hint = rh_misfit_hint(&m);
    assert_string_equal(hint ? hint : "", wanted);
}

static void
hints_say_what_was_meant(void **state)
{
    (void)state;
    assert_hint("Boolean", "no", "write false (without quotes)");
    assert_hint("Boolean", "Yes", "write true (without quotes)");
    assert_hint("Boolean", "'true'", "write true (without quotes)");
    assert_hint("Boolean", "0", "write false (without quotes)");
    assert_hint("Optional[Boolean]", "off", "write false (without quotes)");
    assert_hint("Boolean", "maybe", "");
    assert_hint("Integer", "'5'", "write the number without quotes");
    assert_hint("Integer", "99999999999999999999", "it is out of range: integers have 64 bits");
    assert_hint("Float", "5", "write it with a point: 5.0");
    assert_hint("Enum[present, absent]", "presnt", "did you mean 'present'?");
    assert_hint("Variant[Boolean, Enum[running, stopped]]", "stoped", "did you mean 'stopped'?");
    assert_hint("String", "~", "remove the line, or quote it as text: \"\", \"null\"");
    assert_hint("Array[Boolean]", "[true, no]", "write false (without quotes)");
    assert_hint("Hash[String, Array[Integer]]", "{a: [1], b: ['2']}", "write the number without quotes");
}

static void
the_part_that_does_not_fit_is_found(void **state)
{
    const char *type = "Hash[String, Array[Struct[{n => Integer}]]]";
    const struct rh_value *v = read_as(type, "a:\n  - n: 1\n  - n: x\n");
    struct rh_misfit m = rh_misfit_find(parse(type), v);

    (void)state;
    assert_string_equal(rh_value_str(m.part, ""), "x");
    assert_int_equal(rh_value_place(m.part).line, 3);
}

static void
no_hint_about_a_secret(void **state)
{
    struct rh_value *v = read_as("Boolean", "no");
    struct rh_misfit m = { parse("Boolean"), v };
    rh_autofree char *hint = NULL;

    (void)state;
    v->marks |= RH_SENSITIVE;
    hint = rh_misfit_hint(&m);
    assert_null(hint);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(without_a_type_the_core_schema_decides),
        CASE(text_types_get_the_text_as_written),
        CASE(other_types_get_what_the_core_schema_says),
        CASE(quoted_text_stays_text),
        CASE(null_is_never_text),
        CASE(what_fits_no_reading_is_left_for_the_type_to_refuse),
        CASE(containers_are_read_element_by_element),
        CASE(of_a_variant_the_member_that_fits_reads),
        CASE(sensitive_is_looked_through),
        CASE(rich_types_are_read_from_text_plain_or_quoted),
        CASE(bytes_are_written_in_base64),
        CASE(marks_and_places_stay),
        CASE(hints_say_what_was_meant),
        CASE(the_part_that_does_not_fit_is_found),
        CASE(no_hint_about_a_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
