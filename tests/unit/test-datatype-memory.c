/* SPDX-License-Identifier: Apache-2.0 */
/* test-datatype-memory - a match of a compiled type against a fitting value allocates nothing: all
 * fitting facts about the original are matched while the system's allocator counts.
 *
 * Two things are excepted, and counted: a Type held against a Type, which reads the text of the one;
 * and a pattern in the moment when it has been used so often that it becomes machine code. */
#include "config.h"

#include "datatype/alias.h"
#include "datatype/datatype.h"
#include "datatype/tagged.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value-json.h"
#include "base/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static size_t taken; /* how often memory was asked for */

/* In front of the C library's, for all libraries of this program; sanitizers have theirs there. */
#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTS 1

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *
malloc(size_t n)
{
    taken++;
    return __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
    taken++;
    return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
    taken++;
    return __libc_realloc(p, n);
}
#else
#define COUNTS 0
#endif

enum { OFTEN = 100 }; /* more than it takes to make machine code of a pattern */

/* Whether it is, or has within it, a Type with a parameter. */
static bool
reads_types(const char *text)
{
    return strstr(text, "Type[") != NULL;
}

static size_t
count_match(const struct rh_datatype *t, const struct rh_value *v)
{
    size_t before = taken;

    if (!rh_datatype_match(t, v))
        fail_msg("it does not fit any more");
    return taken - before;
}

/* Returns whether the row was counted. */
static bool
hold_row(const struct rh_aliases *aliases, const struct rh_value *row)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *text = rh_value_get_str(row, "type", "");
    const struct rh_datatype *t = rh_datatype_parse(a, aliases, text, NULL);
    struct rh_value *v = rh_value_untag(a, rh_value_get(row, "value"), NULL);
    size_t n;

    if (!t || !v || !rh_datatype_match(t, v) || reads_types(text))
        return false;
    /* As new once more, for the first match has been done above. */
    t = rh_datatype_parse(a, aliases, text, NULL);
    n = count_match(t, v);
    if (n)
        fail_msg("the first match of %s took memory %zu times", text, n);
    for (int i = 0; i < OFTEN; i++)
        (void)rh_datatype_match(t, v);
    n = count_match(t, v);
    if (n)
        fail_msg("a later match of %s took memory %zu times", text, n);
    return true;
}

static void
a_match_that_fits_takes_no_memory(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *srcdir = getenv("srcdir");
    rh_autofree char *types = rh_printf("%s/tests/conformance/mymod.types", srcdir ? srcdir : ".");
    rh_autofree char *path =
        rh_printf("%s/tests/conformance/vectors/data-type-cases.json", srcdir ? srcdir : ".");
    const struct rh_aliases *aliases = rh_aliases_load(a, types, &err);
    rh_autofree char *text = rh_read_file(path, 0, NULL, &err);
    const struct rh_value *rows = text ? rh_value_from_json(a, text, strlen(text), &err) : NULL;
    size_t counted = 0;

    (void)state;
    if (!aliases || !rows)
        fail_msg("%s", err.message);
    if (!COUNTS)
        skip();
    for (size_t i = 0; i < rh_value_count(rows); i++)
        counted += hold_row(aliases, rh_value_at(rows, i));
    assert_true(counted > 250);
}

static void
matching_what_is_long_and_deep_takes_no_memory(void **state)
{
    static const char *const cases[][2] = {
        { "Pattern[/\\A(?<user>[a-z]+)@(?<host>([a-z]+\\.)+[a-z]{2,})\\z/]",
          "\"somebody@a.host.of.some.name.example\"" },
        { "Array[Pattern[/^(a|b)*?c$/, /^d+(e|f){2,9}$/]]",
          "[\"aaaaaaaaaaaabbbbbbbbbbbbbc\", \"ddddddddddddefefef\", \"\\nc\"]" },
        { "Enum[a, 'B', true]", "\"b\"" },
        { "Struct[{a => Integer, Optional[b] => Array[Struct[{c => Variant[String, Float]}]]}]",
          "{\"a\": 1, \"b\": [{\"c\": \"x\"}, {\"c\": 1.5}]}" },
        { "Variant[Integer, Hash[Enum[x, y], Tuple[String, Integer, 1, 9]], Undef]",
          "{\"x\": [\"a\", 1, 2, 3], \"y\": [\"b\"]}" },
        { "Iterable[Tuple[String, Integer]]", "{\"a\": 1, \"b\": 2}" },
        { "Data", "[1, \"a\", null, [true, {\"a\": [1.5]}]]" },
        { "RichData", "{\"a\": [1, {\"b\": [[]]}]}" },
    };

    (void)state;
    if (!COUNTS)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        const struct rh_datatype *t = rh_datatype_parse(a, NULL, cases[i][0], NULL);
        struct rh_value *v = rh_value_from_json(a, cases[i][1], strlen(cases[i][1]), NULL);

        assert_non_null(t);
        assert_int_equal(count_match(t, v), 0);
    }
}

static void
the_count_sees_what_takes_memory(void **state)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_datatype *t = rh_datatype_parse(a, NULL, "Type[Integer]", NULL);
    struct rh_value *v = rh_value_text(a, RH_TYPE, "Integer[1, 2]", 13);

    (void)state;
    if (!COUNTS)
        skip();
    assert_true(count_match(t, v) > 0);
}

int
main(void)
{
#ifdef __SANITIZE_ADDRESS__
    puts("skipped: the sanitizer has its own malloc, and nobody can count what it is asked for");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_that_fits_takes_no_memory),
        cmocka_unit_test(matching_what_is_long_and_deep_takes_no_memory),
        cmocka_unit_test(the_count_sees_what_takes_memory),
    };

    return cmocka_run_group_tests_name("datatype-memory", tests, NULL, NULL);
}
