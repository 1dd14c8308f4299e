/* SPDX-License-Identifier: Apache-2.0 */
/* The digest that providers and the host share, against the examples of FIPS 180-4. */
#include "config.h"

#include <rhost/sha256.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void
assert_digest(const char *text, size_t n, size_t times, const char *wanted)
{
    struct rhost_sha256 sum;
    struct rhost_sha256 again;
    unsigned char bytes[32];
    char hex[67] = "";

    rhost_sha256_init(&sum);
    while (times--)
        rhost_sha256_add(&sum, text, n);
    again = sum;
    hex[65] = '!';
    rhost_sha256_hex(&sum, hex);
    assert_int_equal(hex[65], '!');
    assert_string_equal(hex, wanted);
    rhost_sha256_bytes(&again, bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(hex, sizeof hex, "%02x", bytes[i]);
        assert_memory_equal(hex, wanted + 2 * i, 2);
    }
}

static void
the_examples_of_the_standard_hold(void **state)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    (void)state;
    assert_digest("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(two_blocks, sizeof two_blocks - 1, 1,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void
it_does_not_matter_in_which_pieces_the_bytes_come(void **state)
{
    char ten[10];

    (void)state;
    memset(ten, 'a', sizeof ten);
    assert_digest("a", 1, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_digest(ten, sizeof ten, 100000,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
the_bytes_are_what_the_digits_say(void **state)
{
    static const unsigned char start[] = { 0xba, 0x78, 0x16, 0xbf }, end[] = { 0x00, 0x15, 0xad };
    struct rhost_sha256 sum;
    unsigned char bytes[32];

    (void)state;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, "abc", 3);
    rhost_sha256_bytes(&sum, bytes);
    assert_memory_equal(bytes, start, sizeof start);
    assert_memory_equal(bytes + 29, end, sizeof end);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_what_the_digits_say),
        cmocka_unit_test(the_examples_of_the_standard_hold),
        cmocka_unit_test(it_does_not_matter_in_which_pieces_the_bytes_come),
    };

    return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
