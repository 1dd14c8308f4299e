/* SPDX-License-Identifier: Apache-2.0 */
/* Each form of a data type: how it is printed, what is refused and where. */
#include "config.h"

#include "datatype-fixture.h"

#include "base/text.h"

#include <string.h>

/* clang-format off */
static const char *const printed[][2] = {
    { "URI['http://example.com/']",
      "URI[{'scheme' => 'http', 'host' => 'example.com', 'path' => '/'}]" },
    { "URI['HTTP://EXAMPLE.com:80/a']",
      "URI[{'scheme' => 'http', 'host' => 'example.com', 'path' => '/a'}]" },
    { "URI['https://h:443']", "URI[{'scheme' => 'https', 'host' => 'h'}]" },
    { "URI['https://h:80/']",
      "URI[{'scheme' => 'https', 'host' => 'h', 'port' => '80', 'path' => '/'}]" },
    { "URI['http://h:443']", "URI[{'scheme' => 'http', 'host' => 'h', 'port' => '443'}]" },
    { "URI['http://u:p@h:8080/a/b?q=1#f']",
      "URI[{'scheme' => 'http', 'userinfo' => 'u:p', 'host' => 'h', 'port' => '8080', 'path' => "
      "'/a/b', 'query' => 'q=1', 'fragment' => 'f'}]" },
    { "URI['mailto:a@b']", "URI[{'scheme' => 'mailto', 'opaque' => 'a@b'}]" },
    { "URI['http://[::1]:80/']", "URI[{'scheme' => 'http', 'host' => '[::1]', 'path' => '/'}]" },
    { "URI['http://h:/']", "URI[{'scheme' => 'http', 'host' => 'h', 'path' => '/'}]" },
    { "URI['http://h/%41']", "URI[{'scheme' => 'http', 'host' => 'h', 'path' => '/%41'}]" },
    { "URI['//h/p']", "URI[{'host' => 'h', 'path' => '/p'}]" },
    { "URI['p?q']", "URI[{'path' => 'p', 'query' => 'q'}]" },
    { "URI['x:']", "URI[{'scheme' => 'x'}]" },
    { "URI['http:///p']", "URI[{'scheme' => 'http', 'path' => '/p'}]" },
    { "URI['?q']", "URI[{'query' => 'q'}]" },
    { "URI['#f']", "URI[{'fragment' => 'f'}]" },
    { "URI['http://h?q']", "URI[{'scheme' => 'http', 'host' => 'h', 'query' => 'q'}]" },
    { "URI['http://@h']", "URI[{'scheme' => 'http', 'userinfo' => '', 'host' => 'h'}]" },
    { "URI['urn:a?b#c']", "URI[{'scheme' => 'urn', 'fragment' => 'c', 'opaque' => 'a?b'}]" },
    { "URI[{scheme=>'http'}]", "URI[{'scheme' => 'http'}]" },
    { "URI[{'scheme' => /^http/, port => 80}]", "URI[{'scheme' => /^http/, 'port' => '80'}]" },
    { "URI[{port => Integer[1,10]}]", "URI[{'port' => Integer[1, 10]}]" },
    { "URI[{host=>'a', path=>/x/, query=>'q', fragment=>'f', userinfo=>'u', opaque=>'o'}]",
      "URI[{'host' => 'a', 'path' => /x/, 'query' => 'q', 'fragment' => 'f', 'userinfo' => 'u', "
      "'opaque' => 'o'}]" },
    { "URI[{}]", "URI" },
    { "URI", "URI" },
    { "Resource['a', /b/, 3, -4, 1.5, true, false, default, undef, {a => 1, 'b' => [1, 2]}, [], "
      "String[1]]",
      "Resource['a', /b/, 3, -4, 1.5, true, false, default, undef, {'a' => 1, 'b' => [1, 2]}, "
      "[], String[1]]" },
    { "Resource[[1],[2, 3]]", "Resource[[1], [2, 3]]" },
    { "Resource[a => 1]", "Resource[{'a' => 1}]" },
    { "Resource[1, a => 2, b => 3]", "Resource[1, {'a' => 2, 'b' => 3}]" },
    { "Resource[{}]", "Resource[{}]" },
    { "Object[{name => 'X'}]", "Object[{'name' => 'X'}]" },
    { "Variant[Resource[a],Resource[a]]", "Resource['a']" },
    { "Variant[Resource[a],Resource[b]]", "Variant[Resource['a'], Resource['b']]" },
    { "Enum[\"a\\tb\"]", "Enum[\"a\\tb\"]" },
    { "Enum[\"a\\rb\"]", "Enum[\"a\\rb\"]" },
    { "Enum[\"a\\sb\"]", "Enum['a b']" },
    { "Enum[\"\\$x\"]", "Enum['$x']" },
    { "Enum[\"\\u00e9\"]", "Enum['é']" },
    { "Enum[\"\\u{1F600}\"]", "Enum['😀']" },
    { "Enum[\"\\u{41}\"]", "Enum['A']" },
    { "Enum[\"\\u{7ff}\\u{800}\\u{ffff}\\u{10000}\\u{10ffff}\"]", "Enum[\"߿ࠀ\\u{FFFF}𐀀􏿿\"]" },
    { "Enum[\"\\ue000\"]", "Enum['']" },
    { "Enum[\"\\ud7ff\"]", "Enum['퟿']" },
    { "Enum[\"\\uABcd\"]", "Enum['ꯍ']" },
    { "Enum[\"a\\\nb\"]", "Enum['ab']" },
    { "Enum[\"\\q\\'\\\"\\\\\"]", "Enum['\\q\\'\"\\\\']" },
    { "Enum['\\q\\'\\\"\\\\']", "Enum['\\q\\'\\\"\\\\']" },
    { "Enum[\"$ x\"]", "Enum['$ x']" },
    { "Enum[\"a$\"]", "Enum['a$']" },
    { "Enum[\"\\x7f\"]", "Enum['\\x7f']" },
    { "Enum['a', 'B', true]", "Enum['B', 'a', true]" },
    { "Enum['b','a']", "Enum['a', 'b']" },
    { "Enum['A','a',true]", "Enum['A', 'a', true]" },
    { "Enum['\001']", "Enum[\"\\u{1}\"]" },
    { "Enum[\"\\e\"]", "Enum['\\e']" },
    { "Pattern[/a\\/b/]", "Pattern[/a\\/b/]" },
    { "Pattern['a/b']", "Pattern[/a\\/b/]" },
    { "Pattern['a\nb']", "Pattern[/a\nb/]" },
    { "Pattern[/a/,/b/]", "Pattern[/a/, /b/]" },
    { "Pattern[Regexp[/a/], Pattern[/b/]]", "Pattern[/a/, /b/]" },
    { "Regexp[/a/]", "Regexp[/a/]" },
    { "Regexp", "Regexp" },
    { "Variant[Pattern[/a/],Pattern[/b/],Pattern[/a/]]", "Variant[Pattern[/a/], Pattern[/b/]]" },
    { "Variant[Pattern[/a/],Pattern]", "Variant[Pattern[/a/], Pattern]" },
    { "Variant[SemVer['1.x'],SemVer['2.x']]", "Variant[SemVer['1.x'], SemVer['2.x']]" },
    { "Variant[SemVer['1.x'],SemVer]", "Variant[SemVer['1.x'], SemVer]" },
    { "Variant[Enum['A','B',true],Enum['a','c',true]]",
      "Variant[Enum['A', 'B', true], Enum['a', 'c', true]]" },
    { "Variant[Enum['x',true],Enum['y']]", "Variant[Enum['x', true], Enum['y']]" },
    { "Variant[NotUndef[String],NotUndef[Integer]]",
      "Variant[NotUndef[String], NotUndef[Integer]]" },
    { "Variant[NotUndef,NotUndef[Integer]]", "Variant[NotUndef, NotUndef[Integer]]" },
    { "Variant[Integer[1,2],Integer[3,4]]", "Variant[Integer[1, 2], Integer[3, 4]]" },
    { "Variant[Integer[1,2],Integer[4,5]]", "Variant[Integer[1, 2], Integer[4, 5]]" },
    { "Variant[Integer[1,2],Integer[0,5]]", "Variant[Integer[1, 2], Integer[0, 5]]" },
    { "Variant[Integer[default,1],Integer[2,default]]", "Variant[Integer[default, 1], Integer[2]]" },
    { "Variant[Float[1,2],Float[2,3]]", "Variant[Float[1.0, 2.0], Float[2.0, 3.0]]" },
    { "Variant[Float[1,2],Float[2.5,3]]", "Variant[Float[1.0, 2.0], Float[2.5, 3.0]]" },
    { "Variant[Float[2,4],Float[1,3]]", "Variant[Float[2.0, 4.0], Float[1.0, 3.0]]" },
    { "Variant[Float[1,4],Float[2,3]]", "Variant[Float[1.0, 4.0], Float[2.0, 3.0]]" },
    { "Variant[Timespan[1,2],Timespan[2,3]]",
      "Variant[Timespan['0-00:00:01.0', '0-00:00:02.0'], Timespan['0-00:00:02.0', "
      "'0-00:00:03.0']]" },
    { "Variant[Timespan[1,2],Timespan[3,4]]",
      "Variant[Timespan['0-00:00:01.0', '0-00:00:02.0'], Timespan['0-00:00:03.0', "
      "'0-00:00:04.0']]" },
    { "Variant[Timespan[2,5],Timespan[1,3]]",
      "Variant[Timespan['0-00:00:02.0', '0-00:00:05.0'], Timespan['0-00:00:01.0', "
      "'0-00:00:03.0']]" },
    { "Variant[Timestamp['2020-01-01','2020-01-05'],Timestamp['2020-01-03','2020-01-09']]",
      "Variant[Timestamp['2020-01-01T00:00:00.000000000 UTC', '2020-01-05T00:00:00.000000000 "
      "UTC'], Timestamp['2020-01-03T00:00:00.000000000 UTC', '2020-01-09T00:00:00.000000000 "
      "UTC']]" },
    { "Variant[Optional[String],Optional[Integer]]",
      "Variant[Optional[String], Optional[Integer]]" },
    { "Variant[Undef,String]", "Variant[Undef, String]" },
    { "Variant[String,Any]", "Variant[String, Any]" },
    { "Variant[Integer]", "Integer" },
    { "Variant", "Variant" },
    { "Optional[Optional[Integer]]", "Optional[Optional[Integer]]" },
    { "Optional['a']", "Optional['a']" },
    { "Optional[NotUndef[Integer]]", "Optional[NotUndef[Integer]]" },
    { "NotUndef[Optional[Integer]]", "NotUndef[Optional[Integer]]" },
    { "NotUndef[NotUndef[String]]", "NotUndef[NotUndef[String]]" },
    { "Variant[String[1,2],String[2,3]]", "Variant[String[1, 2], String[2, 3]]" },
    { "Variant[Boolean[true],Boolean[false]]", "Variant[Boolean[true], Boolean[false]]" },
    { "Boolean[true]", "Boolean[true]" },
    { "Boolean[false]", "Boolean[false]" },
    { "Variant[String,Enum[a]]", "Variant[String, Enum['a']]" },
    { "Variant[Array[String],Array[String]]", "Array[String]" },
    { "Variant[Struct[{a=>String}],Struct[{a=>String}]]", "Struct[{'a' => String}]" },
    { "Variant[Struct[{a=>String}],Struct[{b=>String}]]",
      "Variant[Struct[{'a' => String}], Struct[{'b' => String}]]" },
    { "Variant[Struct[{Optional[a]=>String}],Struct[{a=>String}]]",
      "Variant[Struct[{Optional['a'] => String}], Struct[{'a' => String}]]" },
    { "Variant[URI['http://a'],URI['http://a']]", "URI[{'scheme' => 'http', 'host' => 'a'}]" },
    { "Variant[URI['http://a'],URI['http://b']]",
      "Variant[URI[{'scheme' => 'http', 'host' => 'a'}], URI[{'scheme' => 'http', 'host' => "
      "'b'}]]" },
    { "Variant[Timestamp['2020-01-01'],Timestamp['2020-01-01']]",
      "Timestamp['2020-01-01T00:00:00.000000000 UTC']" },
    { "Variant[Tuple[String],Tuple[String]]", "Tuple[String]" },
    { "Variant[Tuple[String,1,2],Tuple[String,1,3]]",
      "Variant[Tuple[String, 1, 2], Tuple[String, 1, 3]]" },
    { "Variant[Sensitive[String],Sensitive[String]]", "Sensitive[String]" },
    { "Variant[Type[String],Type[String]]", "Type[String]" },
    { "Variant[Callable,Callable]", "Callable" },
    { "Variant[Float[1],Float[1]]", "Float[1.0]" },
    { "Integer[default,default]", "Integer" },
    { "Integer[5]", "Integer[5]" },
    { "Float[1.5,default]", "Float[1.5]" },
    { "Float[default,1e3]", "Float[default, 1000.0]" },
    { "Array[String,1]", "Array[String, 1]" },
    { "Array[1]", "Array[Any, 1]" },
    { "Array[0]", "Array" },
    { "Array[default]", "Array" },
    { "Array[String,default,3]", "Array[String, 0, 3]" },
    { "Hash[String,Integer,1,2]", "Hash[String, Integer, 1, 2]" },
    { "Hash[1,2]", "Hash[Any, Any, 1, 2]" },
    { "Tuple", "Tuple" },
    { "Tuple[String,Integer]", "Tuple[String, Integer]" },
    { "Tuple[String,Integer,1]", "Tuple[String, Integer, 1]" },
    { "Tuple[String,Integer,1,default]", "Tuple[String, Integer, 1]" },
    { "Tuple[String,0,0]", "Tuple[String, 0, 0]" },
    { "Struct[{}]", "Struct" },
    { "Struct", "Struct" },
    { "Struct[{Optional[a]=>Integer,NotUndef[b]=>Any,'c d'=>String}]",
      "Struct[{Optional['a'] => Integer, NotUndef['b'] => Any, 'c d' => String}]" },
    { "Collection[1,2]", "Collection[1, 2]" },
    { "String[2]", "String[2]" },
    { "String[default]", "String[0]" },
    { "Timespan['1-00:00:00']", "Timespan['1-00:00:00.0']" },
    { "Timespan[default,1]", "Timespan[default, '0-00:00:01.0']" },
    { "SemVer['1.x','2.x']", "SemVer['1.x', '2.x']" },
    { "SemVer", "SemVer" },
    { "SemVerRange", "SemVerRange" },
    { "Scalar", "Scalar" },
    { "ScalarData", "ScalarData" },
    { "Data", "Data" },
    { "RichData", "RichData" },
    { "Numeric", "Numeric" },
    { "Iterable[String]", "Iterable[String]" },
    { "Iterator[Integer]", "Iterator[Integer]" },
    { "Runtime['ruby','X']", "Runtime['ruby', 'X']" },
    { "CatalogEntry", "CatalogEntry" },
    { "Resource", "Resource" },
    { "Resource['file']", "Resource['file']" },
    { "Class['x']", "Class['x']" },
    { "Type", "Type" },
    { "Type[Integer]", "Type[Integer]" },
    { "Init[Integer]", "Init[Integer]" },
    { "Default", "Default" },
    { "Undef", "Undef" },
    { "Object", "Object" },
    { "Sensitive", "Sensitive" },
    { "Binary", "Binary" },
    { "Any", "Any" },
    { "Error", "Error" },
    { "Deferred", "Deferred" },
};

static const struct {
    const char *type;
    size_t at;
    const char *why;
} refused[] = {
    { "URI['http://[::1/']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://[::1/''" },
    { "URI['http://h:8x/']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://h:8x/''" },
    { "URI['http://h%2g/']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://h%2g/''" },
    { "URI['http://h/%4']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://h/%4''" },
    { "URI['http://h/%4G']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://h/%4G''" },
    { "URI['http://[::1]x']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''http://[::1]x''" },
    { "URI['1a:b']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''1a:b''" },
    { "URI['a b']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''a b''" },
    { "URI['']", 4,
      "URI takes a URI, like 'https://example.com/', here, not ''''" },
    { "URI[':x']", 4,
      "URI takes a URI, like 'https://example.com/', here, not '':x''" },
    { "URI[{nope=>'x'}]", 5,
      "URI takes scheme, userinfo, host, port, path, query, fragment or opaque here, not 'nope'" },
    { "URI[{port => -1}]", 13,
      "URI takes a string, a pattern or a data type here, not '-1'" },
    { "URI[{port => 1.5}]", 13,
      "URI takes a string, a pattern or a data type here, not '1.5'" },
    { "URI[{path => /(/}]", 15,
      "bad pattern: a group is not closed: missing ')'" },
    { "URI[5]", 4,
      "URI takes a URI or its parts in braces here, not '5'" },
    { "URI[{1=>2}]", 5,
      "URI takes scheme, userinfo, host, port, path, query, fragment or opaque here, not '1'" },
    { "URI['http://h','x']", 0,
      "URI takes 1 parameter, not 2" },
    { "URI[{port => true}]", 13,
      "URI takes a string, a pattern or a data type here, not 'true'" },
    { "Enum[\"\\u{110000}\"]", 8,
      "\\u110000 is not a character" },
    { "Enum[\"\\ud800\"]", 8,
      "\\uD800 is not a character" },
    { "Enum[\"\\udfff\"]", 8,
      "\\uDFFF is not a character" },
    { "Enum[\"\\u0000\"]", 8,
      "\\u0 is not a character" },
    { "Enum[\"\\u12\"]", 8,
      "\\u needs four hexadecimal digits, or up to six in braces" },
    { "Enum[\"\\u{}\"]", 8,
      "\\u needs four hexadecimal digits, or up to six in braces" },
    { "Enum[\"\\u{1234567}\"]", 8,
      "\\u needs four hexadecimal digits, or up to six in braces" },
    { "Enum[\"\\u{41\"]", 8,
      "\\u needs four hexadecimal digits, or up to six in braces" },
    { "Enum[\"$x\"]", 6,
      "a data type cannot use variables; write \\$" },
    { "Enum[\"${x}\"]", 6,
      "a data type cannot use variables; write \\$" },
    { "Enum['a\\", 5,
      "the string that starts here is not closed" },
    { "Pattern[]", 8,
      "expected a parameter, found ']'" },
    { "Pattern[Pattern[/a/,/b/]]", 8,
      "Pattern takes a pattern, like /^[a-z]+$/, here, not 'Pattern[/a/,/b/]'" },
    { "Regexp[Regexp[/a/]]", 7,
      "Regexp takes a pattern, like /^[a-z]+$/, here, not 'Regexp[/a/]'" },
    { "Pattern[5]", 8,
      "Pattern takes a pattern, like /^[a-z]+$/, here, not '5'" },
    { "Pattern[/a", 8,
      "the pattern that starts here is not closed" },
    { "Variant[Enum[a],Enum[b],String['c']]", 31,
      "String takes a size here, not ''c''" },
    { "Variant[]", 8,
      "expected a parameter, found ']'" },
    { "Float[2,1]", 6,
      "Float has its lower bound '2' above its upper bound '1'" },
    { "Float['a']", 6,
      "Float takes a number or default here, not ''a''" },
    { "Hash[String]", 0,
      "Hash takes a type for its keys and another one for its values" },
    { "Tuple[]", 6,
      "expected a parameter, found ']'" },
    { "String['a']", 7,
      "String takes a size here, not ''a''" },
    { "Timestamp['nope']", 10,
      "Timestamp takes a point in time, like '2020-01-02 03:04:05', here, not ''nope''" },
    { "Timespan['x']", 9,
      "Timespan takes a time span, like '1-02:03:04' or seconds, here, not ''x''" },
    { "Timespan[2,1]", 9,
      "Timespan has its lower bound '2' above its upper bound '1'" },
    { "SemVer['']", 7,
      "SemVer takes a version range, like '>=1.2.0 <2.0.0' or '1.x', here, not ''''" },
    { "SemVer['>1 <']", 7,
      "SemVer takes a version range, like '>=1.2.0 <2.0.0' or '1.x', here, not ''>1 <''" },
    { "File", 0,
      "unknown data type 'File'" },
    { "Sensitive[]", 10,
      "expected a parameter, found ']'" },
    { "Target", 0,
      "unknown data type 'Target'" },
};
/* clang-format on */

static void
a_type_is_printed_so_that_it_can_be_read_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        rh_autobuf struct rh_buf once = { 0 }, twice = { 0 };

        rh_datatype_print(type(printed[i][0]), &once);
        assert_string_equal(rh_buf_text(&once), printed[i][1]);
        rh_datatype_print(type(printed[i][1]), &twice);
        assert_string_equal(rh_buf_text(&twice), printed[i][1]);
    }
}

static void
a_refusal_says_where_and_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        rh_autoerror struct rh_error err = { 0 };

        if (rh_datatype_parse(arena, NULL, refused[i].type, &err))
            fail_msg("%s is accepted", refused[i].type);
        assert_string_equal(err.message, refused[i].why);
        if (err.at != refused[i].at)
            fail_msg("%s: at %zu, not %zu", refused[i].type, err.at, refused[i].at);
    }
}

/* A complete type, with each thing that can't stand there put before, behind and between its tokens: it is
 * refused, with a place in it. */
static void
what_is_no_token_is_refused_wherever_it_stands(void **state)
{
    static const char *const whole[][12] = {
        { "Integer", "[", "1", ",", "2", "]" },
        { "Optional", "[", "String", "[", "1", "]", "]" },
        { "Enum", "[", "a", ",", "b", "]" },
        { "Array", "[", "String", ",", "1", ",", "5", "]" },
        { "Hash", "[", "String", ",", "Integer", "]" },
        { "Struct", "[", "{", "a", "=>", "String", "}", "]" },
        { "Tuple", "[", "String", ",", "Integer", "]" },
        { "Variant", "[", "String", ",", "Integer", "]" },
        { "Pattern", "[", "/a/", "]" },
        { "Float", "[", "1.5", ",", "2.5", "]" },
        { "Boolean", "[", "true", "]" },
        { "Timespan", "[", "1", ",", "2", "]" },
        { "Sensitive", "[", "String", "]" },
        { "Any" },
    };
    static const char *const bad[] = { "%",   "\001", "]",  ")",  "}",  "=>", "{",
                                       "\"a", "'a",   "/a", "1x", "--", "@",  "\xff" };

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
            for (size_t at = 0; at < 12; at++) {
                rh_autobuf struct rh_buf text = { 0 };
                rh_autoerror struct rh_error err = { 0 };

                for (size_t k = 0; k < 12 && (k == at || whole[i][k]); k++) {
                    if (k == at)
                        rh_buf_addf(&text, "%s ", bad[b]);
                    if (whole[i][k])
                        rh_buf_addf(&text, "%s ", whole[i][k]);
                }
                if (at && !whole[i][at - 1])
                    break;
                if (rh_datatype_parse(arena, NULL, rh_buf_text(&text), &err))
                    fail_msg("'%s' is accepted", rh_buf_text(&text));
                assert_non_null(err.message);
                assert_true(err.at <= text.n);
            }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_type_is_printed_so_that_it_can_be_read_again),
        ARENA_TEST(a_refusal_says_where_and_why),
        ARENA_TEST(what_is_no_token_is_refused_wherever_it_stands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
