/* SPDX-License-Identifier: Apache-2.0 */
/* test-utf8 - what is taken for UTF-8, in the host and in <rhost/lines.h>; and which characters are shown
 * escaped, or are entities in markup; what JSON has as it is, and numbers. */
#include "config.h"

#include "base/text.h"

#include <rhost/lines.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static size_t
encode(uint32_t point, char *to)
{
    size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = n; i-- > 1; point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3f));
    to[0] = (char)(lead[n] | point);
    return n;
}

static bool
is_scalar(uint32_t point)
{
    return point < 0xd800 || (point > 0xdfff && point < 0x110000);
}

/* A terminal acts upon them, they turn the text around them, or YAML does not take them. */
static bool
is_escaped(uint32_t point)
{
    static const uint32_t ranges[][2] = {
        { 0, 0x1f },        { 0x7f, 0x9f },     { 0x200e, 0x200f }, { 0x2028, 0x202e },
        { 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfffe, 0xffff },
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1])
            return true;
    return false;
}

/* At the end of the text, alone and before more, in words of eight bytes and outside of them. */
static void
assert_valid(const char *s, size_t n, bool valid)
{
    char text[32] = "12345678";

    assert_int_equal(rhost_is_utf8(s, n) != 0, valid);
    assert_int_equal(rh_utf8_valid(s, n), valid);
    memcpy(text + 8, s, n);
    assert_int_equal(rh_utf8_valid(text, n + 8), valid);
    memcpy(text + 8 + n, "12345678", 9);
    assert_int_equal(rh_utf8_valid(text, n + 16), valid);
    assert_int_equal(rh_utf8_valid(text + 7, n + 9), valid);
    assert_int_equal(rhost_is_utf8(text, n + 16) != 0, valid);
}

static void
every_character(void **state)
{
    char text[5] = "";

    (void)state;
    for (uint32_t point = 0; point < 0x140000; point++) {
        size_t n = encode(point, text);
        bool valid = is_scalar(point);

        if (rh_utf8_length(text, n) != (valid ? n : 0) || (rhost_is_utf8(text, n) != 0) != valid
            || rh_utf8_valid(text, n) != valid)
            fail_msg("U+%04X", (unsigned)point);
        if (valid && rh_utf8_active(text, n) != (is_escaped(point) ? point : 0))
            fail_msg("U+%04X is%s escaped", (unsigned)point, is_escaped(point) ? " not" : "");
        for (size_t cut = 1; cut < n; cut++)
            if (rh_utf8_length(text, cut) || rhost_is_utf8(text, cut) || rh_utf8_valid(text, cut))
                fail_msg("U+%04X, cut after %zu bytes", (unsigned)point, cut);
    }
}

static void
what_is_none(void **state)
{
    static const char *const bad[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xc2\x7f",
        "\xc2\xc0",
        "\xdf\xc0",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf",
        "\xe1\x80\x7f",
        "\xe1\x80\xc0",
        "\xe1\x7f\x80",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xef\xbf\x7f",
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf1\x80\x80\x7f",
        "\xf1\x80\x7f\x80",
        "\xf1\x7f\x80\x80",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xf7\xbf\xbf\xbf",
        "\xf8\x88\x80\x80\x80",
        "\xfc\x84\x80\x80",
        "\xfe\x80",
        "\xff",
    };
    static const char *const good[] = {
        "",
        "a",
        "\x7f",
        "\xc2\x80",
        "\xdf\xbf",
        "\xe0\xa0\x80",
        "\xe1\x80\x80",
        "\xec\xbf\xbf",
        "\xed\x80\x80",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbf",
        "\xf0\x90\x80\x80",
        "\xf3\xbf\xbf\xbf",
        "\xf4\x80\x80\x80",
        "\xf4\x8f\xbf\xbf",
        "\xe2\x82\xac\xc3\xa4",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_valid(bad[i], strlen(bad[i]), false);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_valid(good[i], strlen(good[i]), true);
    assert_int_equal(rh_utf8_length("", 0), 0);
    assert_int_equal(rh_utf8_count("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82", 10), 4);
}

static void
plain_text_is_shown_as_it_is(void **state)
{
    char one[3] = "xx";

    (void)state;
    for (int c = 0; c < 256; c++) {
        one[0] = (char)c;
        assert_int_equal(rh_text_plain(one, 1), c >= 0x20 && c < 0x7f && c != '"' && c != '\\');
        assert_int_equal(rh_text_plain(one, 2), c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? 2 : 0);
    }
    assert_int_equal(rh_text_plain("abc", 2), 2);
    assert_int_equal(rh_text_plain("abc", 0), 0);
    assert_int_equal(rh_text_plain("ab\"c", 4), 2);
}

static void
the_rest_is_escaped(void **state)
{
    static const char text[] = "a\n\tb \"q\" \\ \x1b[0m \x7f \xc2\x9b \xc3\xa4 \xe2\x80\xae \xff \xe2\x82";
    struct rh_buf b = { 0 };

    (void)state;
    rh_buf_add_safe(&b, text, sizeof text - 1, false);
    assert_string_equal(rh_buf_text(&b),
                        "a\\n\\tb \"q\" \\ \\x1b[0m \\x7f \\u{9b} \xc3\xa4 \\u{202e} \\xff \\xe2\\x82");
    rh_buf_truncate(&b, 0);
    rh_buf_add_safe(&b, "a\n\tb", 4, true);
    assert_string_equal(rh_buf_text(&b), "a\n\tb");
    rh_buf_truncate(&b, 0);
    rh_buf_add_safe(&b, "ab", 1, true);
    assert_string_equal(rh_buf_text(&b), "a");
    rh_buf_clear(&b);
}

static void
markup_is_text(void **state)
{
    static const char text[] = "a<b> & 'c' \"d\"\n\t]]>\x01\xff \xc3\xa4\xef\xbf\xbf";
    static const char json[] = "{\"a\":\"</script><!--\"}";
    struct rh_buf b = { 0 };

    (void)state;
    rh_buf_add_markup(&b, text, sizeof text - 1, true);
    assert_string_equal(rh_buf_text(&b), "a&lt;b&gt; &amp; &#39;c&#39; &quot;d&quot;\n\t]]&gt;\\x01\\xff "
                                         "\xc3\xa4\\u{ffff}");
    rh_buf_truncate(&b, 0);
    rh_buf_add_markup(&b, "<\n<", 3, false);
    assert_string_equal(rh_buf_text(&b), "&lt;\\n&lt;");
    rh_buf_truncate(&b, 0);
    rh_buf_add_markup(&b, "", 0, true);
    assert_string_equal(rh_buf_text(&b), "");
    rh_buf_add_page_json(&b, json, sizeof json - 1);
    assert_string_equal(rh_buf_text(&b), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
    rh_buf_clear(&b);
}

/* Each byte at each place of a text of any length that is looked at eight bytes at a time. */
static void
what_json_has_as_it_is(void **state)
{
    char text[20];

    (void)state;
    for (size_t n = 0; n <= sizeof text; n++)
        for (size_t at = 0; at < n; at++)
            for (int c = 0; c < 256; c++) {
                bool plain = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';

                memset(text, c & 1 ? '~' : ' ', sizeof text);
                text[at] = (char)c;
                assert_int_equal(rh_text_plain(text, n), plain ? n : at);
            }
}

static void
numbers(void **state)
{
    static const int64_t all[] = { 0, 7, -7, 10, 1234567890, INT64_MAX, INT64_MIN };
    rh_autobuf struct rh_buf b = { 0 };
    char expected[32];

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rh_buf_truncate(&b, 0);
        rh_buf_add_decimal(&b, all[i]);
        (void)snprintf(expected, sizeof expected, "%lld", (long long)all[i]);
        assert_string_equal(rh_buf_text(&b), expected);
    }
    rh_buf_truncate(&b, 0);
    rh_buf_add_padded(&b, 45, 6);
    rh_buf_addc(&b, ' ');
    rh_buf_add_padded(&b, 0, 3);
    rh_buf_addc(&b, ' ');
    rh_buf_add_padded(&b, 1234, 3);
    rh_buf_addc(&b, ' ');
    rh_buf_add_padded(&b, UINT64_MAX, 20);
    assert_string_equal(rh_buf_text(&b), "000045 000 1234 18446744073709551615");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(plain_text_is_shown_as_it_is),
        cmocka_unit_test(the_rest_is_escaped),
        cmocka_unit_test(markup_is_text),
        cmocka_unit_test(what_json_has_as_it_is),
        cmocka_unit_test(numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
