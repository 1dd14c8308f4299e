/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns match what they match in Ruby, and what is refused says where and why. */
#include "config.h"

#include "arena-fixture.h"

#include "base/error.h"
#include "datatype/regex.h"

#include <string.h>

/* The results are those of Ruby 3.1. */
static void
a_pattern_matches_what_it_matches_in_ruby(void **state)
{
    /* clang-format off */
    static const struct {
        const char *source, *matches[6], *others[6];
    } cases[] = {
        { "\\AH\\z", { "H", NULL }, { "h", NULL } },
        { "\\A\\H\\z", { "g", "é", NULL }, { "a", "F", NULL } },
        { "\\A[\\h]+\\z", { "09afAF", NULL }, { "g", "G", NULL } },
        { "\\A[^\\h]+\\z", { "gz", NULL }, { "a", NULL } },
        { "\\A[\\H]+\\z", { "gz", "-", NULL }, { "a", NULL } },
        { "\\A[^\\H]+\\z", { "a9", NULL }, { "g", NULL } },
        { "\\A[x\\H]\\z", { "x", "g", NULL }, { "a", NULL } },
        { "\\A\\v\\z", { "\013", NULL }, { "\012", NULL } },
        { "\\A[\\v]\\z", { "\013", NULL }, { "\012", "v", NULL } },
        { "\\A[[:digit:]]+\\z", { "12", NULL }, { "a", NULL } },
        { "\\A[[:^digit:]]+\\z", { "ab", NULL }, { "1", NULL } },
        { "\\A[a[:^alpha:]]+\\z", { "a1", "-", NULL }, { "b", NULL } },
        { "\\A[^[:digit:]]\\z", { "a", NULL }, { "1", NULL } },
        { "\\A[[:upper:][:space:]]+\\z", { "A B\012", NULL }, { "a", NULL } },
        { "\\A[[:alnum:]_]+\\z", { "é_1", NULL }, { "-", NULL } },
        { "\\A[[:punct:]]+\\z", { ".,!", NULL }, { "a", NULL } },
        { "\\A[[:xdigit:]]+\\z", { "aF9", NULL }, { "g", NULL } },
        { "\\A[[:word:]]+\\z", { "a_é", NULL }, { "-", NULL } },
        { "\\A[[:cntrl:]]\\z", { "\001", NULL }, { "a", NULL } },
        { "\\A[[:blank:]]+\\z", { " \011", NULL }, { "\012", NULL } },
        { "\\A[[:print:]]+\\z", { "a b", NULL }, { "\001", NULL } },
        { "\\A[[:graph:]]+\\z", { "ab", NULL }, { "a b", NULL } },
        { "\\A[[:lower:]]\\z", { "é", NULL }, { "É", NULL } },
        { "\\A\\p{Alpha}\\z", { "é", NULL }, { "1", NULL } },
        { "\\A\\P{Alpha}\\z", { "1", NULL }, { "é", NULL } },
        { "\\A\\p{^Alpha}\\z", { "1", NULL }, { "é", NULL } },
        { "\\A\\P{^Alpha}\\z", { "é", NULL }, { "1", NULL } },
        { "\\A[\\p{Alpha}]\\z", { "é", NULL }, { "1", NULL } },
        { "\\A[\\P{Digit}]\\z", { "a", NULL }, { "1", NULL } },
        { "\\A[\\p{^Digit}]\\z", { "a", NULL }, { "1", NULL } },
        { "\\A[\\P{^Digit}]\\z", { "1", NULL }, { "a", NULL } },
        { "\\A\\p{Lu}\\z", { "A", NULL }, { "a", NULL } },
        { "\\A\\P{Lu}\\z", { "a", NULL }, { "A", NULL } },
        { "\\A[\\p{Lu}x]\\z", { "A", "x", NULL }, { "a", NULL } },
        { "\\A[\\P{Lu}]\\z", { "a", NULL }, { "A", NULL } },
        { "\\A\\p{Greek}\\z", { "α", NULL }, { "a", NULL } },
        { "\\A\\p{L}+\\z", { "aé", NULL }, { "a1", NULL } },
        { "\\A\\u0041\\u{42 43}\\z", { "ABC", NULL }, { "AB", NULL } },
        { "\\A\\u{41}\\z", { "A", NULL }, { "B", NULL } },
        { "\\A\\u{41  42}+\\z", { "ABB", "AB", NULL }, { "ABAB", NULL } },
        { "\\A[\\u0041\\u{42 43}]+\\z", { "CAB", NULL }, { "D", NULL } },
        { "\\A[\\u{41}-\\u{43}]\\z", { "B", NULL }, { "D", "-", NULL } },
        { "\\A[\\u00e9]\\z", { "é", NULL }, { "e", NULL } },
        { "\\A\\u{1F600}\\z", { "😀", NULL }, { "x", NULL } },
        { "\\A\\x41\\z", { "A", NULL }, { "B", NULL } },
        { "\\A\\x4\\z", { "\004", NULL }, { "4", NULL } },
        { "\\A\\x411\\z", { "A1", NULL }, { "A", NULL } },
        { "\\A[\\x41-\\x43]\\z", { "B", NULL }, { "D", NULL } },
        { "\\A\\t\\n\\r\\f\\a\\e\\z", { "\011\012\015\014\007\033", NULL }, { "tnrfae", NULL } },
        { "\\A[\\t\\n]\\z", { "\012", NULL }, { "t", "n", NULL } },
        { "\\A[\\b]\\z", { "\010", NULL }, { "b", NULL } },
        { "\\A\\101\\z", { "A", NULL }, { NULL } },
        { "\\A[\\101]\\z", { "A", NULL }, { "1", NULL } },
        { "\\A\\d\\D\\w\\W\\s\\S\\z", { "1aa- x", NULL }, { "aaaaaa", NULL } },
        { "\\A[\\d\\s]+\\z", { "1 2", NULL }, { "a", NULL } },
        { "\\A[\\D]\\z", { "a", NULL }, { "1", NULL } },
        { "\\A[\\W]\\z", { "-", "é", NULL }, { "a", NULL } },
        { "\\A[\\S]\\z", { "-", NULL }, { " ", NULL } },
        { "\\A[\\w]\\z", { "e", NULL }, { "é", NULL } },
        { "\\A[^\\W]\\z", { "e", NULL }, { "é", "-", NULL } },
        { "\\A\\d\\z", { "3", NULL }, { "٣", NULL } },
        { "\\A\\s\\z", { " ", NULL }, { " ", NULL } },
        { "\\bfoo\\b", { "a foo b", "foo", NULL }, { "afoo", "foo_", "fooé", NULL } },
        { "\\Bo", { "foo", "éo", NULL }, { "o", NULL } },
        { "\\b*a", { "a", NULL }, { NULL } },
        { "x\\b?y", { "xy", NULL }, { NULL } },
        { "\\Aa*+b\\z", { "aab", "b", NULL }, { NULL } },
        { "\\Aa?+b\\z", { "ab", "b", NULL }, { NULL } },
        { "\\Aa++a\\z", { NULL }, { "aaa", NULL } },
        { "\\Aa{2}+\\z", { "aa", "aaaa", NULL }, { "aaa", "", NULL } },
        { "\\Aa{2}?\\z", { "aa", "", NULL }, { "a", NULL } },
        { "\\Aa{1,2}?b\\z", { "ab", "aab", NULL }, { "b", NULL } },
        { "\\Aa{1,2}+\\z", { "aaa", "aaaaa", NULL }, { "", NULL } },
        { "\\Aa{,2}\\z", { "", "a", "aa", NULL }, { "aaa", NULL } },
        { "\\Aa{2,}\\z", { "aa", "aaaa", NULL }, { "a", NULL } },
        { "\\Aa{,}\\z", { "a{,}", NULL }, { "aa", NULL } },
        { "\\Aa{x}\\z", { "a{x}", NULL }, { NULL } },
        { "\\A{\\z", { "{", NULL }, { NULL } },
        { "\\Aa{1\\z", { "a{1", NULL }, { NULL } },
        { "\\Aa}\\z", { "a}", NULL }, { NULL } },
        { "\\A(?:ab){2,3}\\z", { "abab", "ababab", NULL }, { "ab", "abababab", NULL } },
        { "\\A(ab)*+\\z", { "abab", NULL }, { "aba", NULL } },
        { "\\A(?:a|b){2}+\\z", { "ab", "abab", NULL }, { "aba", NULL } },
        { "\\A[ab]{2}+\\z", { "abab", NULL }, { "aba", NULL } },
        { "\\A\\p{L}{2}+\\z", { "abab", NULL }, { "aba", NULL } },
        { "\\A(?<n>a)\\k<n>\\z", { "aa", NULL }, { "ab", NULL } },
        { "\\A(?'n'a)\\k'n'\\z", { "aa", NULL }, { "ab", NULL } },
        { "\\A(a)(b)\\2\\1\\z", { "abba", NULL }, { "abab", NULL } },
        { "\\A(?<p>\\((?:[^()]|\\g<p>)*\\))\\z", { "(a(b)c)", NULL }, { "(a(b c)", NULL } },
        { "\\A(a)?(?(1)b|c)\\z", { "ab", "c", NULL }, { "ac", NULL } },
        { "\\A(?<x>a)?(?(<x>)b|c)\\z", { "ab", "c", NULL }, { "b", NULL } },
        { "\\A(?=a)\\w+\\z", { "ab", NULL }, { "ba", NULL } },
        { "\\A(?!a)\\w+\\z", { "ba", NULL }, { "ab", NULL } },
        { "(?<=a)b", { "ab", NULL }, { "cb", NULL } },
        { "(?<!a)b", { "cb", NULL }, { "ab", NULL } },
        { "\\A(?>a+)b\\z", { "aab", NULL }, { NULL } },
        { "\\A(?>a+)ab\\z", { NULL }, { "aab", NULL } },
        { "\\A(?i)AbC\\z", { "abc", NULL }, { NULL } },
        { "\\A(?i:a)b\\z", { "Ab", NULL }, { "AB", NULL } },
        { "\\A(?-i)a\\z", { "a", NULL }, { "A", NULL } },
        { "\\A(?mi)A.b\\z", { "a\012B", NULL }, { NULL } },
        { "\\A(?m:.)\\z", { "\012", NULL }, { NULL } },
        { "\\A(?-m:.)\\z", { "a", NULL }, { "\012", NULL } },
        { "\\A(?x) a b # c\012 c \\z", { "abc", NULL }, { "a b c", NULL } },
        { "\\A(?x: a )b c\\z", { "ab c", NULL }, { "abc", NULL } },
        { "\\A(?x) a\\ b [ ] c\\z", { "a b c", NULL }, { "abc", NULL } },
        { "\\A(?x-i) A \\z", { "A", NULL }, { "a", NULL } },
        { "\\A(?i-x)a \\z", { "A ", NULL }, { "A", NULL } },
        { "\\A((?i)a)b\\z", { "Ab", NULL }, { "AB", NULL } },
        { "\\Aa(?i)b|c\\z", { "aB", "aC", NULL }, { "C", NULL } },
        { "\\A(?:a(?i)b|c)d\\z", { "aBd", "aCd", NULL }, { "aCD", "cd", NULL } },
        { "\\A(?x)a(?-x) b\\z", { "a b", NULL }, { "ab", NULL } },
        { "\\A(?i)a(?-i)b\\z", { "Ab", NULL }, { "AB", NULL } },
        { "\\A(?#comment)a\\z", { "a", NULL }, { NULL } },
        { "\\Aa(?#c\\)d)b\\z", { "ab", NULL }, { "adb", NULL } },
        { "\\Aa(?#x)+\\z", { "aa", "a", NULL }, { NULL } },
        { "^b$", { "a\012b\012c", NULL }, { "ab", NULL } },
        { "\\Ab", { NULL }, { "a\012b", NULL } },
        { "a\\Z", { "a\012", "a", NULL }, { "a\012\012", NULL } },
        { "a\\z", { NULL }, { "a\012", NULL } },
        { "\\A.\\z", { "\015", NULL }, { "\012", NULL } },
        { "\\A[]a]\\z", { "]", "a", NULL }, { NULL } },
        { "\\A[a\\]]\\z", { "]", NULL }, { NULL } },
        { "\\A[\\^a]\\z", { "^", "a", NULL }, { NULL } },
        { "\\A[a^]\\z", { "^", NULL }, { "b", NULL } },
        { "\\A[a-]\\z", { "-", NULL }, { "b", NULL } },
        { "\\A[-a]\\z", { "-", NULL }, { "b", NULL } },
        { "\\A[a-c&&b-d]\\z", { "b", "c", NULL }, { "a", "d", NULL } },
        { "\\A[^a-c&&b-d]\\z", { "a", "d", "x", NULL }, { "b", NULL } },
        { "\\A[a-z&&[^aeiou]&&[^x]]\\z", { "b", NULL }, { "a", "x", NULL } },
        { "\\A[a[bc]]\\z", { "c", NULL }, { "d", NULL } },
        { "\\A[^a[bc]]\\z", { "d", NULL }, { "c", "a", NULL } },
        { "\\A[[a-c]&&[b]]\\z", { "b", NULL }, { "a", NULL } },
        { "\\A[a&b]\\z", { "&", "a", NULL }, { "c", NULL } },
        { "\\A[&&a]\\z", { NULL }, { "a", "&", NULL } },
        { "\\A[a&&]\\z", { NULL }, { "a", "&", NULL } },
        { "\\A[.*+?]\\z", { ".", "*", NULL }, { "a", NULL } },
        { "\\A[\\.\\/]\\z", { "/", NULL }, { "\\", NULL } },
        { "\\A[\\-x]\\z", { "-", NULL }, { "w", NULL } },
        { "\\A[\\q]\\z", { "q", NULL }, { "\\", NULL } },
        { "\\A\\q\\z", { "q", NULL }, { NULL } },
        { "\\A\\é\\z", { "é", NULL }, { NULL } },
        { "\\A[\\é]\\z", { "é", NULL }, { NULL } },
        { "\\A\\/\\z", { "/", NULL }, { NULL } },
        { "\\A\\ \\z", { " ", NULL }, { NULL } },
        { "\\A[#]\\z", { "#", NULL }, { NULL } },
        { "\\A[é-ö]\\z", { "ó", NULL }, { "e", NULL } },
        { "\\A[$(]\\z", { "(", "$", NULL }, { NULL } },
        { "\\A\\R\\z", { "\015\012", "\012", NULL }, { "a", NULL } },
        { "\\A\\X\\z", { "é", NULL }, { "ab", NULL } },
        { "\\A\\K\\z", { "", NULL }, { NULL } },
        { "a\\Kb", { "ab", NULL }, { "b", NULL } },
        { "\\Ga", { "a", NULL }, { "ba", NULL } },
        { "a|", { "x", NULL }, { NULL } },
        { "\\A(|a)\\z", { "", "a", NULL }, { NULL } },
        { "", { "", NULL }, { NULL } },
        { "\\A(?:)\\z", { "", NULL }, { "a", NULL } },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const char *source = cases[i].source;
        const struct rh_regex *r = rh_regex_new(arena, source, strlen(source), &err);

        if (!r)
            fail_msg("/%s/ is refused: %s", source, err.message);
        for (const char *const *s = cases[i].matches; *s; s++)
            if (rh_regex_match(r, *s, strlen(*s)) != RH_REGEX_YES)
                fail_msg("/%s/ does not match '%s'", source, *s);
        for (const char *const *s = cases[i].others; *s; s++)
            if (rh_regex_match(r, *s, strlen(*s)) != RH_REGEX_NO)
                fail_msg("/%s/ matches '%s'", source, *s);
    }
}

static void
a_refused_pattern_says_where_and_why(void **state)
{
    static const struct {
        const char *source;
        size_t at;
        const char *why;
    } cases[] = {
        { "a(", 2, "a group is not closed: missing ')'" },
        { "a)", 1, "unexpected ')'" },
        { "x\\", 1, "a backslash at the end" },
        { "[a", 2, "a class [...] is not closed" },
        { "x[a\\", 3, "a backslash at the end" },
        { "x[[:nope:]]", 2, "unknown class of characters [:...:]" },
        { "x[[:alpha]]", 2, "unknown class of characters [:...:]" },
        { "x\\p{", 1, "\\p needs the name of a property in braces" },
        { "x[\\p{}]", 2, "\\p needs the name of a property in braces" },
        { "x\\u12", 1, "\\u needs four hexadecimal digits, or some in braces" },
        { "x\\u{1234567}", 1, "\\u needs four hexadecimal digits, or some in braces" },
        { "x\\u{g}", 1, "\\u needs four hexadecimal digits, or some in braces" },
        { "x\\u{41", 1, "\\u{ is not closed" },
        { "x[\\u12]", 2, "\\u needs four hexadecimal digits, or some in braces" },
        { "x[\\u{}]", 2, "\\u needs four hexadecimal digits, or some in braces" },
        { "x[\\u{41]", 2, "\\u needs four hexadecimal digits, or some in braces" },
        { "x\\k", 1, "\\k and \\g need a name, as in \\k<name>" },
        { "x\\k<n", 1, "\\k and \\g need a name, as in \\k<name>" },
        { "x\\g'n", 1, "\\k and \\g need a name, as in \\k<name>" },
        { "x\\xg", 1, "\\x needs hexadecimal digits" },
        { "x\\cA", 1, "control characters by \\c, \\C- and \\M- are not supported" },
        { "x[\\cA]", 2, "control characters by \\c, \\C- and \\M- are not supported" },
        { "x(?#a", 4, "a comment (?#...) is not closed" },
        { "x(?#a\\)", 4, "a comment (?#...) is not closed" },
        { "x(?<>a)", 1, "a named group needs a name" },
        { "x(?<n", 1, "a named group needs a name" },
        { "x(?'n>a)", 1, "a named group needs a name" },
        { "x(*ACCEPT)", 1, "nothing to repeat" },
        { "x(?q)", 3, "unknown kind of group" },
        { "x(?i--m)", 5, "unknown kind of group" },
        { "x(?(n)a)", 1, "unknown kind of group" },
        { "x(?()a)", 1, "unknown kind of group" },
        { "x(?(1", 1, "unknown kind of group" },
        { "\xff", 0, "not UTF-8" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rh_autoerror struct rh_error err = { 0 };

        if (rh_regex_new(arena, cases[i].source, strlen(cases[i].source), &err))
            fail_msg("/%s/ is accepted", cases[i].source);
        if (strncmp(err.message, "bad pattern: ", 13) != 0 || strcmp(err.message + 13, cases[i].why) != 0
            || err.at != cases[i].at)
            fail_msg("/%s/: at %zu, not %zu: %s", cases[i].source, err.at, cases[i].at, err.message);
    }
}

static void
nesting_in_a_pattern_ends_somewhere(void **state)
{
    static const struct {
        const char *open, *inner, *close, *why;
    } cases[] = {
        { "(", "a", ")", "bad pattern: groups are nested too deeply" },
        { "(?i)", "a", "", "bad pattern: groups are nested too deeply" },
        { "[", "a", "]", "bad pattern: classes are nested too deeply" },
        { "", "[a", "&&b]", "bad pattern: too many intersections" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int n = 2; n <= 10000; n *= 100 / 2) {
            rh_autoerror struct rh_error err = { 0 };
            char text[70000] = "";
            char *at = text;
            size_t close = strlen(cases[i].close);

            for (int k = 0; k < n; k++)
                at = stpcpy(at, cases[i].open);
            at = stpcpy(at, cases[i].inner);
            for (int k = 0; k < n; k++)
                at = stpcpy(at, close && *cases[i].open == '\0' ? (k + 1 < n ? "&&b" : cases[i].close)
                                                                : cases[i].close);
            if (n == 2)
                assert_non_null(rh_regex_new(arena, text, (size_t)(at - text), &err));
            else if (rh_regex_new(arena, text, (size_t)(at - text), &err))
                assert_true(n < 1000);
            else
                assert_string_equal(err.message, cases[i].why);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_pattern_matches_what_it_matches_in_ruby),
        ARENA_TEST(a_refused_pattern_says_where_and_why),
        ARENA_TEST(nesting_in_a_pattern_ends_somewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
