/* SPDX-License-Identifier: Apache-2.0 */
/* test-secrets - secrets are found in text, whoever quoted, encoded or cut them. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret-value.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
assert_scrubbed(const char *secret, const char *text, const char *expected)
{
    struct rh_secrets s = { 0 };
    rh_autofree char *scrubbed = NULL;

    rh_secrets_add(&s, secret, strlen(secret));
    scrubbed = rh_secrets_scrubbed(&s, text);
    assert_string_equal(scrubbed ? scrubbed : text, expected);
    rh_secrets_clear(&s);
}

static void
a_secret_is_replaced_wherever_it_is(void **state)
{
    (void)state;
    assert_scrubbed("hunter2", "hunter2", "[redacted]");
    assert_scrubbed("hunter2", "the hunter2 is", "the [redacted] is");
    assert_scrubbed("hunter2", "xhunter2x hunter2", "x[redacted]x [redacted]");
    assert_scrubbed("hunter2", "hunter2hunter2", "[redacted]");
    assert_scrubbed("hunter2", "nothing of it", "nothing of it");
    assert_scrubbed("hunter2", "", "");
    assert_scrubbed("correct horse battery staple", "a correct horse battery staple!", "a [redacted]!");
}

static void
what_is_shorter_than_four_bytes_is_no_secret(void **state)
{
    (void)state;
    assert_scrubbed("abc", "abc abcd", "abc abcd");
    assert_scrubbed("abcd", "abc abcd", "abc [redacted]");
}

static void
secrets_that_overlap_are_one_stretch(void **state)
{
    struct rh_secrets s = { 0 };
    rh_autofree char *scrubbed = NULL;

    (void)state;
    rh_secrets_add(&s, "abcdefgh", 8);
    rh_secrets_add(&s, "efghijkl", 8);
    rh_secrets_add(&s, "bcde", 4);
    scrubbed = rh_secrets_scrubbed(&s, "0abcdefghijkl1abcdef bcdefghi.");
    assert_string_equal(scrubbed, "0[redacted]1a[redacted]f [redacted]fghi.");
    rh_secrets_clear(&s);
}

static void
what_was_quoted_or_encoded_is_found(void **state)
{
    (void)state;
    assert_scrubbed("a\"b\\c", "{\"p\": \"a\\\"b\\\\c\"}", "{\"p\": \"[redacted]\"}");
    assert_scrubbed("a\nb\tc", "value \"a\\nb\\tc\"", "value \"[redacted]\"");
    assert_scrubbed("it's me", "sh -c 'it'\\''s me'", "sh -c '[redacted]'");
    assert_scrubbed("it's me", "sh -c it\\'s\\ me", "sh -c [redacted]");
    assert_scrubbed("a b/c?", "http://u:a%20b%2Fc%3F@host", "http://u:[redacted]@host");
    assert_scrubbed("a b/c?", "http://u:a%20b%2fc%3f@host", "http://u:[redacted]@host");
    assert_scrubbed("a b/c?", "p=a+b%2Fc%3F&x", "p=[redacted]&x");
    assert_scrubbed("hunter2", "68756e74657232", "[redacted]");
    /* base64 of "hunter2", "u:hunter2", "us:hunter2" */
    assert_scrubbed("hunter2", "Basic aHVudGVyMg==", "Basic [redacted]g==");
    assert_scrubbed("hunter2", "Basic dTpodW50ZXIy", "Basic dTp[redacted]");
    assert_scrubbed("hunter2", "Basic dXM6aHVudGVyMg==", "Basic dXM6[redacted]g==");
}

static void
lines_and_assigned_values_are_secrets_themselves(void **state)
{
    (void)state;
    assert_scrubbed("first line\n  second line\nx\n", "found 'second line' in x", "found '[redacted]' in x");
    assert_scrubbed("PASSWORD=hunter2", "it is hunter2", "it is [redacted]");
    assert_scrubbed("secret\n", "it is secret", "it is [redacted]");
}

static void
parts_of_a_long_secret_are_found(void **state)
{
    static const char secret[] = "0123456789abcdefghijklmnopqrstuvwxyz";

    (void)state;
    assert_scrubbed(secret, "x 3456789abcdefgh x", "x [redacted] x");
    assert_scrubbed(secret, "cut: 0123456789ab", "cut: [redacted]");
    assert_scrubbed(secret, "cut: 01234567", "cut: [redacted]");
    assert_scrubbed(secret, "uvwxyz", "uvwxyz");
    assert_scrubbed(secret, "stuvwxyz and on", "[redacted] and on");
    assert_scrubbed("hunter2x", "cut: hunter", "cut: [redacted]");
    assert_scrubbed("hunter2x", "hunter goes on", "hunter goes on");
}

static void
text_stays_utf8(void **state)
{
    (void)state;
    /* The first bytes of both characters are the same. */
    assert_scrubbed("0123456789abcdef\xc3\xa9", "0123456789abcdef\xc3\xa8 x", "[redacted] x");
    assert_scrubbed("p\xc3\xa4ss", "ein p\xc3\xa4ss", "ein [redacted]");
}

static void
marked_values_are_learnt_and_keys_are_not(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH), *inner = rh_value_new(a, RH_HASH),
                    *list = rh_value_new(a, RH_ARRAY);
    struct rh_secrets s = { 0 };
    rh_autofree char *scrubbed = NULL;

    (void)state;
    rh_value_put(v, "open", rh_value_string(a, "visible"));
    rh_value_append(list, rh_value_string(a, "within"));
    rh_value_append(list, rh_value_integer(a, 271828));
    rh_value_put(inner, "the_key", list);
    inner->marks |= RH_SENSITIVE;
    rh_value_put(v, "closed", inner);
    rh_secrets_learn(&s, v, false);
    scrubbed = rh_secrets_scrubbed(&s, "visible within the_key 271828 27182.");
    assert_string_equal(scrubbed, "visible [redacted] the_key [redacted] 27182.");
    rh_secrets_clear(&s);
    rh_secrets_learn(&s, v, true);
    assert_int_equal(s.n, 3);
    rh_secrets_clear(&s);
}

static void
what_is_learnt_twice_is_kept_once(void **state)
{
    struct rh_secrets s = { 0 };
    char text[32];

    (void)state;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 10000; i++) {
            (void)snprintf(text, sizeof text, "secret %d", i);
            rh_secrets_add(&s, text, strlen(text));
        }
    assert_int_equal(s.n, 10000);
    rh_secrets_clear(&s);
}

/* Far more than it takes; what is not linear would take minutes. */
enum { LARGE = 64 << 10, ROUNDS = 20, SECONDS = 20 };

static void
scrub_often(struct rh_secrets *s, const char *text)
{
    double start = rh_now();

    for (int i = 0; i < ROUNDS; i++)
        free(rh_secrets_scrubbed(s, text));
    assert_true(rh_now() - start < SECONDS);
    rh_secrets_clear(s);
}

static void
many_secrets_with_one_beginning_are_looked_for_in_a_moment(void **state)
{
    rh_autofree char *text = rh_xalloc(LARGE + 1);
    struct rh_secrets s = { 0 };
    char secret[64];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(secret, sizeof secret, "$6$rounds=%d$abcdefghij", i * 7919);
        rh_secrets_add(&s, secret, strlen(secret));
    }
    for (int i = 0; i < LARGE; i++)
        text[i] = "$6$rounds="[i % 10];
    scrub_often(&s, text);
}

static void
a_secret_that_repeats_itself_is_looked_for_in_a_moment(void **state)
{
    rh_autofree char *text = rh_xalloc(LARGE + 1);
    struct rh_secrets s = { 0 };

    (void)state;
    memset(text, 'a', LARGE);
    rh_secrets_add(&s, text, LARGE);
    rh_secrets_add(&s, text, 20);
    rh_secrets_add(&s, text, 5);
    scrub_often(&s, text);
}

static void
a_large_secret_is_found_as_a_whole_and_in_parts(void **state)
{
    enum { SIZE = 1 << 20 };
    rh_autofree char *secret = rh_xalloc(SIZE + 1);
    rh_autofree char *whole = NULL, *part = NULL;
    struct rh_secrets s = { 0 };
    uint32_t random = 1;

    (void)state;
    for (int i = 0; i < SIZE; i++) {
        random = random * 1103515245U + 12345U;
        secret[i] = (char)('a' + (random >> 16) % 26);
    }
    rh_secrets_add(&s, secret, SIZE);
    whole = rh_secrets_scrubbed(&s, secret);
    assert_string_equal(whole, "[redacted]");
    secret[500023] = '\0';
    part = rh_secrets_scrubbed(&s, secret + 500000);
    assert_string_equal(part, "[redacted]");
    rh_secrets_clear(&s);
}

/* A value that repeats a secret: in a text, a key, a number, however deep. */
static void
a_value_is_shown_without_the_secrets_in_it(void **state)
{
    static const char *const cases[][2] = {
        { "\"hunter2\"", "\"[redacted]\"" },
        { "\"a hunter2 b\"", "\"a [redacted] b\"" },
        { "\"hungry\"", "\"hungry\"" },
        { "12345678", "\"[redacted]\"" },
        { "7654321", "7654321" },
        { "1.25e300", "1.25e+300" },
        { "true", "true" },
        { "null", "null" },
        { "[1, \"hunter2\", true]", "[1, \"[redacted]\", true]" },
        { "[1, [\"x\", {\"k\": \"hunter2\"}]]", "[1, [\"x\", {\"k\": \"[redacted]\"}]]" },
        { "{\"hunter2\": 1, \"b\": \"x\"}", "{\"[redacted]\": 1, \"b\": \"x\"}" },
        { "{\"a\": 12345678, \"b\": \"x\"}", "{\"a\": \"[redacted]\", \"b\": \"x\"}" },
        { "{\"a\": [], \"b\": {}}", "{\"a\": [], \"b\": {}}" },
    };
    struct rh_secrets s = { 0 }, none = { 0 };
    struct rh_arena *a = rh_arena_new(NULL);

    (void)state;
    rh_secrets_add(&s, "hunter2", 7);
    rh_secrets_add(&s, "12345678", 8);
    assert_false(rh_secret_value_has(&s, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rh_value *v = rh_value_from_json(a, cases[i][0], strlen(cases[i][0]), NULL);
        const struct rh_value *hidden = rh_secret_value_hide(&s, a, v);
        rh_autobuf struct rh_buf shown = { 0 };

        rh_value_to_json(&shown, hidden, false);
        assert_string_equal(rh_buf_text(&shown), cases[i][1]);
        assert_int_equal(rh_secret_value_has(&s, v), strstr(cases[i][1], "redacted") != NULL);
        assert_int_equal(hidden == v, !strstr(cases[i][1], "redacted"));
        assert_false(rh_secret_value_has(&none, v));
    }
    rh_arena_free(a);
    rh_secrets_clear(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_is_replaced_wherever_it_is),
        cmocka_unit_test(what_is_shorter_than_four_bytes_is_no_secret),
        cmocka_unit_test(secrets_that_overlap_are_one_stretch),
        cmocka_unit_test(what_was_quoted_or_encoded_is_found),
        cmocka_unit_test(lines_and_assigned_values_are_secrets_themselves),
        cmocka_unit_test(parts_of_a_long_secret_are_found),
        cmocka_unit_test(text_stays_utf8),
        cmocka_unit_test(marked_values_are_learnt_and_keys_are_not),
        cmocka_unit_test(what_is_learnt_twice_is_kept_once),
        cmocka_unit_test(many_secrets_with_one_beginning_are_looked_for_in_a_moment),
        cmocka_unit_test(a_secret_that_repeats_itself_is_looked_for_in_a_moment),
        cmocka_unit_test(a_large_secret_is_found_as_a_whole_and_in_parts),
        cmocka_unit_test(a_value_is_shown_without_the_secrets_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
