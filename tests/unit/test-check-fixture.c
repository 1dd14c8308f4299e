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
#include "base/value.h"

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
    assert_refused("[]", "a fixture is a hash, with 'states' in it");
    assert_refused("state: []", "unknown key 'state' in a fixture");
    assert_refused("states: {}", "'states' must be a list");
    assert_refused("states: [a]", "'a state' must be a hash");
    assert_refused("states: [{state: {}}]", "a state needs a 'title', a text");
    assert_refused("states: [{title: a, is: b}]", "unknown key 'is' in a fixture");
    assert_refused("files: []", "'files' must be a hash");
    assert_refused("files: {/etc/x: y}", "'files' has '/etc/x', which is neither below");
    assert_refused("files: {\"${dir}x\": y}", "x', which is neither below");
    assert_refused("files: {\"${dir}/../x\": y}", "which is neither below");
    assert_refused("files: {\"${dir}/x\": [y]}", "or no text");
    assert_refused("private: [etc]", "not 'etc'");
    assert_refused("private: [/]", "not '/'");
    assert_refused("private: [//]", "not '//'");
    assert_refused("private: [/etc/]", "not '/etc/'");
    assert_refused("private: /etc", "'private' must be a list");
    assert_refused("programs: [[a]]", "a program must be a text");
    assert_refused("programs: [\"\"]", "a program must be a text");
    assert_refused("touched: [\"\"]", "a path must be a text");
    assert_refused("prepare: [a]", "'a command of prepare' must be a list");
    assert_refused("prepare: [[]]", "a command of 'prepare' is empty");
    assert_refused("prepare: [[\"\"]]", "a word of a command must be a text");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_files_are_written_each_time),
        cmocka_unit_test(its_words_are_read),
        cmocka_unit_test(mistakes_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
