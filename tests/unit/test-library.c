/* SPDX-License-Identifier: Apache-2.0 */
/* The library: each function by an example or two, which are those of docs/reference/expressions.md. */
#include "config.h"

#include "script-fixture.h"

#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "node/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Each line of the manual that says "expression --> value" is tried. */
static void
the_examples_of_the_manual_hold(void **state)
{
    static const char arrow[] = " --> ";
    struct script_fixture *f = *state;
    rh_autofree char *text = NULL;
    unsigned n = 0;

    text = rh_read_file(SRCDIR "/docs/reference/expressions.md", 0, NULL, NULL);
    assert_non_null(text);
    script_scope(f, "{\"each\": {\"key\": \"bob\", \"value\": {\"shell\": \"/bin/sh\"}}, "
                    "\"ports\": [443, 80, 80], \"web\": {\"port\": 80, \"host\": \"db1\"}}");
    script_files(f, "{\"motd\": \"Hello\\n\", \"hello.tmpl\": \"Hello {{ name }}\\n\", "
                    "\"db.password\": \"correct horse\\n\"}");
    assert_int_equal(setenv("RHOST_EXAMPLE", "here", 1), 0);
    for (char *line = text, *next; line; line = next) {
        char *at;

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        at = strstr(line, arrow);
        if (!at)
            continue;
        *at = '\0';
        n++;
        if (strcmp(script_json(f, line), at + strlen(arrow)) != 0)
            fail_msg("%s\n is %s\n not %s", line, script_json(f, line), at + strlen(arrow));
    }
    assert_true(n > 50);
}

static void
what_functions_can_not_take_is_said(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_error(f, "join({{}})"), "0: element 1 cannot be joined: it is a table");
    assert_string_equal(script_error(f, "to_number('x')"), "0: this text is not a number");
    assert_string_equal(script_error(f, "from_base64('a')"), "0: invalid base64: unexpected end");
    assert_string_equal(script_error(f, "from_json('{')"),
                        "0: this is invalid JSON: unexpected end of data at byte 1");
    assert_string_equal(script_error(f, "from_json('{\"a\": 1, \"b\": {\"a\": \":\"}, \"\\\\u0061\": 2}')"),
                        "0: this is invalid JSON: an object has a duplicate key");
    assert_string_equal(script_json(f, "from_json('[{\"a:\": \":\\\\\":\"}, {\"a:\": 1}]')"),
                        "[{\"a:\": \":\\\":\"}, {\"a:\": 1}]");
    assert_string_equal(script_error(f, "match('x', '(')"),
                        "14: bad pattern: a group is not closed: missing ')'");
    assert_string_equal(script_error(f, "map(1, 2)"), "0: argument 1 of 'map' must be a table, not a number");
    assert_string_equal(script_error(f, "{1, nil, 3}"),
                        "0: a list has gaps: its last position is 3, but it has 2 elements");
    assert_string_equal(script_error(f, "{1, a = 2}"),
                        "0: a table has both names and positions: it is neither a hash nor a list | "
                        "write a list in braces of its own: {\"run\", \"exec[x]\"}");
    assert_string_equal(script_error(f, "print"), "0: a function cannot be used as a value");
    assert_string_equal(script_error(f, "1 / 0"), "0: a number that is infinite cannot be used as a value");
    assert_string_equal(script_error(f, "string"), "0: this cannot be used as a value");
    assert_string_equal(script_error(f, "credential('../x')"),
                        "12: '../x' is not a valid name for a credential");
    assert_string_equal(script_error(f, "cidr_contains('10.0.0.0/40', '10.0.0.1')"),
                        "15: '10.0.0.0/40' is not a network: write ADDRESS/BITS");
}

/* The limits of each function, and what it does at them. */
static void
functions_keep_what_they_promise_at_their_limits(void **state)
{
    static const char *const cases[][2] = {
        { "split('a,b,', ',')", "[\"a\", \"b\", \"\"]" },
        { "split('', ',')", "[\"\"]" },
        { "split(' a  b ')", "[\"a\", \"b\"]" },
        { "split('')", "[]" },
        { "replace('aaa', 'aa', 'b')", "\"ba\"" },
        { "replace('abc', 'x', 'y')", "\"abc\"" },
        { "replace('a.b', '.', '%1')", "\"a%1b\"" },
        { "contains({1, 2}, 2)", "true" },
        { "contains({1, 2}, 3)", "false" },
        { "contains({}, 1)", "false" },
        { "contains('abc', 'bc')", "true" },
        { "contains('abc', '')", "true" },
        { "contains('', 'a')", "false" },
        { "starts_with('abc', 'abc')", "true" },
        { "starts_with('abc', 'abcd')", "false" },
        { "ends_with('abc', '')", "true" },
        { "ends_with('abc', 'bc')", "true" },
        { "ends_with('abc', 'ab')", "false" },
        { "range(1, 3)", "[1, 2, 3]" },
        { "range(3, 1)", "[]" },
        { "range(3, 1, -1)", "[3, 2, 1]" },
        { "range(1, 6, 2)", "[1, 3, 5]" },
        { "range(5, 5)", "[5]" },
        { "range(-9223372036854775807 - 1, -9223372036854775807)",
          "[-9223372036854775808, -9223372036854775807]" },
        { "list()", "[]" },
        { "first({})", "null" },
        { "first({}, 2)", "[]" },
        { "first({1, 2}, 0)", "[]" },
        { "first({1}, 9)", "[1]" },
        { "last({})", "null" },
        { "last({1, 2, 3}, 9)", "[1, 2, 3]" },
        { "slice({1, 2, 3}, 2)", "[2, 3]" },
        { "slice({1, 2, 3}, -2)", "[2, 3]" },
        { "slice({1, 2, 3}, -9, -3)", "[1]" },
        { "slice({1, 2, 3}, 1, -9)", "[]" },
        { "slice({1, 2, 3}, 3, 2)", "[]" },
        { "slice({1, 2, 3}, 2, 9)", "[2, 3]" },
        { "reverse({})", "[]" },
        { "flatten({list {}, {list {}}})", "[]" },
        { "flatten({1, {2, {3}}}, 0)", "[1, [2, [3]]]" },
        { "flatten({1, {2, {3}}}, math.mininteger)", "[1, 2, 3]" },
        { "flatten({{a = {1}}})", "[{\"a\": [1]}]" },
        { "zip({1, 2}, {})", "[]" },
        { "sum({})", "0" },
        { "sum({1.5, 1})", "2.5" },
        { "sum({9223372036854775806, 1})", "9223372036854775807" },
        { "pick({a = 1}, {})", "{}" },
        { "pick({a = 1}, {'b'})", "{}" },
        { "omit({a = 1}, {})", "{\"a\": 1}" },
        { "to_entries({})", "[]" },
        { "from_entries({{key = 1, value = 2}, {key = '1', value = 3}, {key = 'x'}})", "{\"1\": 3}" },
        { "indent('', 2)", "\"\"" },
        { "indent('a', 0)", "\"a\"" },
        { "indent('a\\n\\n', '> ')", "\"> a\\n\\n\"" },
        { "wrap('', 5)", "\"\"" },
        { "wrap('abcdefgh ij', 3)", "\"abcdefgh\\nij\"" },
        { "wrap('a  b\\n\\n c ', 80)", "\"a  b\\n\\n c\"" },
        { "wrap('\u00e4\u00e4 \u00e4', 4)", "\"\u00e4\u00e4 \u00e4\"" },
        { "basename('/')", "\"/\"" },
        { "basename('///')", "\"/\"" },
        { "basename('a/b//')", "\"b\"" },
        { "basename('')", "\"\"" },
        { "basename('.conf', '.conf')", "\".conf\"" },
        { "dirname('/')", "\"/\"" },
        { "dirname('/a')", "\"/\"" },
        { "dirname('//a//b//')", "\"//a\"" },
        { "dirname('a')", "\".\"" },
        { "dirname('')", "\".\"" },
        { "match_all('abc', 'x')", "[]" },
        { "match_all('\u00e4b', '')", "[\"\", \"\", \"\"]" },
        { "match_all('aXbX', '(?<c>.)X')[2].c", "\"b\"" },
        { "matches('a b.c\\n-', '\\\\A' .. regex_escape('a b.c\\n-') .. '\\\\z')", "true" },
        { "version_compare('1.0', '1.0')", "0" },
        { "version_compare('1.0-1', '1.0+b1-1')", "-1" },
        { "version_compare('1.0-1', '1.0')", "1" },
        { "version_compare('1.0', '1.0-0')", "0" },
        { "version_compare('1.001', '1.1')", "0" },
        { "version_compare('1.0a', '1.0')", "1" },
        { "version_compare('1.0~', '1.0')", "-1" },
        { "version_compare('1.0a', '1.0.')", "-1" },
        { "version_compare('', '~')", "1" },
        { "version_compare('0:1', '1')", "0" },
        { "version_compare('9', '1:1')", "-1" },
        { "version_compare('18446744073709551617', '18446744073709551616')", "1" },
        { "cidr_contains('0.0.0.0/0', '255.255.255.255')", "true" },
        { "cidr_contains('10.0.0.0/8', '::1')", "false" },
        { "cidr_host('10.0.0.0/32', 0)", "\"10.0.0.0\"" },
        { "cidr_host('10.0.0.0/24', -256)", "\"10.0.0.0\"" },
        { "cidr_host('10.0.0.0/24', -1)", "\"10.0.0.255\"" },
        { "cidr_host('0.0.0.0/0', 4294967295)", "\"255.255.255.255\"" },
        { "cidr_host('::/0', -1)", "\"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\"" },
        { "cidr_host('fd00::1/64', 1)", "\"fd00::1\"" },
        { "cidr_subnet('10.0.0.0/24', 0, 0)", "\"10.0.0.0/24\"" },
        { "cidr_subnet('10.0.0.0/24', 8, 255)", "\"10.0.0.255/32\"" },
        { "cidr_subnet('fd00::/48', 16, 65535)", "\"fd00:0:0:ffff::/64\"" },
        { "cidr_netmask('fd00::/64')", "\"ffff:ffff:ffff:ffff::\"" },
        { "cidr_netmask('10.0.0.0/0')", "\"0.0.0.0\"" },
        { "cidr_last('10.0.0.0/30')", "\"10.0.0.3\"" },
        { "ip_version(4)", "null" },
        { "ip_version('10.0.0.1\\0')", "null" },
        { "parse_size('0')", "0" },
        { "parse_size(' 1kb ')", "1000" },
        { "parse_size('1.5')", "2" },
        { "format_size(0)", "\"0 B\"" },
        { "format_size(1023)", "\"1023 B\"" },
        { "format_size(1024)", "\"1.0 KiB\"" },
        { "format_size(1048575)", "\"1.0 MiB\"" },
        { "parse_duration('90')", "90" },
        { "parse_duration('1m30s')", "90" },
        { "parse_duration('1.5h')", "5400" },
        { "parse_duration('250ms')", "0.25" },
        { "format_duration(0)", "\"0s\"" },
        { "format_duration(90061)", "\"1d 1h 1min 1s\"" },
        { "yaml('a: b')", "\"\\\"a: b\\\"\\n\"" },
        { "yaml({})", "\"{}\\n\"" },
        { "from_yaml('')", "null" },
        { "from_yaml(yaml({a = {1, {b = 'x\\ny', c = 'no'}}}))",
          "{\"a\": [1, {\"b\": \"x\\ny\", \"c\": \"no\"}]}" },
        { "ini({})", "\"\"" },
        { "ini({a = {1, 'x', true}})", "\"a = 1\\na = x\\na = true\\n\"" },
        { "from_ini('')", "{}" },
        { "from_ini(' a = b = c \\r\\n\\n; no\\n# no\\n[ s ]\\nk=\\n[t]\\n[s]\\nk = \"x\" ; y')",
          "{\"a\": \"b = c\", \"s\": {\"k\": [\"\", \"\\\"x\\\" ; y\"]}, \"t\": {}}" },
        { "from_ini(ini({a = {'1', 'x', 'y'}, s = {b = 'c'}}))",
          "{\"a\": [\"1\", \"x\", \"y\"], \"s\": {\"b\": \"c\"}}" },
        { "toml({})", "\"\"" },
        { "from_toml(toml({z = {{b = 1}, {c = {1.5}}}, d = 'x\\ny'}))",
          "{\"d\": \"x\\ny\", \"z\": [{\"b\": 1}, {\"c\": [1.5]}]}" },
        { "md5('')", "\"d41d8cd98f00b204e9800998ecf8427e\"" },
        { "sha1(('a'):rep(1000000))", "\"34aa973cd4c4daa4f61eeb2bdbad27316534016f\"" },
        { "sha384('')",
          "\"38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f1"
          "4898b95b\"" },
        { "sha512(('a'):rep(1000000))",
          "\"e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31b"
          "eb009c5c2c49aa2e4eadb217ad8cc09b\"" },
        { "uuid5('url', 'http://www.example.com/')", "\"fcde3c85-2270-590f-9e7c-ee003d65e0e2\"" },
        { "uuid5('6BA7B810-9dad-11d1-80b4-00c04fd430c8', '') == uuid5('dns', '')", "true" },
        { "list {}", "[]" },
        { "list {1}", "[1]" },
        { "int(2.9)", "2" },
        { "int(-2.9)", "-2" },
        { "int('7')", "7" },
        { "int(9007199254740992.0)", "9007199254740992" },
        { "to_number('0x10')", "16" },
        { "to_number(' 5 ')", "5" },
        { "to_string(true)", "\"true\"" },
        { "trim(' a b ')", "\"a b\"" },
        { "trim('  ')", "\"\"" },
        { "shell_quote('')", "\"''\"" },
        { "shell_quote('a-b_c./:@%+=,')", "\"a-b_c./:@%+=,\"" },
        { "shell_quote('a b')", "\"'a b'\"" },
        { "sort({3, 1, 2})", "[1, 2, 3]" },
        { "merge({a = 1}, {b = 2}, {a = 3})", "{\"a\": 3, \"b\": 2}" },
        { "keys({b = 1, a = 2})", "[\"a\", \"b\"]" },
        { "join({1, 'a', true}, '-')", "\"1-a-true\"" },
        { "hex('\\0\\255a')", "\"00ff61\"" },
        { "env('RHOST_NO_SUCH_VARIABLE')", "null" },
        { "env('RHOST_NO_SUCH_VARIABLE', 'x')", "\"x\"" },
        { "cidr_contains('10.0.0.0/8', '10.255.255.255')", "true" },
        { "cidr_contains('10.0.0.0/8', '11.0.0.0')", "false" },
        { "cidr_contains('10.0.0.1/32', '10.0.0.1')", "true" },
        { "cidr_contains('10.0.0.1/32', '10.0.0.2')", "false" },
        { "cidr_contains('0.0.0.0/0', '255.255.255.255')", "true" },
        { "cidr_contains('2001:db8::/33', '2001:db8:7fff::1')", "true" },
        { "cidr_contains('2001:db8::/33', '2001:db8:8000::1')", "false" },
        { "cidr_contains('10.0.0.0/8', '::1')", "false" },
    };
    struct script_fixture *f = *state;

    assert_int_equal(unsetenv("RHOST_NO_SUCH_VARIABLE"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(script_json(f, cases[i][0]), cases[i][1]) != 0)
            fail_msg("%s\n is  %s\n not %s", cases[i][0], script_json(f, cases[i][0]), cases[i][1]);
}

static void
each_function_says_what_it_can_not_take(void **state)
{
    static const char *const cases[][2] = {
        { "split('a', '')", "the separator of 'split' must not be empty" },
        { "replace('a', '', 'b')", "the text that 'replace' searches for must not be empty" },
        { "match('\\255', 'a')", "a regular expression can only be used on UTF-8 text" },
        { "match('a', '\\255')", "a regular expression must be UTF-8" },
        { "regex_replace('a', 'b', true)", "argument 3 of 'regex_replace' must be a table, not a boolean" },
        { "shell_quote('a\\0b')", "a word of a command must not contain a NUL character" },
        { "to_string({})", "argument 1 of 'to_string' must be a text, number or boolean, not a table" },
        { "int(1e300)", "this number is too large for an integer" },
        { "int(9223372036854775808.0)", "this number is too large for an integer" },
        { "to_number('1x')", "this text is not a number" },
        { "to_number('1\\0')", "this text is not a number" },
        { "range(1, 2, 0)", "the step of 'range' must not be 0" },
        { "first({1}, -1)", "the number of elements must not be negative" },
        { "slice({1}, 0)", "positions of a list start with 1, or with -1 from its end" },
        { "flatten((function() local t = {} t[1] = t return t end)())",
          "tables are nested too deeply or contain themselves" },
        { "zip({1}, 2)", "argument 2 of 'zip' must be a table, not a number" },
        { "zip({1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}, {1})",
          "'zip' takes at most 16 lists" },
        { "sum({'1'})", "element 1 cannot be added: it is a string" },
        { "sum({9223372036854775807, 1})", "the sum is too large for an integer" },
        { "pick({1}, {1})", "argument 1 must be a hash, not a list" },
        { "from_entries({1})", "element 1 is a number, not a hash with 'key' and 'value'" },
        { "from_entries({{value = 1}})",
          "element 1 has a nil as its key: it must be text, a number or a boolean" },
        { "indent('a', -1)", "an indentation has 0 to 10000 blanks" },
        { "wrap('a', 0)", "the width of 'wrap' must be 1 to 10000" },
        { "version_compare('1\\0', '1')", "a version must not contain a NUL character" },
        { "cidr_host('10.0.0.0/24', 256)", "the network '10.0.0.0/24' has no address with the number 256" },
        { "cidr_host('10.0.0.0/24', -257)", "the network '10.0.0.0/24' has no address with the number -257" },
        { "cidr_subnet('10.0.0.0/24', 9, 0)", "the network '10.0.0.0/24' cannot have 9 more bits" },
        { "cidr_subnet('10.0.0.0/24', 8, 256)", "the network '10.0.0.0/24' has no part with the number 256" },
        { "cidr_subnet('10.0.0.0/24', 0, 1)", "the network '10.0.0.0/24' has no part with the number 1" },
        { "cidr_bits('10.0.0.0')", "'10.0.0.0' is not a network: write ADDRESS/BITS" },
        { "cidr_bits('10.0.0.0/')", "'10.0.0.0/' is not a network: write ADDRESS/BITS" },
        { "parse_size('1 x')", "'1 x' is not a size: write for example \"10 MiB\", \"1.5G\" or \"500 MB\"" },
        { "parse_size('-1')", "'-1' is not a size: write for example \"10 MiB\", \"1.5G\" or \"500 MB\"" },
        { "parse_size('9999999P')",
          "'9999999P' is not a size: write for example \"10 MiB\", \"1.5G\" or \"500 MB\"" },
        { "parse_duration('1 month')",
          "'1 month' is not a duration: write for example \"90\", \"1h 30min\" or \"2 days\"" },
        { "parse_duration(string.rep('1s', 101))",
          "the text of a duration or size has more than 200 characters" },
        { "parse_duration('1h 30')",
          "'1h 30' is not a duration: write for example \"90\", \"1h 30min\" or \"2 days\"" },
        { "parse_duration('')",
          "'' is not a duration: write for example \"90\", \"1h 30min\" or \"2 days\"" },
        { "format_size(-1)", "a size must be 0 bytes or more, and less than 10^18" },
        { "format_duration(1e15)", "a duration must be 0 seconds or more, and less than 10^15" },
        { "from_ini('[a')", "this is not an INI file: line 1: expected '[NAME]'" },
        { "from_ini('[]')", "this is not an INI file: line 1: expected '[NAME]'" },
        { "from_ini('\\nx')", "this is not an INI file: line 2: expected '[NAME]' or 'KEY = VALUE'" },
        { "from_ini('=1')", "this is not an INI file: line 1: expected '[NAME]' or 'KEY = VALUE'" },
        { "from_ini('a=1\\n[a]')", "this is not an INI file: line 2: 'a' is a setting and a section" },
        { "from_ini('a=1\\na=2\\n[a]')", "this is not an INI file: line 3: 'a' is a setting and a section" },
        { "from_ini('\\255')", "'from_ini' takes UTF-8 text without NUL characters" },
        { "from_toml('a = 1\\na = 2')", "this is not TOML: line 2: duplicate key 'a'" },
        { "toml({1})", "argument 1 must be a hash, not a list" },
        { "toml({a = from_json('[null]')})",
          "this cannot be written as TOML: 'a': a list of TOML cannot have an element that is null" },
        { "uuid5('x', 'y')", "the namespace of 'uuid5' must be a UUID, 'dns', 'url', 'oid' or 'x500'" },
        { "uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430cg', 'y')",
          "the namespace of 'uuid5' must be a UUID, 'dns', 'url', 'oid' or 'x500'" },
        { "from_yaml('a: [')", "this is not YAML: line 2: missing value" },
        { "from_yaml('a: 1\\na: 2')", "this is not YAML: line 2: duplicate key 'a'" },
        { "ini({['a=b'] = 1})", "'a=b' cannot be the name of a key or a section of an INI file" },
        { "ini({a = 'x\\ny'})", "the value of 'a' has several lines, which an INI file cannot have" },
        { "ini({a = {b = {c = 1}}})",
          "the value of 'b' must be text, a number, a boolean, or a list of them" },
        { "ini({1})", "argument 1 must be a hash, not a list" },
        { "range(1, 1000001)", "'range' returns at most 1000000 numbers" },
        { "list('a')", "argument 1 of 'list' must be a table of your own, not a string" },
        { "merge({a = 1}, {1})", "'merge' takes hashes, but argument 2 is a list" },
        { "env('')", "'' is not a valid name for an environment variable" },
        { "env('a=b')", "'a=b' is not a valid name for an environment variable" },
        { "secret_env('RHOST_NO_SUCH_VARIABLE')",
          "environment variable 'RHOST_NO_SUCH_VARIABLE' is not set" },
        { "file('')", "the path of a file is empty" },
        { "string.format('%p', {})", "'format' does not support '%p'" },
        { "('a')[1]", "a text cannot be indexed" },
        { "('a').b", "unknown attribute 'b' of a text" },
        { "cidr_contains('10.0.0.0/8', 'x')", "'x' is not an IP address" },
        { "from_base64('a*bc')", "invalid base64: unexpected character at byte 2" },
        { "{[true] = 1}", "a key of a table must be text or a position starting at 1" },
        { "{['\\255'] = 1}", "a key is not UTF-8 or contains a NUL character" },
        { "(function() local t = {} t[1] = t return t end)()",
          "tables are nested too deeply or contain themselves" },
        { "json((function() local t = {} t.t = t return t end)())",
          "tables are nested too deeply or contain themselves" },
        { "secret((function() local t = {} t.t = t return t end)())",
          "failed; the message is not shown because it can contain a secret" },
        { "filter({1}, 2)", "argument 2 of 'filter' must be a function, not a number" },
    };
    struct script_fixture *f = *state;

    assert_int_equal(unsetenv("RHOST_NO_SUCH_VARIABLE"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = script_error(f, cases[i][0]), *message = strstr(said, ": ");
        size_t n = strlen(cases[i][1]);

        if (!message || strncmp(message + 2, cases[i][1], n) != 0
            || (message[2 + n] && strncmp(message + 2 + n, " | ", 3) != 0))
            fail_msg("%s\n says %s\n not  %s", cases[i][0], said, cases[i][1]);
    }
}

static void
equal_elements_are_one(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"a\": {\"x\": [1]}, \"b\": {\"x\": [2]}}");
    assert_string_equal(script_json(f, "unique({a, b, a, a.x, b.x, a.x, 1, '1', 1, '1'})"),
                        "[{\"x\": [1]}, {\"x\": [2]}, [1], [2], 1, \"1\"]");
    assert_string_equal(script_json(f, "unique({a, b, b, 3})"), "[{\"x\": [1]}, {\"x\": [2]}, 3]");
    assert_string_equal(script_json(f, "unique({true, false, true, false})"), "[true, false]");
    assert_string_equal(script_json(f, "unique({})"), "[]");
}

static void
going_through_is_in_order(void **state)
{
    struct script_fixture *f = *state;

    script_scope(f, "{\"h\": {\"z\": 1, \"a\": 2}, \"l\": [5, 6]}");
    assert_string_equal(
        script_json(f, "(function() local r = '' for k, v in pairs({z = 1, a = 2, B = 3, 7, [-1] = 8, "
                       "[2.5] = 9, [true] = 1}) do r = r .. tostring(k) .. '=' .. v .. ' ' end return "
                       "r end)()"),
        "\"-1=8 1=7 2.5=9 B=3 a=2 z=1 true=1 \"");
    assert_string_equal(script_json(f, "(function() local r = '' for k, v in pairs(h) do r = r .. k .. v end "
                                       "for i, v in ipairs(l) do r = r .. i .. v end return r end)()"),
                        "\"z1a21526\"");
    assert_string_equal(script_json(f, "table.concat(l, '-') .. select('#', table.unpack(l))"), "\"5-62\"");
    assert_string_equal(script_json(f, "(function() local t = {a = 1, b = 2, c = 3} local n = 0 "
                                       "for k in pairs(t) do t[k] = nil n = n + 1 end return n end)()"),
                        "3");
}

static void
marks_follow_an_expression(void **state)
{
    struct script_fixture *f = *state;
    struct rh_value *secret = rh_value_string(f->arena, "correct horse");
    struct rh_value *scope = rh_value_hash(f->arena, 3), *db = rh_value_hash(f->arena, 2);

    secret->marks |= RH_SENSITIVE;
    rh_value_put(db, "password", secret);
    rh_value_put(db, "user", rh_value_string(f->arena, "app"));
    rh_value_put(scope, "db", db);
    rh_value_put(scope, "later", rh_value_new(f->arena, RH_UNKNOWN));
    f->scope = scope;
    assert_string_equal(script_json(f, "#db.password"), "\"[redacted]\"");
    assert_string_equal(script_json(f, "db.user"), "\"app\"");
    assert_string_equal(script_json(f, "db"), "{\"password\": \"[redacted]\", \"user\": \"app\"}");
    assert_string_equal(script_json(f, "json(db)"), "\"[redacted]\"");
    assert_string_equal(script_json(f, "{db.password}"), "\"[redacted]\"");
    assert_string_equal(script_error(f, "error(db.password:sub(1, 5))"),
                        "0: failed; the message is not shown because it can contain a secret");
    assert_string_equal(script_error(f, "db.password.x.y"), "12: unknown attribute 'x' of a text");
    assert_string_equal(script_json(f, "later"), "unknown");
    assert_string_equal(script_json(f, "pcall(function() return later end) and 1"), "unknown");
    assert_string_equal(script_json(f, "{a = db, b = 1}"),
                        "{\"a\": {\"password\": \"[redacted]\", \"user\": \"app\"}, \"b\": 1}");
}

static void
marks_follow_texts_in_a_recipe(void **state)
{
    struct script_fixture *f = *state;
    struct rh_value *secret = rh_value_string(f->arena, "correct horse battery"),
                    *pin = rh_value_string(f->arena, "xyz");
    struct rh_value *scope = rh_value_hash(f->arena, 4), *pins = rh_value_new(f->arena, RH_ARRAY);

    secret->marks |= RH_SENSITIVE;
    pin->marks |= RH_SENSITIVE;
    rh_value_put(scope, "password", secret);
    rh_value_put(scope, "pin", pin);
    rh_value_append(pins, pin);
    rh_value_append(pins, rh_value_string(f->arena, "abc"));
    pins->marks |= RH_SENSITIVE;
    rh_value_put(scope, "pins", pins);
    rh_value_put(scope, "later", rh_value_new(f->arena, RH_UNKNOWN));
    f->scope = scope;
    assert_string_equal(script_run(f, "result {join(given.pins, ','), 'x'}"), "[\"[redacted]\", \"x\"]");
    assert_string_equal(script_run(f, "local p = given.password\n"
                                      "result {a = 'x' .. p, b = 'plain', c = upper(p), d = p:sub(3, 9), "
                                      "e = base64(p), f = render('{{ p }}', {p = p}), g = given.pin, "
                                      "h = given.pin:rep(2), i = #p, j = ('-'):rep(3)}"),
                        "{\"a\": \"[redacted]\", \"b\": \"plain\", \"c\": \"[redacted]\", "
                        "\"d\": \"[redacted]\", \"e\": \"[redacted]\", \"f\": \"[redacted]\", "
                        "\"g\": \"[redacted]\", \"h\": \"[redacted]\", \"i\": 21, \"j\": \"---\"}");
    assert_string_equal(script_run(f, "\nerror('no: ' .. given.password)"), "2: no: [redacted]");
    assert_string_equal(script_run(f, "print(given.password, given.pin, 'x') result(1)"), "1");
    assert_string_equal(rh_buf_text(&f->printed), "[redacted]\t[redacted]\tx\n");
    assert_string_equal(script_run(f, "result(given.later)"),
                        "1: this value is not known before the run, so a recipe cannot use it");
}

static void
the_actual_state_can_be_asked_for(void **state)
{
    struct script_fixture *f = *state;

    assert_string_equal(script_json(f, "current('file', '/etc/motd').content"), "\"/etc/motd\"");
    assert_string_equal(script_json(f, "current('file[/etc/motd]').content"), "\"/etc/motd\"");
    assert_string_equal(
        script_error(f, "current('file')"),
        "0: expected a reference to a resource | write the type and the title: \"exec[generate key]\"");
    assert_string_equal(script_json(f, "current('file', 'absent')"), "null");
    assert_string_equal(script_json(f, "current('file', 'unknown').content == 'x'"), "unknown");
    assert_string_equal(script_error(f, "current('file', 'broken')"), "9: provider 'file' crashed");
}

static void
credentials_are_secrets(void **state)
{
    struct script_fixture *f = *state;
    char folder[] = "/tmp/rhost-test-XXXXXX", path[64];

    assert_string_equal(script_error(f, "credential('db')"),
                        "0: cannot read a credential: $CREDENTIALS_DIRECTORY is not set | "
                        "LoadCredential= in the unit, or systemd-run --property, sets it");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/db", folder);
    assert_int_equal(rh_replace_file(path, "hunter22\n", 9, 0600, NULL), 0);
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", folder, 1), 0);
    assert_string_equal(script_json(f, "credential('db')"), "\"[redacted]\"");
    assert_string_equal(script_run(f, "local c = credential('db') result {#c, c == 'hunter22', c, 'x'}"),
                        "[8, true, \"[redacted]\", \"x\"]");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    script_files(f, "{\"db.cred\": \"open sesame\"}");
    assert_string_equal(script_json(f, "decrypt('db.cred')"), "\"[redacted]\"");
    assert_string_equal(script_run(f, "local c = decrypt('db.cred') "
                                      "result {c:len(), c:find('sesame'), 'open sesame', split(c, ' ')}"),
                        "[11, 6, \"[redacted]\", [\"[redacted]\", \"[redacted]\"]]");
}

static void
the_node_is_read(void **state)
{
    static const char table[] =
        "{\"web\": {\"port\": 80, \"names\": [\"a\", \"b\"]}, \"os\": {\"family\": \"debian\"}}";
    struct script_fixture *f = *state;

    rh_node_merge(f->node, RH_LEVEL_DEFAULT, rh_value_from_json(f->arena, table, sizeof table - 1, NULL),
                  (struct rh_place){ 0 });
    assert_string_equal(script_json(f, "node.web.port + 1"), "81");
    assert_string_equal(script_json(f, "node.web.names[2] .. #node.web.names"), "\"b2\"");
    assert_string_equal(script_json(f, "join(sort(keys(node)), ' ')"), "\"os web\"");
    assert_string_equal(script_json(f, "node.nothing or 5"), "5");
    assert_string_equal(script_json(f, "node.os.family == 'debian' and node.web == node.web"), "true");
    assert_string_equal(script_json(f, "type(node)"), "\"table\"");
    assert_string_equal(script_error(f, "node.wbe.port"),
                        "5: unknown attribute 'wbe': node.wbe does not exist | did you mean 'web'?");
    assert_string_equal(script_error(f, "node.web.prot .. 'x'"),
                        "9: unknown attribute 'prot': node.web.prot does not exist | did you mean 'port'?");
    assert_string_equal(script_error(f, "(function() node.web.port = 1 end)()"),
                        "12: 'node.web' is a merged value and cannot be written | "
                        "write to a level: node.default, node.override, or node:rm()");
    assert_string_equal(script_rendered(f, "{{ node.web.port }}"), "80");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(the_examples_of_the_manual_hold),
        SCRIPT_TEST(what_functions_can_not_take_is_said),
        SCRIPT_TEST(equal_elements_are_one),
        SCRIPT_TEST(going_through_is_in_order),
        SCRIPT_TEST(marks_follow_an_expression),
        SCRIPT_TEST(marks_follow_texts_in_a_recipe),
        SCRIPT_TEST(the_actual_state_can_be_asked_for),
        SCRIPT_TEST(credentials_are_secrets),
        SCRIPT_TEST(the_node_is_read),
        SCRIPT_TEST(functions_keep_what_they_promise_at_their_limits),
        SCRIPT_TEST(each_function_says_what_it_can_not_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
