/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the library for collections, seeds, times, patterns and passwords. */
#include "config.h"

#include "script-fixture.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct example {
    const char *expression, *value;
};

static void
assert_values(struct script_fixture *f, const struct example *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(script_json(f, e[i].expression), e[i].value) != 0)
            fail_msg("%s\n is  %s\n not %s", e[i].expression, script_json(f, e[i].expression), e[i].value);
}

static void
sets_seeds_and_times_keep_what_they_promise(void **state)
{
    static const struct example examples[] = {
        { "union({})", "[]" },
        { "union({1}, list {}, {1, 2}, {})", "[1, 2]" },
        { "union({1, '1', 1.0, true, false, true})", "[1, \"1\", true, false]" },
        { "union({{a = 1, b = {2}}}, {{b = {2}, a = 1}, {a = 1}})", "[{\"a\": 1, \"b\": [2]}, {\"a\": 1}]" },
        { "#union(rows, rows)", "3" },
        { "union(rows, rows)[2].x", "2" },
        { "union(holes)", "[1, 2]" },
        { "intersection({3, 2, 1, 2}, {1, 2}, {2, 1, 5})", "[2, 1]" },
        { "intersection({1}, {})", "[]" },
        { "intersection({2, 2})", "[2]" },
        { "intersection(holes, holes)", "[1, 2]" },
        { "intersection({{x = 1, y = 'b'}, 5}, rows)", "[{\"x\": 1, \"y\": \"b\"}]" },
        { "difference({3, 2, 3, 1}, {1}, {2})", "[3]" },
        { "difference(rows, {{y = 'a', x = 2}})", "[{\"x\": 1, \"y\": \"b\"}, {\"x\": 1, \"y\": \"a\"}]" },
        { "difference({1}, {1})", "[]" },
        { "unique({{1}, {1}, {2}})", "[[1], [2]]" },
        { "group_by({}, 'x')", "{}" },
        { "group_by({1, 2, 3}, function(v) return v % 2 == 0 end)", "{\"false\": [1, 3], \"true\": [2]}" },
        { "map(group_by(rows, 'x'), function(v) return #v end)", "{\"1\": 2, \"2\": 1}" },
        { "group_by({'a', 'b'}, function(v, i) return i end)", "{\"1\": [\"a\"], \"2\": [\"b\"]}" },
        { "sort_by({}, 'x')", "[]" },
        { "map(sort_by(rows, 'x'), function(r) return r.x .. r.y end)", "[\"1b\", \"1a\", \"2a\"]" },
        { "map(sort_by(rows, 'y'), function(r) return r.x .. r.y end)", "[\"2a\", \"1a\", \"1b\"]" },
        { "sort_by({1, 2, 3}, function(v) return -v end)", "[3, 2, 1]" },
        { "seeded_random('', 0, 9)", "8" },
        { "seeded_random('web1', 1, 6)", "5" },
        { "seeded_random('backup', -9223372036854775807 - 1, 9223372036854775807)", "-266676661021185747" },
        { "seeded_random('web1', -5, 9223372036854775807)", "4224297401906507105" },
        { "seeded_random('x', 7, 7)", "7" },
        { "seeded_shuffle('backup', range(1, 10))", "[4, 5, 3, 10, 7, 9, 6, 1, 8, 2]" },
        { "seeded_shuffle('backup', {})", "[]" },
        { "seeded_pick('backup', {'a', 'b', 'c'})", "\"c\"" },
        { "format_time(0)", "\"1970-01-01T00:00:00+0000\"" },
        { "format_time(1763878567, '%a %A %b %B %d %e %F %G %H %I %j %M %m %p %R %S %s %T %u %V %w %Y %y %z "
          "%%')",
          "\"Sun Sunday Nov November 23 23 2025-11-23 2025 06 06 327 16 11 AM 06:16 07 1763878567 06:16:07 7 "
          "47 0 "
          "2025 25 +0000 %\"" },
        { "format_time(1735516800, '%G-W%V-%u %I%p')", "\"2025-W01-1 12AM\"" },
        { "format_time(1735516800 + 43200, '%I %p', -1800)", "\"11 AM\"" },
        { "format_time(-62135596800, '%F')", "\"0001-01-01\"" },
        { "format_time(253402300799, '%F %T')", "\"9999-12-31 23:59:59\"" },
        { "format_time(0, '%F %R %z %s', -12600)", "\"1969-12-31 20:30 -0330 0\"" },
        { "format_time(0, '')", "\"\"" },
    };
    struct script_fixture *f = *state;

    script_scope(f,
                 "{\"rows\": [{\"x\": 1, \"y\": \"b\"}, {\"y\": \"a\", \"x\": 2}, {\"x\": 1, \"y\": \"a\"}], "
                 "\"holes\": [1, null, 2, null, 1]}");
    assert_values(f, examples, sizeof examples / sizeof *examples);
}

/* Half of what is drawn is left out here: 2^63 + 1 numbers. The values are those of Python. */
static void
what_would_be_likelier_is_drawn_again(void **state)
{
    static const struct example examples[] = {
        { "seeded_random('s0', -1, 9223372036854775807)", "3525436408206967753" },
        { "seeded_random('s1', -1, 9223372036854775807)", "6858118498931540580" },
        { "seeded_random('s2', -1, 9223372036854775807)", "8533875429266105956" },
        { "seeded_random('s3', -1, 9223372036854775807)", "5468076275946027056" },
        { "seeded_random('s4', -1, 9223372036854775807)", "7705887866063928645" },
        { "seeded_random('s5', -1, 9223372036854775807)", "1809486670879310832" },
        { "seeded_random('s6', -1, 9223372036854775807)", "4116824028322475261" },
        { "seeded_random('s7', -1, 9223372036854775807)", "459631182812336307" },
    };

    assert_values(*state, examples, sizeof examples / sizeof *examples);
}

static void
patterns_of_the_shell_match_as_in_a_shell(void **state)
{
    static const struct example examples[] = {
        { "glob_matches('', '')", "true" },
        { "glob_matches('', '*')", "true" },
        { "glob_matches('', '?')", "false" },
        { "glob_matches('a', '')", "false" },
        { "glob_matches('abc', 'a*c')", "true" },
        { "glob_matches('abc', 'a*b')", "false" },
        { "glob_matches('abcbd', '*b?')", "true" },
        { "glob_matches('aab', 'a*ab')", "true" },
        { "glob_matches('mississippi', '*iss*ip*')", "true" },
        { "glob_matches('mississippi', '*iss*ix*')", "false" },
        { "glob_matches('ä', '?')", "true" },
        { "glob_matches('ä', '?' .. '?')", "false" },
        { "glob_matches('äöü', '*ü')", "true" },
        { "glob_matches('ö', '[ä-ü]')", "true" },
        { "glob_matches('€𝄞', '[€][!€]')", "true" },
        { "glob_matches('b', '[!a]')", "true" },
        { "glob_matches('a', '[^a]')", "false" },
        { "glob_matches(']', '[]]')", "true" },
        { "glob_matches('a', '[!]]')", "true" },
        { "glob_matches('-', '[a-]')", "true" },
        { "glob_matches('b', '[a-]')", "false" },
        { "glob_matches('\\\\', [[\\\\]])", "true" },
        { "glob_matches('*', [[\\*]])", "true" },
        { "glob_matches('x', [[\\*]])", "false" },
        { "glob_matches(']', [=[[a\\]]]=])", "true" },
        { "glob_matches('7', '[[:digit:]]')", "true" },
        { "glob_matches('F7', '[[:upper:]][[:alnum:]]')", "true" },
        { "glob_matches('x.', '[[:lower:]_][[:punct:]]')", "true" },
        { "glob_matches('G', '[[:xdigit:]]')", "false" },
        { "glob_matches(' \\t', '[[:blank:]][[:space:]]')", "true" },
        { "glob_matches('é', '[[:alpha:]]')", "false" },
        { "glob_matches('a/b/.c', '*')", "true" },
        { "glob_matches('A', 'a')", "false" },
    };

    assert_values(*state, examples, sizeof examples / sizeof *examples);
}

/* A text of n bytes and a pattern of m: at most n * m steps, where matching by trying each `*` would take
 * 2^m. */
static void
patterns_of_the_shell_take_their_length_and_no_more(void **state)
{
    struct script_fixture *f = *state;

    f->limits.instructions = 2000000;
    script_reopen(f);
    assert_string_equal(script_json(f, "glob_matches(('a'):rep(10000), ('*a'):rep(50) .. 'b')"), "false");
    assert_string_equal(script_error(f, "glob_matches(('a'):rep(100000), '*' .. ('a'):rep(1000) .. 'b')"),
                        "0: takes too many steps: more than 2000000");
    assert_string_equal(script_error(f, "glob_matches(('b'):rep(100000), '*[' .. ('a'):rep(10000) .. ']')"),
                        "0: takes too many steps: more than 2000000");
}

static void
password_hashes_are_those_of_crypt(void **state)
{
    static const struct example examples[] = {
        { "password_hash('correct horse', {method = 'sha512', salt = 'abcdefgh'})",
          "\"$6$abcdefgh$yIZAF3gQPvtKZO/9qOJKffAKKbtS3ef3qmwyugk4uWVjX8YZf/"
          "GV3A8SkFxEPY0T56CcilGrHKLffBsp6dLMG.\"" },
        { "password_hash('correct horse', {method = 'sha512', salt = 'abcdefgh', rounds = 1000})",
          "\"$6$rounds=1000$abcdefgh$"
          "DbXqPck5ABZumVXwcH5eMVHsPZwvQ3jylSxpJmKkZVxcoCiC3N0rPerjHmAqL7r6PK6CIeYnO9."
          "vxpbsevscg/\"" },
        { "password_hash('correct horse', {method = 'sha512', seed = 'web1 anna'})",
          "\"$6$bNX6m7VxJJo/2pCU$vSmNxyajU2blyEQtjHoU4XB630lylVzZ/"
          "ePLJ.EBYWiEKzdIsY7Mm7v5T1BCboXSu0FFSsWuem6sBvG92hnqS.\"" },
        { "password_hash('correct horse', {seed = 'web1 anna'})",
          "\"$y$j9T$bNX6m7VxJJo/2pCUhkEE$ZaQMnuRTzrsZ2qmLytOUOzajSiufew1fUTrpGs9vpIC\"" },
        { "password_hash('correct horse', {salt = 'saltsalt'})",
          "\"$y$j9T$saltsalt$IFUVMd9IZg.1qt0VDKUmwCd8zfLLrtDA9mffjiD5skD\"" },
    };

    assert_values(*state, examples, sizeof examples / sizeof *examples);
}

static void
what_is_made_of_a_secret_is_one(void **state)
{
    struct script_fixture *f = *state;
    struct rh_value *secret = rh_value_string(f->arena, "correct horse battery");
    struct rh_value *scope = rh_value_hash(f->arena, 2), *list = rh_value_new(f->arena, RH_ARRAY);

    secret->marks |= RH_SENSITIVE;
    rh_value_append(list, secret);
    rh_value_append(list, rh_value_string(f->arena, "plain"));
    rh_value_put(scope, "password", secret);
    rh_value_put(scope, "list", list);
    f->scope = scope;
    assert_string_equal(script_json(f, "password_hash(password, {seed = 'x'})"), "\"[redacted]\"");
    assert_string_equal(script_json(f, "union(list, {'x'})"), "\"[redacted]\"");
    assert_string_equal(script_run(f,
                                   "local p = given.password\n"
                                   "result {a = password_hash(p, {method = 'sha512', salt = 'x'}), "
                                   "b = union(given.list, {'x'}), c = seeded_pick('s', {p}), "
                                   "d = group_by({p}, function() return 'k' end), "
                                   "e = password_hash('other', {method = 'sha512', salt = 'q'}):sub(1, 5)}"),
                        "{\"a\": \"[redacted]\", \"b\": [\"[redacted]\", \"[redacted]\", \"[redacted]\"], "
                        "\"c\": \"[redacted]\", \"d\": {\"k\": [\"[redacted]\"]}, \"e\": \"$6$q$\"}");
    assert_string_equal(script_json(f, "union({1}, {password}) and 1"), "\"[redacted]\"");
}

static void
what_collections_seeds_times_and_passwords_can_not_take_is_said(void **state)
{
    static const char *const cases[][2] = {
        { "union()", "argument 1 of 'union' is missing: it must be a table" },
        { "union(1)", "argument 1 of 'union' must be a table, not a number" },
        { "union({1}, {a = 1})", "argument 2 must be a list, not a hash" },
        { "intersection({a = 1})", "argument 1 must be a list, not a hash" },
        { "group_by({1}, 'x')", "element 1 is a number: it has no attribute 'x'" },
        { "group_by({'a'}, 'len')", "element 1 is a string: it has no attribute 'len'" },
        { "group_by({{}}, 'x')", "element 1 has a nil as its key: it must be text, a number or a boolean" },
        { "group_by({1})",
          "argument 2 of 'group_by' is missing: it must be a function or the name of an attribute" },
        { "sort_by({{x = 1}, {}}, 'x')", "element 2 has nothing to sort by: its key is nil" },
        { "sort_by({{x = 1}, {x = 'a'}}, 'x')",
          "cannot sort a string and a number: only numbers or only texts can be sorted" },
        { "sort_by(rows, 'z')", "unknown attribute 'z': rows[1].z does not exist" },
        { "seeded_random('x', 2, 1)", "'seeded_random' needs two bounds, the lower one first" },
        { "seeded_random('x')", "argument 2 of 'seeded_random' is missing: it must be a number" },
        { "seeded_random('x', 1.5, 2)",
          "argument 2 of 'seeded_random' must be an integer, not a number with a fraction" },
        { "seeded_pick('x', {})", "'seeded_pick' needs a list that has elements" },
        { "format_time(nil)", "argument 1 of 'format_time' must be a number, not nil" },
        { "format_time(0, '%Q')", "'format_time' has no conversion '%Q'" },
        { "format_time(0, '5%')", "'format_time' has no conversion '%'" },
        { "format_time(253402300800)", "'format_time' takes seconds since 1970, of the years 1 to 9999" },
        { "format_time(-62135596801)", "'format_time' takes seconds since 1970, of the years 1 to 9999" },
        { "format_time(0, '', 93601)",
          "the offset of 'format_time' must be a number of seconds between -93600 and 93600" },
        { "glob_matches('\\255', '*')", "'glob_matches' can only be used on UTF-8 text" },
        { "glob_matches('x', '[a')", "malformed pattern '[a': '[a' is not complete, or not known" },
        { "glob_matches('x', 'a[')", "malformed pattern 'a[': '[' is not complete, or not known" },
        { "glob_matches('x', '[z-a]')", "malformed pattern '[z-a]': '[z-a]' is not complete, or not known" },
        { "glob_matches('x', '[[:word:]]')",
          "malformed pattern '[[:word:]]': '[[:word:]]' is not complete, or not known" },
        { "glob_matches('x', [[a\\]])", "malformed pattern 'a\\': '\\' is not complete, or not known" },
        { "password_hash('x')", "argument 2 of 'password_hash' is missing: it must be a table" },
        { "password_hash('x', {})",
          "'password_hash' needs a salt or a seed, so that each run makes the same hash" },
        { "password_hash('x', {'a'})", "the options of 'password_hash' must be a hash, not a list" },
        { "password_hash('x', {salt = 'a', seed = 'b'})",
          "'password_hash' takes a salt or a seed, not both" },
        { "password_hash('x', {salt = 'a:'})",
          "the salt of 'password_hash' must be characters of './0-9A-Za-z'" },
        { "password_hash('x', {salt = 1})", "option 'salt' of 'password_hash' must be text, not a number" },
        { "password_hash('x', {salt = '', method = 'sha512'})",
          "the salt of 'password_hash' must be characters of './0-9A-Za-z'" },
        { "password_hash('x', {salt = ('a'):rep(17), method = 'sha512'})",
          "a salt of 'sha512' must have at most 16 characters" },
        { "password_hash('x', {salt = 'abcde'})",
          "the C library cannot make a hash by 'yescrypt' with this salt" },
        { "password_hash('x', {seed = 'a', rounds = 5000})",
          "option 'rounds' of 'password_hash' is for the method 'sha512' only" },
        { "password_hash('x', {seed = 'a', method = 'sha512', rounds = 999})",
          "option 'rounds' of 'password_hash' must be an integer between 1000 and 1000000" },
        { "password_hash('x', {seed = 'a', method = 'sha256'})",
          "unknown method 'sha256' for 'password_hash': it must be 'yescrypt' or 'sha512'" },
        { "password_hash('x', {sed = 'a'})", "unknown option 'sed' for 'password_hash'" },
        { "password_hash('', {seed = 'a'})",
          "a password must have between 1 and 511 bytes, and none of them NUL" },
        { "password_hash('a\\0b', {seed = 'a'})",
          "a password must have between 1 and 511 bytes, and none of them NUL" },
        { "password_hash(('x'):rep(512), {seed = 'a'})",
          "a password must have between 1 and 511 bytes, and none of them NUL" },
        { "split(nil)", "argument 1 of 'split' must be a string, not nil" },
        { "split()", "argument 1 of 'split' is missing: it must be a string" },
        { "split({1})", "argument 1 of 'split' must be a string, not a table" },
        { "split(rows)", "argument 1 of 'split' must be a string, not a table" },
        { "('x'):rep('y')", "argument 1 of 'rep' must be a number, not a string" },
        { "range(1.5, 2)", "argument 1 of 'range' must be an integer, not a number with a fraction" },
        { "math.floor(true)", "argument 1 of 'floor' must be a number, not a boolean" },
        { "tostring()", "argument 1 of 'tostring' is missing" },
        { "utf8.char(-1)", "argument 1 of 'char' is not valid: value out of range" },
        { "map(nil, print)", "argument 1 of 'map' must be a table, not nil" },
    };
    struct script_fixture *f = *state;

    script_scope(f, "{\"rows\": [{\"x\": 1}]}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *said = script_error(f, cases[i][0]), *message = strstr(said, ": ");
        size_t n = strlen(cases[i][1]);

        if (!message || strncmp(message + 2, cases[i][1], n) != 0
            || (message[2 + n] && strncmp(message + 2 + n, " | ", 3) != 0))
            fail_msg("%s\n says %s\n not  %s", cases[i][0], said, cases[i][1]);
    }
}

/* In a recipe the script itself may read it; beside a secret it says types only. */
static void
errors_of_arguments_are_said_in_the_same_words_everywhere(void **state)
{
    struct script_fixture *f = *state;
    struct rh_value *secret = rh_value_string(f->arena, "correct horse battery");
    struct rh_value *scope = rh_value_hash(f->arena, 1);

    assert_string_equal(script_run(f, "local ok, e = pcall(split, nil) result(e)"),
                        "\"argument 1 of '?' must be a string, not nil\"");
    assert_string_equal(
        script_run(f, "local ok, e = pcall(function() return split(nil) end) result(e:match('arg.*'))"),
        "\"argument 1 of 'split' must be a string, not nil\"");
    assert_string_equal(script_run(f, "\nsplit(nil)"), "2: argument 1 of 'split' must be a string, not nil");
    assert_int_equal(rh_message_code("argument %d of '%s' must be a %s, not %s%s"), 2010);
    secret->marks |= RH_SENSITIVE;
    rh_value_put(scope, "password", secret);
    f->scope = scope;
    assert_string_equal(script_error(f, "split(password, #password > 1 and {})"),
                        "0: argument 2 of 'split' must be a string, not a table");
    assert_string_equal(script_error(f, "error(\"argument 1 of 'x' must be a \" .. password)"),
                        "0: failed; the message is not shown because it can contain a secret");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(sets_seeds_and_times_keep_what_they_promise),
        SCRIPT_TEST(what_would_be_likelier_is_drawn_again),
        SCRIPT_TEST(patterns_of_the_shell_match_as_in_a_shell),
        SCRIPT_TEST(patterns_of_the_shell_take_their_length_and_no_more),
        SCRIPT_TEST(password_hashes_are_those_of_crypt),
        SCRIPT_TEST(what_is_made_of_a_secret_is_one),
        SCRIPT_TEST(what_collections_seeds_times_and_passwords_can_not_take_is_said),
        SCRIPT_TEST(errors_of_arguments_are_said_in_the_same_words_everywhere),
    };

    (void)setlocale(LC_ALL, "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
