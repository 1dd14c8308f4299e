/* SPDX-License-Identifier: Apache-2.0 */
/* test-validate - what a resource gets from its type is its own. */
#include "config.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/attribute-value.h"
#include "schema/json-schema.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char description[] =
    "{\"type\": \"thing\", \"provider\": \"thing\", \"slots\": 160, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String\", \"behaviour\": 1},"
    "{\"name\": \"list\", \"type\": \"Array[String]\", \"default\": [\"a\", \"b\"]},"
    "{\"name\": \"text\", \"type\": \"String\", \"default\": \"c\"}]}";

static struct rh_validated
validated(struct rh_arena *a, const struct rh_type *t, const char *title)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_validated one = { 0 };

    assert_int_equal(
        rh_validate(a, t, title, (struct rh_place){ 0 }, rh_value_new(a, RH_HASH), &one, &complaints), 0);
    rh_complaints_clear(&complaints);
    return one;
}

/* Marks a value, and adds to a list. */
static void
spoil(const struct rh_validated *of)
{
    for (size_t i = 0; i < rh_value_count(of->should); i++) {
        struct rh_value *v = rh_draft_part(of->should, i);

        if (v->kind == RH_ARRAY) {
            rh_draft_part(v, 0)->marks |= RH_SENSITIVE;
            rh_value_append(v, rh_value_string(rh_value_arena(v), "d"));
        }
        v->marks |= RH_SENSITIVE;
    }
}

static void
a_default_is_not_shared_by_resources(void **state)
{
    struct rh_arena *a = rh_arena_new(NULL), *b = rh_arena_new(NULL);
    struct rh_error err = { 0 };
    const struct rh_value *v = rh_value_from_json(a, description, strlen(description), &err);
    const struct rh_type *t = v ? rh_type_read(a, v, &err) : NULL;
    struct rh_validated one, two;

    (void)state;
    if (!t)
        fail_msg("%s", err.message);
    one = validated(b, t, "x");
    spoil(&one);
    two = validated(b, t, "y");
    assert_int_equal(rh_value_count(two.should), 3);
    assert_false(rh_value_sensitive(two.should));
    assert_int_equal(rh_value_count(rh_value_get(two.should, "list")), 2);
    for (size_t i = 0; i < t->n_attrs; i++)
        assert_false(rh_value_sensitive(t->attrs[i].default_value));
    rh_arena_free(b);
    rh_arena_free(a);
}

/* What stands behind the attributes of a type is none of it. */
static void
only_its_own_attributes_have_defaults(void **state)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_error err = { 0 };
    const struct rh_value *v = rh_value_from_json(a, description, strlen(description), &err);
    const struct rh_type *t = v ? rh_type_read(a, v, &err) : NULL;
    struct rh_type less;
    struct rh_validated one;

    (void)state;
    if (!t)
        fail_msg("%s", err.message);
    less = *t;
    less.n_attrs--;
    one = validated(a, &less, "x");
    assert_int_equal(rh_value_count(one.should), 2);
    assert_null(rh_value_get(one.should, "text"));
    rh_arena_free(a);
}

/* One value for an attribute that is sensitive, in part or as a whole, and for one that is not. */
static void
a_mark_is_not_shared_by_attributes(void **state)
{
    static const char type[] =
        "{\"type\": \"thing\", \"provider\": \"thing\", \"slots\": 160, \"attributes\": ["
        "{\"name\": \"name\", \"type\": \"String\", \"behaviour\": 1},"
        "{\"name\": \"open\", \"type\": \"Array[String]\"},"
        "{\"name\": \"within\", \"type\": \"Array[Sensitive[String]]\"},"
        "{\"name\": \"whole\", \"type\": \"Sensitive[Array[String]]\"}]}";
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_error err = { 0 };
    const struct rh_type *t = rh_type_read(a, rh_value_from_json(a, type, strlen(type), &err), &err);
    const struct rh_value *shared = rh_value_from_json(a, "[\"x\", \"y\"]", 10, &err);
    struct rh_value *given = rh_value_new(a, RH_HASH);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_validated one;

    (void)state;
    if (!t)
        fail_msg("%s", err.message);
    rh_value_put(given, "open", shared);
    rh_value_put(given, "within", shared);
    rh_value_put(given, "whole", shared);
    assert_int_equal(rh_validate(a, t, "x", (struct rh_place){ 0 }, given, &one, &complaints), 0);
    assert_false(rh_value_sensitive(shared));
    assert_false(rh_value_sensitive(rh_value_get(one.should, "open")));
    assert_true(rh_value_at(rh_value_get(one.should, "within"), 1)->marks & RH_SENSITIVE);
    assert_false(rh_value_get(one.should, "within")->marks & RH_SENSITIVE);
    assert_true(rh_value_get(one.should, "whole")->marks & RH_SENSITIVE);
    assert_ptr_equal(rh_value_get(given, "whole"), rh_value_get(one.should, "whole"));
    rh_arena_free(a);
}

/* A type with an attribute of this data type. */
static const struct rh_type *
type_with(struct rh_arena *a, const char *datatype)
{
    struct rh_error err = { 0 };
    struct rh_value *v = rh_value_hash(a, 4), *list = rh_value_new(a, RH_ARRAY);
    const char *const attributes[][2] = { { "name", "String" }, { "x", datatype } };
    const struct rh_type *t;

    rh_value_put(v, "type", rh_value_string(a, "thing"));
    rh_value_put(v, "provider", rh_value_string(a, "thing"));
    rh_value_put(v, "slots", rh_value_integer(a, 160));
    for (size_t i = 0; i < 2; i++) {
        struct rh_value *one = rh_value_hash(a, 3);

        rh_value_put(one, "name", rh_value_string(a, attributes[i][0]));
        rh_value_put(one, "type", rh_value_string(a, attributes[i][1]));
        rh_value_put(one, "behaviour", rh_value_integer(a, i == 0));
        rh_value_append(list, one);
    }
    rh_value_put(v, "attributes", list);
    t = rh_type_read(a, v, &err);
    if (!t)
        fail_msg("%s: %s", datatype, err.message);
    return t;
}

/* What is marked where the type says Sensitive is shown as "[redacted]". */
static void
what_the_type_says_is_sensitive_is_marked(void **state)
{
    static const char *const cases[][3] = {
        { "Sensitive[String]", "\"a\"", "\"[redacted]\"" },
        { "String", "\"a\"", "\"a\"" },
        { "Optional[Sensitive[String]]", "\"a\"", "\"[redacted]\"" },
        { "Optional[Sensitive[String]]", "null", "null" },
        { "NotUndef[Sensitive[Any]]", "[1]", "\"[redacted]\"" },
        { "Array[Sensitive[String]]", "[\"a\", \"b\"]", "[\"[redacted]\", \"[redacted]\"]" },
        { "Tuple[String, Sensitive[String]]", "[\"a\", \"b\", \"c\"]",
          "[\"a\", \"[redacted]\", \"[redacted]\"]" },
        { "Hash[String, Sensitive[String]]", "{\"k\": \"a\"}", "{\"k\": \"[redacted]\"}" },
        { "Struct[{k => Sensitive[String], l => String}]", "{\"k\": \"a\", \"l\": \"b\"}",
          "{\"k\": \"[redacted]\", \"l\": \"b\"}" },
        { "Struct[{l => Array[Struct[{k => Sensitive[String]}]]}]", "{\"l\": [{\"k\": \"a\"}]}",
          "{\"l\": [{\"k\": \"[redacted]\"}]}" },
        /* A Variant of a Sensitive hides whatever it is. */
        { "Variant[Sensitive[String], Integer]", "\"a\"", "\"[redacted]\"" },
        { "Variant[Sensitive[String], Integer]", "5", "\"[redacted]\"" },
        { "Variant[Sensitive[String], String]", "\"a\"", "\"[redacted]\"" },
        { "Variant[Integer, Sensitive[String]]", "\"a\"", "\"[redacted]\"" },
        { "Variant[Sensitive[Integer], Hash[String, Sensitive[String]]]", "{\"k\": \"a\"}",
          "\"[redacted]\"" },
        { "Variant[Array[Sensitive[Integer]], Array[Sensitive[String]]]", "[\"a\"]", "[\"[redacted]\"]" },
        /* Within one, that member counts that takes the value as it is, or once it is marked. */
        { "Variant[Array[Sensitive[Integer]], Array[Sensitive[String]], String]", "\"a\"", "\"a\"" },
        { "Variant[Hash[String, Sensitive[Integer]], Array[Sensitive[String]]]", "[\"a\"]",
          "[\"[redacted]\"]" },
        { "Variant[Struct[{k => Sensitive[Integer]}], Struct[{k => String, l => Sensitive[String]}]]",
          "{\"k\": \"a\", \"l\": \"b\"}", "{\"k\": \"a\", \"l\": \"[redacted]\"}" },
        { "Variant[Array[String], Array[Sensitive[String]]]", "[\"a\"]", "[\"a\"]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rh_arena *a = rh_arena_new(NULL);
        struct rh_error err = { 0 };
        const struct rh_type *t = type_with(a, cases[i][0]);
        const struct rh_value *v = rh_value_from_json(a, cases[i][1], strlen(cases[i][1]), &err);
        rh_autobuf struct rh_buf shown = { 0 }, before = { 0 };

        assert_non_null(v);
        rh_value_to_json(&shown, rh_attribute_marked(a, rh_type_attr(t, "x"), v), false);
        if (strcmp(rh_buf_text(&shown), cases[i][2]) != 0)
            fail_msg("%s: %s is %s", cases[i][0], cases[i][1], rh_buf_text(&shown));
        rh_value_to_json(&before, v, false);
        if (strncmp(cases[i][0], "Sensitive", 9) != 0 && strstr(cases[i][2], "redacted"))
            assert_null(strstr(rh_buf_text(&before), "redacted"));
        rh_arena_free(a);
    }
}

static void
a_nul_is_found_wherever_it_stands(void **state)
{
    static const struct {
        const char *type, *json;
        bool found;
    } cases[] = {
        { "String", "\"a\\u0000b\"", true },
        { "String", "\"ab\"", false },
        { "String", "\"\"", false },
        { "Any", "[1, \"a\\u0000\"]", true },
        { "Any", "[[], {\"k\": [\"\\u0000\"]}]", true },
        { "Any", "[[], {\"k\": [\"x\"]}]", false },
        { "Any", "5", false },
        { "Binary", "\"a\\u0000\"", false },
        { "Optional[Variant[String, Binary]]", "\"a\\u0000\"", false },
        { "Struct[{a => Binary, b => String}]", "{\"b\": \"\\u0000\"}", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rh_arena *a = rh_arena_new(NULL);
        struct rh_error err = { 0 };
        const struct rh_value *v = rh_value_from_json(a, cases[i].json, strlen(cases[i].json), &err);

        assert_non_null(v);
        if (!rh_attribute_find_nul(rh_type_attr(type_with(a, cases[i].type), "x"), v) == cases[i].found)
            fail_msg("%s: %s", cases[i].type, cases[i].json);
        rh_arena_free(a);
    }
}

static struct rh_value *
without_description(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *result = rh_value_hash(a, 2);

    for (uint32_t i = 0; i < rh_value_count(v); i++)
        if (strcmp(rh_value_entry(v, i)->key, "description") != 0)
            rh_value_put(result, rh_value_entry(v, i)->key, rh_value_entry(v, i)->value);
    return result;
}

/* Without what each attribute takes besides: null, which takes a default back. */
static struct rh_value *
without_null(struct rh_arena *a, const struct rh_value *v)
{
    const struct rh_value *any = rh_value_get(v, "anyOf");
    struct rh_value *rest = rh_value_new(a, RH_ARRAY), *result = rh_value_hash(a, 1);
    size_t n = rh_value_count(any);

    if (!n)
        return without_description(a, v);
    assert_string_equal(rh_value_get_str(rh_value_at(any, n - 1), "type", ""), "null");
    for (size_t i = 0; i + 1 < n; i++)
        rh_value_append(rest, without_description(a, rh_value_at(any, i)));
    if (n == 2)
        return without_description(a, rh_value_at(any, 0));
    rh_value_put(result, "anyOf", rest);
    return result;
}

static void
a_type_of_data_is_told_to_editors(void **state)
{
#define TEXT "[\"string\", \"number\", \"boolean\"]"
#define EXPRESSION "{\"type\": \"string\", \"pattern\": \"\\\\$\\\\{\"}"
    static const char *const cases[][2] = {
        { "String", "{\"type\": " TEXT "}" },
        { "Pattern[/x/]", "{\"type\": " TEXT "}" },
        { "Enum[a, b]", "{\"anyOf\": [{\"enum\": [\"a\", \"b\"]}, " EXPRESSION "]}" },
        { "Enum[no, 'true', '80']",
          "{\"anyOf\": [{\"enum\": [\"80\", 80, \"no\", \"true\", true]}, " EXPRESSION "]}" },
        { "Integer", "{\"anyOf\": [{\"type\": \"integer\"}, " EXPRESSION "]}" },
        { "Optional[Float]", "{\"anyOf\": [{\"type\": \"number\"}, {\"type\": \"null\"}, " EXPRESSION "]}" },
        { "Numeric", "{\"anyOf\": [{\"type\": \"number\"}, " EXPRESSION "]}" },
        { "Sensitive[Boolean]", "{\"anyOf\": [{\"type\": \"boolean\"}, " EXPRESSION "]}" },
        { "Array[String]",
          "{\"anyOf\": [{\"type\": \"array\", \"items\": {\"type\": " TEXT "}}, " EXPRESSION "]}" },
        { "Hash[String, NotUndef[Integer]]",
          "{\"anyOf\": [{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": "
          "\"integer\"}, " EXPRESSION "]}}, " EXPRESSION "]}" },
        { "Struct[{a => String, Optional[b] => Integer}]",
          "{\"anyOf\": [{\"type\": \"object\", \"properties\": {\"a\": {\"type\": " TEXT "}, "
          "\"b\": {\"anyOf\": [{\"type\": \"integer\"}, " EXPRESSION
          "]}}, \"additionalProperties\": false}, " EXPRESSION "]}" },
        { "Variant[Integer, Boolean]",
          "{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"boolean\"}, " EXPRESSION "]}" },
        { "Any", "{}" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rh_arena *a = rh_arena_new(NULL);
        const struct rh_value *v = rh_json_schema_attributes(a, type_with(a, cases[i][0]));
        rh_autobuf struct rh_buf shown = { 0 };

        rh_value_to_json(&shown, without_null(a, rh_value_get(v, "x")), false);
        if (strcmp(rh_buf_text(&shown), cases[i][1]) != 0)
            fail_msg("%s is %s", cases[i][0], rh_buf_text(&shown));
        rh_arena_free(a);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_not_shared_by_attributes),
        cmocka_unit_test(a_default_is_not_shared_by_resources),
        cmocka_unit_test(only_its_own_attributes_have_defaults),
        cmocka_unit_test(what_the_type_says_is_sensitive_is_marked),
        cmocka_unit_test(a_nul_is_found_wherever_it_stands),
        cmocka_unit_test(a_type_of_data_is_told_to_editors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
