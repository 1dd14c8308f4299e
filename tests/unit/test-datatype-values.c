/* SPDX-License-Identifier: Apache-2.0 */
/* Which values a type takes, what is said of the others, and what is read from text. */
#include "config.h"

#include "datatype-fixture.h"

#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <string.h>

/* JSON, or the name of a kind that JSON has not, and its text. */
static const struct rh_value *
value(const char *text)
{
    static const struct {
        const char *name;
        enum rh_kind kind;
    } kinds[] = { { "@Timespan ", RH_TIMESPAN }, { "@SemVer ", RH_SEMVER }, { "@URI ", RH_URI } };
    const struct rh_value *v;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].name);

        if (strncmp(text, kinds[i].name, n) == 0)
            return rh_value_text(arena, kinds[i].kind, text + n, strlen(text + n));
    }
    v = rh_value_from_json(arena, text, strlen(text), NULL);
    assert_non_null(v);
    return v;
}

/* clang-format off */
/* A type, and a value that it takes. */
static const char *const taken[][2] = {
    { "Timespan[1,5]", "@Timespan 5" },
    { "Timespan[1,5]", "@Timespan 1" },
    { "SemVer['1.x','3.x']", "@SemVer 3.0.0" },
    { "URI", "@URI http://a" },
    { "URI['http://a/x']", "@URI http://a/x" },
    { "URI['http://a/x']", "@URI HTTP://A/x" },
    { "URI[{port => 8080}]", "@URI http://a:8080" },
    { "URI[{path => /x/}]", "@URI http://a/yxy" },
    { "URI[{scheme => Enum[http]}]", "@URI http://a" },
    { "URI[{port => Undef}]", "@URI http://a" },
    { "URI[{query => 'q', host => 'a'}]", "@URI http://a?q" },
    { "Iterable[String]", "\"ab\"" },
    { "Iterable[String[1,1]]", "\"ab\"" },
    { "Iterable[Integer]", "5" },
    { "Iterable", "0" },
    { "Iterable[Any]", "[1]" },
    { "Iterable[Integer]", "[1,2]" },
    { "Iterable[Tuple[String,Integer]]", "{\"a\":1}" },
    { "Iterable[Tuple[String,Integer]]", "{}" },
    { "Iterable[Integer]", "[]" },
    { "Data", "true" },
    { "Collection[2,2]", "[1,2]" },
    { "Collection[2,2]", "{\"a\":1,\"b\":2}" },
};

/* A type, a value that it does not take, and what is said of it. */
static const char *const misfits[][3] = {
    { "Variant[Integer[1,2],Integer[3,4]]", "true", "x expects an Integer value, got Boolean" },
    { "Variant[Integer[1,2],Integer[4,5]]", "true", "x expects an Integer value, got Boolean" },
    { "Variant[Integer[1,5],Integer[2,9]]", "true", "x expects an Integer value, got Boolean" },
    { "Variant[Integer[4,9],Integer[1,5]]", "true", "x expects an Integer value, got Boolean" },
    { "Variant[Integer[default,1],Integer[2,default]]", "true", "x expects an Integer value, got Boolean" },
    { "Variant[Float[1,2],Float[2,3]]", "true", "x expects a Float value, got Boolean" },
    { "Variant[Float[1,2],Float[2.5,3]]", "true", "x expects a Float value, got Boolean" },
    { "Variant[Float[2,4],Float[1,3]]", "true", "x expects a Float value, got Boolean" },
    { "Variant[Float[1,9],Float[2,3]]", "true", "x expects a Float value, got Boolean" },
    { "Variant[Timespan[1,2],Timespan[2,3]]", "true", "x expects a Timespan value, got Boolean" },
    { "Variant[Timespan[1,2],Timespan[3,4]]", "true", "x expects a Timespan value, got Boolean" },
    { "Variant[Timespan[2,5],Timespan[1,3]]", "true", "x expects a Timespan value, got Boolean" },
    { "Variant[Timestamp['2020-01-01','2020-01-05'],Timestamp['2020-01-03','2020-01-09']]", "true",
      "x expects a Timestamp value, got Boolean" },
    { "Variant[SemVer['1.x'],SemVer['2.x']]", "true", "x expects a SemVer value, got Boolean" },
    { "Variant[SemVer['1.x'],SemVer]", "true", "x expects a SemVer value, got Boolean" },
    { "Variant[NotUndef[String],NotUndef[Integer]]", "true",
      "x expects a value of type String or Integer, got Boolean" },
    { "Variant[NotUndef[String],NotUndef[Integer]]", "null",
      "x expects a value of type String or Integer, got Undef" },
    { "Variant[Optional[String],Optional[Integer]]", "true",
      "x expects a value of type Undef, String, or Integer, got Boolean" },
    { "Variant[Enum['A','B',true],Enum['a','c',true]]", "\"x\"",
      "x expects a match for Enum['a', 'b', 'c', true], got 'x'" },
    { "Variant[Enum['A','B',true],Enum['a','c',true]]", "5",
      "x expects a match for Enum['a', 'b', 'c', true], got Integer" },
    { "Variant[Enum[a],Enum[b]]", "5", "x expects a match for Enum['a', 'b'], got Integer" },
    { "Variant[Pattern[/a/],Pattern[/b/],Pattern[/a/]]", "\"x\"",
      "x expects a match for Pattern[/a/, /b/], got 'x'" },
    { "Variant[Pattern[/a/],Pattern]", "5", "x expects a match for Pattern, got Integer" },
    { "Variant[Pattern[/a/],Enum[b]]", "\"x\"",
      "x expects a match for Variant[Pattern[/a/], Enum['b']], got 'x'" },
    { "Variant[Enum[b],Pattern[/a/]]", "\"x\"",
      "x expects a match for Variant[Enum['b'], Pattern[/a/]], got 'x'" },
    { "Variant[Integer,Enum[b]]", "\"x\"", "x expects a value of type Integer or Enum['b'], got String" },
    { "Variant[Array[String,1,2],Array[String,4,5]]", "[]", "x expects size to be between 1 and 5, got 0" },
    { "Variant[Array[Integer],Hash[String,Integer]]", "[\"x\"]",
      " x variant 0 index 0 expects an Integer value, got String\n  x variant 1 expects a Hash value, got "
      "Tuple" },
    { "Variant[Integer[1,2],Integer[3,4]]", "9", "x expects an Integer[1, 4] value, got Integer[9, 9]" },
    { "Variant[Integer[1,2],Integer[4,5]]", "9",
      "x expects a value of type Integer[1, 2] or Integer[4, 5], got Integer[9, 9]" },
    { "Variant[Integer[1,5],Integer[2,9]]", "10", "x expects an Integer[1, 9] value, got Integer[10, 10]" },
    { "Variant[Integer[4,9],Integer[1,5]]", "10", "x expects an Integer[1, 9] value, got Integer[10, 10]" },
    { "Variant[Integer[1,9],Integer[2,5]]", "10", "x expects an Integer[1, 9] value, got Integer[10, 10]" },
    { "Variant[Integer[default,1],Integer[3,default]]", "2",
      "x expects a value of type Integer[default, 1] or Integer[3], got Integer[2, 2]" },
    { "Variant[Float[1,2],Float[2,3]]", "9.5", "x expects a Float[1.0, 3.0] value, got Float[9.5, 9.5]" },
    { "Variant[Float[1,2],Float[2.5,3]]", "9.5",
      "x expects a value of type Float[1.0, 2.0] or Float[2.5, 3.0], got Float[9.5, 9.5]" },
    { "Variant[Float[2,4],Float[1,3]]", "9.5", "x expects a Float[1.0, 4.0] value, got Float[9.5, 9.5]" },
    { "Variant[Float[1,9],Float[2,3]]", "9.5", "x expects a Float[1.0, 9.0] value, got Float[9.5, 9.5]" },
    { "Variant[Timespan[1,2],Timespan[2,3]]", "@Timespan 9",
      "x expects a Timespan['0-00:00:01.0', '0-00:00:03.0'] value, got Timespan['0-00:00:09.0']" },
    { "Variant[Timespan[1,2],Timespan[3,4]]", "@Timespan 9",
      "x expects a value of type Timespan['0-00:00:01.0', '0-00:00:02.0'] or Timespan['0-00:00:03.0', "
      "'0-00:00:04.0'], got Timespan['0-00:00:09.0']" },
    { "Variant[Timespan[2,5],Timespan[1,3]]", "@Timespan 9",
      "x expects a Timespan['0-00:00:01.0', '0-00:00:05.0'] value, got Timespan['0-00:00:09.0']" },
    { "Variant[Timespan[1,5],Timespan[2,3]]", "@Timespan 9",
      "x expects a Timespan['0-00:00:01.0', '0-00:00:05.0'] value, got Timespan['0-00:00:09.0']" },
    { "Timespan[1,5]", "@Timespan 0",
      "x expects a Timespan['0-00:00:01.0', '0-00:00:05.0'] value, got Timespan['0-00:00:00.0']" },
    { "Timespan[1,5]", "@Timespan x",
      "x expects a Timespan['0-00:00:01.0', '0-00:00:05.0'] value, got Timespan" },
    { "Variant[SemVer['1.x'],SemVer['2.x']]", "@SemVer 3.0.0",
      "x expects a SemVer['1.x', '2.x'] value, got SemVer['3.0.0 - 3.0.0']" },
    { "SemVer", "@SemVer 3", "x expects a SemVer value, got SemVer['3 - 3']" },
    { "SemVer['1.x']", "@SemVer x", "x expects a SemVer['1.x'] value, got SemVer['x - x']" },
    { "URI['http://a/x']", "@URI http://a/X",
      "x expects an URI[{'scheme' => 'http', 'host' => 'a', 'path' => '/x'}] value, got URI[{'scheme' => "
      "'http', 'host' => 'a', 'path' => '/X'}]" },
    { "URI['http://a']", "@URI https://a",
      "x expects an URI[{'scheme' => 'http', 'host' => 'a'}] value, got URI[{'scheme' => 'https', 'host' "
      "=> 'a'}]" },
    { "URI['http://a']", "@URI /a",
      "x expects an URI[{'scheme' => 'http', 'host' => 'a'}] value, got URI[{'path' => '/a'}]" },
    { "URI[{port => 80}]", "@URI http://a",
      "x expects an URI[{'port' => '80'}] value, got URI[{'scheme' => 'http', 'host' => 'a'}]" },
    { "URI[{port => 8080}]", "@URI http://a:808",
      "x expects an URI[{'port' => '8080'}] value, got URI[{'scheme' => 'http', 'host' => 'a', 'port' => "
      "'808'}]" },
    { "URI[{path => /x/}]", "@URI http://a/yy",
      "x expects an URI[{'path' => /x/}] value, got URI[{'scheme' => 'http', 'host' => 'a', 'path' => "
      "'/yy'}]" },
    { "URI[{scheme => Enum[http]}]", "@URI ftp://a",
      "x expects an URI[{'scheme' => Enum['http']}] value, got URI[{'scheme' => 'ftp', 'host' => 'a'}]" },
    { "URI[{port => Undef}]", "@URI http://a:1",
      "x expects an URI[{'port' => Undef}] value, got URI[{'scheme' => 'http', 'host' => 'a', 'port' => "
      "'1'}]" },
    { "URI[{query => 'q', host => 'a'}]", "@URI http://a?p",
      "x expects an URI[{'query' => 'q', 'host' => 'a'}] value, got URI[{'scheme' => 'http', 'host' => "
      "'a', 'query' => 'p'}]" },
    { "URI[{query => 'q', host => 'a'}]", "@URI http://b?q",
      "x expects an URI[{'query' => 'q', 'host' => 'a'}] value, got URI[{'scheme' => 'http', 'host' => "
      "'b', 'query' => 'q'}]" },
    { "URI['http://a']", "@URI a b", "x expects an URI[{'scheme' => 'http', 'host' => 'a'}] value, got URI" },
    { "URI['http://a']", "\"http://a\"", "x expects an URI value, got String" },
    { "Iterable[Integer]", "\"ab\"", "x expects an Iterable[Integer] value, got String" },
    { "Iterable[Integer]", "[1,\"a\"]", "x expects an Iterable[Integer] value, got Tuple" },
    { "Iterable[Tuple[String,Integer]]", "{\"a\":\"b\"}",
      "x expects an Iterable[Tuple[String, Integer]] value, got Struct" },
    { "Iterable[Integer]", "{\"a\":1}", "x expects an Iterable[Integer] value, got Struct" },
    { "Array[Integer]", "{\"a\":1}", "x expects an Array value, got Struct" },
    { "Hash[String,Integer]", "[1]", "x expects a Hash value, got Tuple" },
    { "Hash[Integer,Integer]", "{\"a\":1}", "x key of entry 'a' expects an Integer value, got String" },
    { "Hash[String,Integer,2,default]", "{\"a\":1}", "x expects size to be at least 2, got 1" },
    { "Struct[{a=>String}]", "5", "x expects a Struct value, got Integer" },
    { "Struct[{a=>String}]", "{}", "x expects size to be 1, got 0" },
    { "Struct[{a=>String}]", "{\"a\":\"x\",\"b\":1,\"c\":2}",
      " x unrecognized key 'b'\n  x unrecognized key 'c'" },
    { "Tuple[String,Integer]", "[\"a\"]", "x expects size to be 2, got 1" },
    { "Tuple[String,Integer]", "[\"a\",1,2]", "x expects size to be 2, got 3" },
    { "Tuple[String,Integer]", "[1,\"a\"]",
      " x index 0 expects a String value, got Integer\n  x index 1 expects an Integer value, got String" },
    { "Tuple[String,Integer,1,3]", "[\"a\",1,\"x\"]", "x index 2 expects an Integer value, got String" },
    { "Collection[2]", "[1]", "x expects size to be at least 2, got 1" },
    { "Collection", "5", "x expects a Collection value, got Integer" },
    { "String[2,3]", "\"a\"", "x expects a String[2, 3] value, got String" },
    { "String[2]", "\"a\"", "x expects a String[2] value, got String" },
    { "String[0,1]", "\"ab\"", "x expects a String[0, 1] value, got String" },
    { "Integer", "[1,2]", "x expects an Integer value, got Tuple" },
    { "Integer", "[1,\"a\"]", "x expects an Integer value, got Tuple" },
    { "Integer", "[1.5,2]", "x expects an Integer value, got Tuple" },
    { "Integer", "[[1],[2]]", "x expects an Integer value, got Tuple" },
    { "Integer", "[[1],[\"a\"]]", "x expects an Integer value, got Tuple" },
    { "Integer", "[{\"a\":1},{\"b\":\"c\"}]", "x expects an Integer value, got Tuple" },
    { "Integer", "{\"a\":[1],\"b\":[]}", "x expects an Integer value, got Struct" },
    { "Integer", "[null,1]", "x expects an Integer value, got Tuple" },
    { "Integer", "{}", "x expects an Integer value, got Hash" },
    { "Integer", "[]", "x expects an Integer value, got Array" },
    { "Integer", "[[],[1]]", "x expects an Integer value, got Tuple" },
    { "Integer", "{\"\":1}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":1,\"b\":\"x\"}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":[1],\"b\":[\"x\"]}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":1,\"b\":1.5}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":1,\"b\":null}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":[],\"b\":[1]}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":{\"\":1},\"b\":{\"\":true}}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":true,\"b\":\"x\"}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":[1],\"b\":\"x\"}", "x expects an Integer value, got Hash" },
    { "Integer", "{\"\":null,\"b\":2}", "x expects an Integer value, got Hash" },
    { "Variant", "1", "x expects a Variant value, got Integer" },
    { "Pattern", "1", "x expects a match for Pattern, got Integer" },
    { "Undef", "1", "x expects an Undef value, got Integer" },
    { "Boolean[true]", "false", "x expects a Boolean[true] value, got Boolean[false]" },
    { "Float[1,2]", "3.5", "x expects a Float[1.0, 2.0] value, got Float[3.5, 3.5]" },
    { "Float", "1", "x expects a Float value, got Integer" },
    { "Numeric", "\"a\"", "x expects a Numeric value, got String" },
    { "Iterable[Integer]", "[\"a\"]", "x expects an Iterable[Integer] value, got Tuple" },
    { "Iterable[String]", "5", "x expects an Iterable[String] value, got Integer" },
    { "Iterable", "true", "x expects an Iterable value, got Boolean" },
    { "Iterable", "-1", "x expects an Iterable value, got Integer" },
    { "Sensitive", "1", "x expects a Sensitive value, got Integer" },
    { "Optional[Enum[a]]", "\"b\"", "x expects an undef value or a match for Enum['a'], got 'b'" },
    { "NotUndef", "null", "x expects a NotUndef value, got Undef" },
    { "NotUndef[Integer]", "\"a\"", "x expects an Integer value, got String" },
    { "Enum", "5", "x expects a match for Enum, got Integer" },
    { "Type[String]", "1", "x expects a Type[String] value, got Integer" },
    { "URI", "5", "x expects an URI value, got Integer" },
    { "Binary", "5", "x expects a Binary value, got Integer" },
    { "Regexp", "\"a\"", "x expects a Regexp value, got String" },
    { "Default", "1", "x expects a Default value, got Integer" },
};

/* A type, a value with text in it, and what it stands for. */
static const char *const readings[][3] = {
    { "Array[Integer]", "[\"1\", 2]", "[1, 2]" },
    { "Tuple[Integer,String]", "[\"1\",\"2\"]", "[1, \"2\"]" },
    { "Tuple[Integer,1,3]", "[\"1\",\"2\",\"3\"]", "[1, 2, 3]" },
    { "Tuple[String,Integer,1,3]", "[\"1\",\"2\",\"3\"]", "[\"1\", 2, 3]" },
    { "Hash[String,Integer]", "{\"a\":\"1\",\"b\":\"0x10\"}", "{\"a\": 1, \"b\": 16}" },
    { "Struct[{a=>Integer,b=>String}]", "{\"a\":\"1\",\"b\":\"2\"}", "{\"a\": 1, \"b\": \"2\"}" },
    { "Struct[{a=>Integer,b=>Boolean}]", "{\"b\":\"true\",\"a\":\"1\"}", "{\"b\": true, \"a\": 1}" },
    { "Array[Hash[String,Boolean]]", "[{\"k\":\"false\"}]", "[{\"k\": false}]" },
    { "Optional[Array[Float]]", "[\"1.5\"]", "[1.5]" },
    { "Variant[Array[Integer],Array[Boolean]]", "[\"true\"]", "[true]" },
    { "Array", "[\"1\"]", "[\"1\"]" },
    { "Hash", "{\"a\":\"1\"}", "{\"a\": \"1\"}" },
    { "Any", "\"1\"", "\"1\"" },
    { "Array[Array[Integer]]", "[[\"1\"],[]]", "[[1], []]" },
    { "Integer", "\" + 5 \"", "5" },
    { "Integer", "\"- 5\"", "-5" },
    { "Float", "\"1e3\"", "1e+03" },
    { "Float", "\"1.0e-3\"", "0.001" },
    { "Integer", "\"9223372036854775807\"", "9223372036854775807" },
    { "Integer", "\"-9223372036854775808\"", "-9223372036854775808" },
    { "Integer", "\"0x7fffffffffffffff\"", "9223372036854775807" },
};

static const char *const unreadable[][3] = {
    { "Array[Integer]", "[\"x\"]", "x index 0 expects an Integer value, got String" },
    { "Array[Integer,2]", "[\"1\"]", "x expects size to be at least 2, got 1" },
    { "Tuple[Integer,String]", "[\"1\"]", "x expects size to be 2, got 1" },
    { "Hash[String,Integer]", "{\"a\":\"x\"}", "x entry 'a' expects an Integer value, got String" },
    { "Hash[String,Integer,2]", "{\"a\":\"1\"}", "x expects size to be at least 2, got 1" },
    { "Struct[{a=>Integer}]", "{\"a\":\"1\",\"c\":\"2\"}", "x unrecognized key 'c'" },
    { "Struct[{a=>Integer}]", "{\"a\":\"x\"}", "x entry 'a' expects an Integer value, got String" },
    { "Integer", "\"1 2\"", "x expects an Integer value, got String" },
    { "Integer", "\"0b101\"", "x expects an Integer value, got String" },
    { "Integer", "\"0o17\"", "x expects an Integer value, got String" },
    { "Integer", "\"1_000\"", "x expects an Integer value, got String" },
    { "Integer", "\"\"", "x expects an Integer value, got String" },
    { "Integer", "\"+\"", "x expects an Integer value, got String" },
    { "Float", "\"1\"", "x expects a Float value, got Integer" },
    { "Float", "\"1.\"", "x expects a Float value, got String" },
    { "Float", "\".5\"", "x expects a Float value, got String" },
    { "Boolean", "\"TRUE\"", "x expects a Boolean value, got String" },
    { "Boolean", "\"yes\"", "x expects a Boolean value, got String" },
    { "Integer", "\"9223372036854775808\"", "x \"9223372036854775808\" is too large for a number" },
    { "Integer", "\"-9223372036854775809\"", "x \"-9223372036854775809\" is too large for a number" },
    { "Integer", "\"0x8000000000000000\"", "x \"0x8000000000000000\" is too large for a number" },
    { "Integer", "\"5\\u0000\"", "x expects an Integer value, got String" },
};
/* clang-format on */

static void
a_type_takes_its_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!rh_datatype_match(type(taken[i][0]), value(taken[i][1])))
            fail_msg("%s does not take %s", taken[i][0], taken[i][1]);
}

static void
a_value_that_does_not_fit_is_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        const struct rh_datatype *t = type(misfits[i][0]);
        const struct rh_value *v = value(misfits[i][1]);
        rh_autobuf struct rh_buf why = { 0 };

        if (rh_datatype_match(t, v))
            fail_msg("%s takes %s", misfits[i][0], misfits[i][1]);
        rh_datatype_explain(t, "x", v, &why);
        assert_string_equal(rh_buf_text(&why), misfits[i][2]);
    }
}

static void
text_is_read_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *v =
            rh_datatype_read(arena, type(readings[i][0]), "x", value(readings[i][1]), &err);
        rh_autobuf struct rh_buf json = { 0 };

        if (!v)
            fail_msg("%s: %s: %s", readings[i][0], readings[i][1], err.message);
        rh_value_to_json(&json, v, false);
        assert_string_equal(rh_buf_text(&json), readings[i][2]);
    }
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        rh_autoerror struct rh_error err = { 0 };

        if (rh_datatype_read(arena, type(unreadable[i][0]), "x", value(unreadable[i][1]), &err))
            fail_msg("%s reads %s", unreadable[i][0], unreadable[i][1]);
        assert_string_equal(err.message, unreadable[i][2]);
    }
}

/* Of a list, the general type of its elements, whatever their order; and of no element its value. */
static void
nothing_is_told_of_a_sensitive_value_but_its_kind(void **state)
{
    static const struct {
        const char *json, *got;
    } cases[] = {
        { "1", "Integer" },
        { "\"s3cret\"", "String" },
        { "true", "Boolean" },
        { "[]", "Array[0, 0]" },
        { "[1, 2]", "Array[Integer]" },
        { "[1, 1.5]", "Array[Numeric]" },
        { "[1.5, 1]", "Array[Numeric]" },
        { "[1, true]", "Array[ScalarData]" },
        { "[true, 1]", "Array[ScalarData]" },
        { "[\"s3cret\", 1]", "Array[ScalarData]" },
        { "[1, []]", "Array[Data]" },
        { "[[], 1]", "Array[Data]" },
        { "[[1], []]", "Array[Array[Integer]]" },
        { "[[], [1]]", "Array[Array[Integer]]" },
        { "[{}, []]", "Array[Data]" },
        { "[[], {}]", "Array[Data]" },
        { "[{\"s3cret\": 1}, {}]", "Array[Hash[String, Integer]]" },
        { "[{}, {\"s3cret\": 1}]", "Array[Hash[String, Integer]]" },
        { "[[1], [\"s3cret\"]]", "Array[Array[ScalarData]]" },
        { "[[1.5], [1]]", "Array[Array[Numeric]]" },
        { "[{\"s3cret\": 1}, {\"s3cret\": true}]", "Array[Hash[String, ScalarData]]" },
        { "[null, 1]", "Array[Integer]" },
        { "[1, null]", "Array[Integer]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rh_value *v = rh_value_new(arena, RH_WRAPPED);
        rh_autobuf struct rh_buf why = { 0 }, expected = { 0 };

        rh_value_append(v, value(cases[i].json));
        rh_datatype_explain(type("Sensitive[Binary]"), "x", v, &why);
        rh_buf_addf(&expected, "x expects a Sensitive[Binary] value, got Sensitive[%s]", cases[i].got);
        assert_string_equal(rh_buf_text(&why), rh_buf_text(&expected));
        assert_null(strstr(rh_buf_text(&why), "s3cret"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_type_takes_its_values),
        ARENA_TEST(a_value_that_does_not_fit_is_explained),
        ARENA_TEST(text_is_read_wherever_it_stands),
        ARENA_TEST(nothing_is_told_of_a_sensitive_value_but_its_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
