/* SPDX-License-Identifier: Apache-2.0 */
/* test-bootstrap - the lines of the target, the script for it, and the names of kits. */
#include "config.h"

#include "reach/bootstrap.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char nonce[] = "abcdefgh01234567";
#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SAID "arch=x86_64 uid=1000 tar=1 gzip=0 sha256sum=1 damaged=1 dir=/var/cache/rhost/kits"

static enum rh_bootstrap_word
parse(struct rh_bootstrap_answer *a, const char *line)
{
    rh_bootstrap_parse(a, nonce, line, strlen(line));
    return a->word;
}

static enum rh_bootstrap_word
word_of(const char *line)
{
    struct rh_bootstrap_answer a;
    enum rh_bootstrap_word word = parse(&a, line);

    rh_bootstrap_answer_clear(&a);
    return word;
}

static void
an_answer_is_read(void **state)
{
    struct rh_bootstrap_answer a;

    (void)state;
    assert_int_equal(parse(&a, "RHOST-KIT abcdefgh01234567 need kit=" DIGEST " " SAID "\r"),
                     RH_BOOTSTRAP_NEED);
    assert_string_equal(a.kit, DIGEST);
    assert_string_equal(a.arch, "x86_64");
    assert_string_equal(a.dir, "/var/cache/rhost/kits");
    assert_int_equal(a.uid, 1000);
    assert_true(a.tar && a.sha256sum && a.damaged && !a.gzip);
    rh_bootstrap_answer_clear(&a);
    assert_int_equal(
        parse(&a, "RHOST-KIT abcdefgh01234567 error no-space arch=i386 uid=0 the disk is\x1b[1m full"),
        RH_BOOTSTRAP_ERROR);
    assert_string_equal(a.error, "no-space");
    assert_string_equal(a.arch, "i386");
    assert_string_equal(a.message, "the disk is\\x1b[1m full");
    rh_bootstrap_answer_clear(&a);
    assert_int_equal(word_of("RHOST-KIT abcdefgh01234567 have kit=" DIGEST " " SAID), RH_BOOTSTRAP_HAVE);
    assert_int_equal(word_of("RHOST-KIT abcdefgh01234567 ready kit=" DIGEST " " SAID), RH_BOOTSTRAP_READY);
}

static void
noise_is_no_answer(void **state)
{
    (void)state;
    assert_int_equal(word_of(""), RH_BOOTSTRAP_NOISE);
    assert_int_equal(word_of("Welcome"), RH_BOOTSTRAP_NOISE);
    assert_int_equal(word_of("RHOST-KIT"), RH_BOOTSTRAP_NOISE);
    assert_int_equal(word_of("RHOST-KIT abcdefgh0123456 have"), RH_BOOTSTRAP_NOISE);
    assert_int_equal(word_of("RHOST-KIT abcdefgh012345678 have"), RH_BOOTSTRAP_NOISE);
    assert_int_equal(word_of(" RHOST-KIT abcdefgh01234567 have kit=" DIGEST " " SAID), RH_BOOTSTRAP_NOISE);
}

static void
an_incomplete_answer_is_an_error(void **state)
{
    static const char *const lines[] = {
        "RHOST-KIT abcdefgh01234567",
        "RHOST-KIT abcdefgh01234567 ",
        "RHOST-KIT abcdefgh01234567 have",
        "RHOST-KIT abcdefgh01234567 need kit=12 " SAID,
        "RHOST-KIT abcdefgh01234567 gone kit=" DIGEST " " SAID,
        "RHOST-KIT abcdefgh01234567 error",
        "RHOST-KIT abcdefgh01234567 error N\x01 x",
        "RHOST-KIT abcdefgh01234567 have kit=" DIGEST " uid=99999999999999999999 arch=x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct rh_bootstrap_answer a;

        assert_int_equal(parse(&a, lines[i]), RH_BOOTSTRAP_ERROR);
        assert_string_equal(a.error, "no-answer");
        rh_bootstrap_answer_clear(&a);
    }
}

static void
the_script_has_its_length_and_its_words_quoted(void **state)
{
    struct rh_kit kit = { .fd = -1, .size = 1000, .unpacked = 1 << 20, .digest = DIGEST };
    const char *const argv[] = { "apply", "it's; $(touch x)", NULL };
    struct rh_bootstrap b = { .nonce = nonce, .kits = &kit, .n_kits = 1, .argv = argv };
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    size_t length;
    char *end;

    (void)state;
    kit.arch = rh_xstrdup("x86_64");
    text = rh_bootstrap_text(&b, &err);
    assert_non_null(text);
    length = strtoul(text, &end, 10);
    assert_int_equal(length, strlen(end + 1));
    assert_int_equal(*end, '\n');
    assert_non_null(strstr(text, "'apply' 'it'\\''s; $(touch x)'\n}\n"));
    assert_non_null(strstr(text, "kits='x86_64:" DIGEST ":"));
    assert_null(strstr(text, "\n#"));
    b.nonce = "a b c d e";
    assert_null(rh_bootstrap_text(&b, &err));
    rh_kit_clear(&kit);
}

static void
put(const char *directory, const char *name, const char *text, time_t when)
{
    rh_autofree char *path = rh_printf("%s/%s", directory, name);
    struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };

    assert_int_equal(rh_replace_file(path, text, strlen(text), 0644, NULL), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void
kits_are_found_by_their_names(void **state)
{
    static const char gz[] = "a gzip file has 18 bytes or more";
    rh_autoerror struct rh_error err = { 0 };
    char dir[] = "/tmp/test-bootstrap.XXXXXX";
    rh_autokit struct rh_kit kit = RH_KIT_INIT;
    struct rh_kit *kits;
    size_t n;

    (void)state;
    assert_non_null(mkdtemp(dir));
    put(dir, "rhost-kit-x86_64-" DIGEST ".tar.gz", gz, 1000);
    put(dir, "rhost-kit-x86_64-f" DIGEST ".tar.gz", gz, 2000); /* too long */
    put(dir, "rhost-kit-aarch64-" DIGEST ".tar.gz", gz, 3000);
    put(dir, "rhost-kit-i386-" DIGEST ".tar.gz", "short", 3000);
    put(dir, "rhost-kit-x86-64-" DIGEST ".tar.gz", gz, 3000);
    assert_int_equal(rh_kit_list(&kits, &n, dir, &err), 0);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++)
        rh_kit_clear(&kits[i]);
    free(kits);
    assert_int_equal(rh_kit_find(&kit, "arm64", dir, &err), 0);
    assert_string_equal(kit.arch, "aarch64");
    assert_string_equal(kit.digest, DIGEST);
    rh_kit_clear(&kit);
    assert_int_equal(rh_kit_find(&kit, "i686", dir, &err), 1);
    assert_int_equal(rh_kit_find(&kit, rh_kit_own_arch(), "/nowhere/at/all", &err), 1);
    rh_autofree char *remove = rh_printf("rm -r %s", dir);

    assert_int_equal(system(remove), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_read),
        cmocka_unit_test(noise_is_no_answer),
        cmocka_unit_test(an_incomplete_answer_is_an_error),
        cmocka_unit_test(the_script_has_its_length_and_its_words_quoted),
        cmocka_unit_test(kits_are_found_by_their_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
