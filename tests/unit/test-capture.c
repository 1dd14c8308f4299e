/* SPDX-License-Identifier: Apache-2.0 */
/* test-capture - the sums of dpkg, and keys as text, beside what others make of the same bytes. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
assert_sum(const char *text, const char *expected)
{
    char sum[RH_MD5_TEXT];

    rh_md5_sum(text, strlen(text), sum);
    assert_string_equal(sum, expected);
}

/* RFC 1321, A.5. */
static void
sums_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_sum("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_sum("a", "0cc175b9c0f1b6a831c399e269772661");
    assert_sum("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_sum("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    assert_sum("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    assert_sum("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
               "d174ab98d277d9f5a5611c2c9f419d9f");
    assert_sum("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
               "57edf4a22be3c955ac49da2e2107b67a");
}

/* Around the end of a block, the length has room in it, or has not. */
static void
every_length_has_its_sum(void **state)
{
    char text[130], sum[RH_MD5_TEXT];

    (void)state;
    memset(text, 'x', sizeof text);
    rh_md5_sum(text, 55, sum);
    assert_string_equal(sum, "04364420e25c512fd958a70738aa8f72");
    rh_md5_sum(text, 56, sum);
    assert_string_equal(sum, "668a72d5ba17f08e62dabcafad6db14b");
    rh_md5_sum(text, 64, sum);
    assert_string_equal(sum, "c1bb4f81d892b2d57947682aeb252456");
    rh_md5_sum(text, 120, sum);
    assert_string_equal(sum, "fb98667f98096de92620b64f46e1c5b5");
}

static void
a_key_is_armored(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct looking l = { .arena = a };

    (void)state;
    assert_true(rh_armor_is_binary_key("\x99\x01\x0d\x04", 4));
    assert_true(rh_armor_is_binary_key("\xc6\x33\x04\x01", 4));
    assert_false(rh_armor_is_binary_key("-----BEGIN", 10));
    assert_false(rh_armor_is_binary_key("\x99", 1));
    assert_false(rh_armor_is_binary_key("", 0));
    /* The checksum of "123456789" by CRC-24 of OpenPGP is 0x21cf02. */
    assert_string_equal(rh_armor_key(&l, "123456789", 9), "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n"
                                                          "MTIzNDU2Nzg5\n=Ic8C\n"
                                                          "-----END PGP PUBLIC KEY BLOCK-----\n");
    assert_non_null(strstr(rh_armor_key(&l, "1234567", 7), "\nMTIzNDU2Nw==\n="));
    assert_non_null(strstr(rh_armor_key(&l, "12345678", 8), "\nMTIzNDU2Nzg=\n="));
    assert_non_null(strstr(rh_armor_key(&l, "123456789012345678901234567890123456789012345678", 48),
                           "\nMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4\n="));
    assert_non_null(strstr(rh_armor_key(&l, "1234567890123456789012345678901234567890123456789", 49),
                           "MzQ1Njc4\nOQ==\n="));
}

static void
a_path_has_a_second_name_where_links_lead_to_usr(void **state)
{
    static const struct {
        const char *path, *other;
    } all[] = {
        { "/usr/bin/one", "/bin/one" },
        { "/bin/one", "/usr/bin/one" },
        { "/usr/sbin/two", "/sbin/two" },
        { "/sbin/two", "/usr/sbin/two" },
        { "/usr/lib/three", "/lib/three" },
        { "/lib/three", "/usr/lib/three" },
        { "/usr/lib64/x", "/lib64/x" },
        { "/lib64/x", "/usr/lib64/x" },
        { "/usr/share/x", NULL },
        { "/etc/bin/x", NULL },
        { "/usr/binary", NULL },
        { "/", NULL },
    };
    struct rh_arena *a = rh_arena_new(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *other = rh_dpkg_other_name(a, all[i].path);

        if (!all[i].other)
            assert_null(other);
        else
            assert_string_equal(other ? other : "", all[i].other);
    }
    rh_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_standard),
        cmocka_unit_test(every_length_has_its_sum),
        cmocka_unit_test(a_key_is_armored),
        cmocka_unit_test(a_path_has_a_second_name_where_links_lead_to_usr),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
