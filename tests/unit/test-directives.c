/* SPDX-License-Identifier: Apache-2.0 */
/* test-directives - which name a misspelling is near, by how many letters differ. */
#include "config.h"

#include "../../plugins/systemd_unit/directives.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* The text at the start of a page with none before it: what stands in front of it must not be read. */
static char *
at_the_start_of_a_page(const char *text)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *both = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(both, MAP_FAILED);
    assert_int_equal(mprotect(both, page, PROT_NONE), 0);
    return strcpy(both + page, text);
}

static void
assert_distance(const char *a, const char *b, size_t expected)
{
    char *one = at_the_start_of_a_page(a), *other = at_the_start_of_a_page(b);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    assert_int_equal(distance(one, other), expected);
    assert_int_equal(distance(other, one), expected);
    assert_int_equal(munmap(one - page, 2 * page), 0);
    assert_int_equal(munmap(other - page, 2 * page), 0);
}

static void
letters_that_differ_are_counted(void **state)
{
    (void)state;
    assert_distance("Nice", "Nice", 0);
    assert_distance("Nice", "nICE", 0);
    assert_distance("", "", 0);
    assert_distance("", "Nice", 4);
    assert_distance("Nice", "Nce", 1);
    assert_distance("Nice", "Nyice", 1);
    assert_distance("Nice", "Nize", 1);
    assert_distance("abc", "xyz", 3);
    assert_distance("aab", "ab", 1);
}

static void
two_that_are_swapped_are_one_mistake(void **state)
{
    (void)state;
    assert_distance("Nice", "iNce", 1);
    assert_distance("Nice", "Niec", 1);
    assert_distance("ab", "ba", 1);
    assert_distance("abab", "baba", 2);
    assert_distance("xabx", "xbax", 1);
    assert_distance("aa", "aa", 0);
}

static void
names_are_found(void **state)
{
    (void)state;
    assert_string_equal(directives_near_section("Servcie"), "Service");
    assert_string_equal(directives_near_section("service"), "Service");
    assert_null(directives_near_section("Nothing"));
    assert_string_equal(directives_near_setting("Service", "ExceStart"), "ExecStart");
    assert_null(directives_near_setting("Service", "Xxxxxxxxx"));
    assert_null(directives_near_setting("None", "ExecStart"));
}

/* Longer ones are near nothing. */
static void
no_name_is_too_long(void **state)
{
    char longest[LONGEST + 2];

    (void)state;
    memset(longest, 'x', sizeof longest);
    longest[LONGEST] = '\0';
    assert_int_equal(distance(longest, longest), 0);
    longest[LONGEST] = 'x';
    longest[LONGEST + 1] = '\0';
    assert_int_equal(distance(longest, "x"), LONGEST);
    assert_int_equal(distance("x", longest), LONGEST);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_that_differ_are_counted),
        cmocka_unit_test(two_that_are_swapped_are_one_mistake),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(no_name_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
