/* SPDX-License-Identifier: Apache-2.0 */
/* test-check-fixture - what 'rhost check' reads of a fixture, and the directory that it makes of it. */
#include "config.h"

#include "check/fixture.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/type.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct rh_sources sources;
static struct rh_complaints complaints;
static struct rh_arena *arena;
static struct rh_fixture fixture;

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);

static const char *fails; /* how the path ends that can't be made or removed */
static int fails_with;

static bool
is_to_fail(const char *path)
{
    size_t n = strlen(path), end = fails ? strlen(fails) : 0;

    if (!fails || n < end || strcmp(path + n - end, fails) != 0)
        return false;
    errno = fails_with;
    return true;
}

int
__wrap_mkdir(const char *path, mode_t mode)
{
    return is_to_fail(path) ? -1 : __real_mkdir(path, mode);
}

int
__wrap_unlinkat(int dir, const char *name, int flags)
{
    char path[300];

    (void)snprintf(path, sizeof path, "/%s", name);
    return is_to_fail(path) ? -1 : __real_unlinkat(dir, name, flags);
}

static char failure[300]; /* why the last file could not be opened */

/* Opens what is in the text, and gives what was complained of. */
static const char *
opened(const char *text)
{
    static char said[2000];
    char path[] = "/tmp/rhost-fixture-XXXXXX";
    rh_autoerror struct rh_error err = { 0 };
    int fd = mkstemp(path), rc;
    FILE *to;

    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(close(fd), 0);
    sources = (struct rh_sources){ 0 };
    complaints = (struct rh_complaints){ .sources = &sources };
    arena = rh_arena_new(NULL);
    rc = rh_fixture_open(&fixture, arena, path, &complaints, &err);
    (void)snprintf(failure, sizeof failure, "%s", err.message ? err.message : "");
    assert_int_equal(unlink(path), 0);
    memset(said, 0, sizeof said);
    to = fmemopen(said, sizeof said - 1, "w");
    assert_non_null(to);
    rh_complaints_print(&complaints, to, false);
    (void)fclose(to);
    assert_int_equal(rc, *said || err.message ? -1 : 0);
    assert_int_equal(fixture.base == NULL, rc < 0);
    return said;
}

static void
close_all(void)
{
    rh_fixture_close(&fixture);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    rh_arena_free(arena);
}

static void
assert_refused(const char *text, const char *why)
{
    const char *said = opened(text);

    if (!strstr(said, why))
        fail_msg("%s: '%s' is not in '%s'", text, why, said);
    close_all();
}

static mode_t
mode_of(const char *folder, const char *name)
{
    struct stat st;
    char path[300];

    (void)snprintf(path, sizeof path, "%s%s", folder, name);
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static void
its_files_are_written_each_time(void **state)
{
    char base[200], path[300];
    rh_autofree char *text = NULL;

    (void)state;
    (void)umask(0);
    assert_string_equal(opened("files: {\"${dir}/a/b\": text, \"${dir}/c\": \"${dir}\"}\n"
                               "states: [{title: \"${dir}/a\"}]\n"),
                        "");
    (void)snprintf(base, sizeof base, "%s", fixture.base);
    assert_int_equal(mode_of(fixture.base, ""), 0700);
    assert_int_equal(mode_of(fixture.base, "/memory"), 0755);
    assert_int_equal(mode_of(fixture.dir, ""), 0755);
    assert_int_equal(rh_fixture_reset(&fixture, NULL), 0);
    assert_int_equal(mode_of(fixture.dir, "/a"), 0755);
    assert_int_equal(mode_of(fixture.dir, "/a/b"), 0644);
    (void)snprintf(path, sizeof path, "%s/c", fixture.dir);
    text = rh_read_file(path, 0, NULL, NULL);
    assert_string_equal(text, fixture.dir);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/new", fixture.dir);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(rh_fixture_write(&fixture, true, NULL), 0); /* of those elsewhere there are none */
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(rh_fixture_reset(&fixture, NULL), 0);
    assert_int_equal(mode_of(fixture.dir, "/c"), 0644);
    assert_int_equal(access(path, F_OK), -1);
    close_all();
    assert_int_equal(access(base, F_OK), -1);
}

static void
its_words_are_read(void **state)
{
    (void)state;
    assert_string_equal(
        opened("type: file\nprovider: posix\nabsent: x\nchanges: false\nprivate: [network, /etc]\n"
               "programs: [sh]\ntouched: [/var]\nprepare: [[true, x]]\nfiles: {/etc/x: y}\n"
               "states:\n- title: a\n  state: {}\n  updates: {}\n  refused: {}\n"),
        "");
    assert_string_equal(fixture.type, "file");
    assert_string_equal(fixture.provider, "posix");
    assert_string_equal(fixture.absent, "x");
    assert_false(fixture.changes);
    assert_true(fixture.network);
    assert_int_equal(rh_value_count(fixture.private), 1);
    assert_int_equal(rh_value_count(fixture.list), 1);
    close_all();
    assert_string_equal(opened("states: []\n"), "");
    assert_true(fixture.changes);
    assert_false(fixture.network);
    assert_null(fixture.type);
    close_all();
}

static void
mistakes_are_named(void **state)
{
    (void)state;
    assert_refused("[]", "a fixture must be a hash with the key 'states'");
    assert_refused("state: []", "unknown key 'state' in a fixture");
    assert_refused("states: {}", "'states' must be a list");
    assert_refused("states: [a]", "'a state' must be a hash");
    assert_refused("states: [{state: {}}]", "a state must have a 'title', a string");
    assert_refused("states: [{title: a, is: b}]", "unknown key 'is' in a fixture");
    assert_refused("files: []", "'files' must be a hash");
    assert_refused("files: {/etc/x: y}", "'files': '/etc/x' must be a path below");
    assert_refused("files: {\"${dir}x\": y}", "x' must be a path below");
    assert_refused("files: {\"${dir}/../x\": y}", "must be a path below");
    assert_refused("files: {\"${dir}/x\": [y]}", "and its value a string");
    assert_refused("private: [/etc]\nfiles: {//etc/x: y}", "must be a path below");
    assert_refused("private: [etc]", "not 'etc'");
    assert_refused("private: [/]", "not '/'");
    assert_refused("private: [//]", "not '//'");
    assert_refused("private: [/etc/]", "not '/etc/'");
    assert_refused("private: /etc", "'private' must be a list");
    assert_refused("programs: [[a]]", "a program must be a non-empty string");
    assert_refused("programs: [\"\"]", "a program must be a non-empty string");
    assert_refused("touched: [\"\"]", "a path must be a non-empty string");
    assert_refused("prepare: [a]", "'a command of prepare' must be a list");
    assert_refused("prepare: [[]]", "a command of 'prepare' is empty");
    assert_refused("prepare: [[\"\"]]", "a word of a command must be a non-empty string");
}

static void
it_is_for_the_type_and_the_provider_that_it_names(void **state)
{
    static const struct {
        const char *text;
        bool fits;
    } cases[] = {
        { "states: []\n", true },
        { "type: file\n", true },
        { "type: link\n", false },
        { "provider: posix\n", true },
        { "provider: other\n", false },
        { "type: file\nprovider: posix\n", true },
        { "type: link\nprovider: posix\n", false },
        { "type: file\nprovider: other\n", false },
    };
    const struct rh_type type = { .type = "file", .provider = "posix" };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(opened(cases[i].text), "");
        if (rh_fixture_is_for(&fixture, &type) != cases[i].fits)
            fail_msg("%s", cases[i].text);
        close_all();
    }
}

static int
fit(const char *text)
{
    static const char description[] =
        "{\"type\": \"user\", \"provider\": \"useradd\", \"plugin\": \"test\", \"version\": \"1\","
        " \"slots\": 64, \"attributes\": [{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
        " {\"name\": \"uid\", \"type\": \"Integer\"}]}";
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v;
    const struct rh_type *type;

    assert_string_equal(opened(text), "");
    v = rh_value_from_json(arena, description, strlen(description), &err);
    assert_non_null(v);
    type = rh_type_read(arena, v, &err);
    if (!type)
        fail_msg("%s", err.message);
    return rh_fixture_fit(&fixture, arena, type, &complaints);
}

static void
its_values_are_read_by_the_type(void **state)
{
    (void)state;
    assert_int_equal(fit("states:\n- {title: a, state: {uid: 7, name: 8}, updates: {uid: 9}}\n"
                         "- {title: b, refused: {uid: x}}\n"),
                     0);
    assert_int_equal(fixture.n, 2);
    assert_string_equal(fixture.states[0].title, "a");
    assert_int_equal(rh_value_count(fixture.states[0].given), 2);
    assert_int_equal(rh_value_get(fixture.states[0].given, "uid")->kind, RH_INTEGER);
    assert_string_equal(rh_value_get_str(fixture.states[0].given, "name", ""), "8");
    assert_int_equal(rh_value_count(fixture.states[0].updates), 1);
    assert_int_equal(rh_value_count(fixture.states[0].refused), 0);
    assert_string_equal(rh_value_get_str(fixture.states[1].refused, "uid", ""), "x");
    close_all();
    assert_int_equal(fit("states: [{title: a, state: {udi: 7}}]"), -1);
    assert_int_equal(rh_complaints_count(&complaints), 1);
    close_all();
    assert_int_equal(fit("states: [{title: a, updates: [7]}]"), -1);
    close_all();
    assert_int_equal(fit("states: []"), 0);
    assert_int_equal(fixture.n, 0);
    close_all();
}

static void
its_directory_is_where_others_are(void **state)
{
    char dir[] = "/tmp/rhost-fixture-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(setenv("TMPDIR", dir, 1), 0);
    assert_string_equal(opened("states: []"), "");
    assert_memory_equal(fixture.base, dir, strlen(dir));
    close_all();
    assert_int_equal(rmdir(dir), 0); /* nothing is left */
    assert_string_equal(opened("states: []"), "");
    assert_null(fixture.base);
    assert_non_null(strstr(failure, "cannot create a directory in '/tmp/rhost-fixture-"));
    close_all();
    assert_int_equal(setenv("TMPDIR", "tmp", 1), 0);
    assert_string_equal(opened("states: []"), "");
    assert_memory_equal(fixture.base, "/tmp/rhost-check.", 17);
    close_all();
    assert_int_equal(unsetenv("TMPDIR"), 0);
}

static void
nothing_is_left_of_one_that_could_not_be_opened(void **state)
{
    char dir[] = "/tmp/rhost-fixture-XXXXXX";
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(rh_fixture_open(&fixture, NULL, "/no/such/file", NULL, &err), -1);
    assert_non_null(strstr(err.message, "/no/such/file"));
    assert_null(fixture.base);
    assert_non_null(mkdtemp(dir));
    assert_int_equal(setenv("TMPDIR", dir, 1), 0);
    fails = "/memory";
    fails_with = ENOSPC;
    assert_string_equal(opened("states: []"), "");
    fails = NULL;
    assert_null(fixture.base);
    assert_non_null(strstr(failure, "cannot create a directory in "));
    assert_non_null(strstr(failure, strerror(ENOSPC)));
    close_all();
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void
what_can_not_be_written_or_removed_is_said(void **state)
{
    rh_autoerror struct rh_error below = { 0 }, above = { 0 }, busy = { 0 };

    (void)state;
    assert_string_equal(opened("files: {\"${dir}/a\": x, \"${dir}/a/b/c\": y}"), "");
    assert_int_equal(rh_fixture_reset(&fixture, &below), -1);
    assert_non_null(strstr(below.message, strerror(ENOTDIR)));
    assert_non_null(strstr(below.message, "create directory"));
    close_all();
    assert_string_equal(opened("files: {\"${dir}/a/b\": x, \"${dir}/a\": y}"), "");
    assert_int_equal(rh_fixture_reset(&fixture, &above), -1);
    assert_non_null(above.message);
    close_all();
    assert_string_equal(opened("files: {\"${dir}/a\": x}"), "");
    assert_int_equal(rh_fixture_reset(&fixture, NULL), 0);
    fails = "/a";
    fails_with = EBUSY;
    assert_int_equal(rh_fixture_reset(&fixture, &busy), -1);
    assert_non_null(strstr(busy.message, "cannot empty the directory"));
    fails_with = ENOENT; /* somebody else was faster */
    assert_int_equal(rh_fixture_reset(&fixture, NULL), 0);
    fails = NULL;
    close_all();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_files_are_written_each_time),
        cmocka_unit_test(its_words_are_read),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(it_is_for_the_type_and_the_provider_that_it_names),
        cmocka_unit_test(its_values_are_read_by_the_type),
        cmocka_unit_test(its_directory_is_where_others_are),
        cmocka_unit_test(nothing_is_left_of_one_that_could_not_be_opened),
        cmocka_unit_test(what_can_not_be_written_or_removed_is_said),
    };

    (void)unsetenv("TMPDIR"); /* of whoever runs this */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
