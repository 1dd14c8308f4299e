/* SPDX-License-Identifier: Apache-2.0 */
/* test-exec-words - a command as one string, split as sh would or refused. */
#include "config.h"

#include "fake-host.h"

#include "../../plugins/exec/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct fake fake;

/* The words with '|' between them, or "refused". */
static const char *
split(const char *text)
{
    size_t n;
    const char **words = words_split(&fake.ctx, "command", text, &n);
    rh_autobuf struct rh_buf b = { 0 };

    if (!words)
        return "refused";
    for (size_t i = 0; i < n; i++)
        rh_buf_addf(&b, "%s%s", i ? "|" : "", words[i]);
    assert_null(words[n]);
    return rh_arena_strdup(fake.arena, rh_buf_text(&b));
}

static void
words_are_split_as_sh_does(void **state)
{
    (void)state;
    assert_string_equal(split("a b  c\t d"), "a|b|c|d");
    assert_string_equal(split("  a  "), "a");
    assert_string_equal(split("a 'b c' \"d e\""), "a|b c|d e");
    assert_string_equal(split("a'b'\"c\"d"), "abcd");
    assert_string_equal(split("a '' \"\""), "a||");
    assert_string_equal(split("a\\ b \\'c \\\\ \\$"), "a b|'c|\\|$");
    assert_string_equal(split("\"a\\\"b\\\\c\\d\\$\""), "a\"b\\c\\d$");
    assert_string_equal(split("'$HOME|*`' \"|;&<>*?()\""), "$HOME|*`||;&<>*?()");
    assert_string_equal(split("a --b=c {} x=y"), "a|--b=c|{}|x=y");
    assert_string_equal(split("a\\\n b\n"), "a|b");
}

static void
what_needs_a_shell_is_refused(void **state)
{
    static const char *const texts[] = { "a | b",  "a > b",   "a < b",   "a; b",     "a & b", "a && b",
                                         "echo *", "ls a?b",  "echo $A", "echo `a`", "(a)",   "ls [a]",
                                         "\"$A\"", "\"`a`\"", "~/bin/a", "a # b",    "a\nb",  "A=b c" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(split(texts[i]), "refused");
    assert_string_equal(fake.attribute, "command");
}

static void
what_has_no_end_is_refused(void **state)
{
    (void)state;
    assert_string_equal(split("'a"), "refused");
    assert_string_equal(split("\"a"), "refused");
    assert_string_equal(split("a\\"), "refused");
    assert_string_equal(split(" \n"), "refused");
    assert_string_equal(split(""), "refused");
}

static int
setup(void **state)
{
    (void)state;
    fake_open(&fake);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    fake_close(&fake);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_sh_does),
        cmocka_unit_test(what_needs_a_shell_is_refused),
        cmocka_unit_test(what_has_no_end_is_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
