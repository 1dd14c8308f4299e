/* SPDX-License-Identifier: Apache-2.0 */
/* test-private-store - what core/provider/private-store.c promises: what is kept is for its owner alone, and
 * nothing is read that somebody else could have put there. */
#include "config.h"

#include "provider/private-store.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "provider/exec-child.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What somebody puts in the place of a new file, right before it is created. */
static const char *meanwhile;
static bool as_link;

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);

int
__wrap_openat(int at, const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    if (flags & O_CREAT) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
        assert_int_equal(mode, 0600);
        if (meanwhile && as_link)
            assert_int_equal(symlinkat(meanwhile, at, name), 0);
        else if (meanwhile)
            assert_int_equal(linkat(AT_FDCWD, meanwhile, at, name, 0), 0);
    }
    return __real_openat(at, name, flags, mode);
}

/* What it is called where a long has 32 bits. */
int __wrap_openat64(int at, const char *name, int flags, ...) __attribute__((alias("__wrap_openat")));

static char dir[] = "/tmp/rhost-private-XXXXXX";
static int state_fd;
static struct rh_arena *arena;
static struct rh_error err;

static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    state_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(state_fd >= 0);
    rh_exec_hold(state_fd);
    arena = rh_arena_new(NULL);
    meanwhile = NULL;
    as_link = false;
    (void)umask(0);
    (void)alarm(20);
    return 0;
}

static int
teardown(void **state)
{
    static const char *const names[] = { "private/own,own/a",
                                         "private/own,own/a.new",
                                         "private/own,own/key",
                                         "private/own,own",
                                         "private",
                                         "other/a",
                                         "other",
                                         "victim" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)remove(names[i]);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(dir), 0);
    rh_error_clear(&err);
    rh_exec_hold(-1);
    close(state_fd);
    rh_arena_free(arena);
    (void)umask(022);
    (void)alarm(0);
    return 0;
}

static mode_t
mode_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st.st_mode & 07777;
}

static void
write_file(const char *at, const char *text, mode_t mode)
{
    int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static const struct rh_value *
text(const char *s)
{
    return rh_value_string(arena, s);
}

static void
assert_kept(const char *s)
{
    const struct rh_value *v;

    assert_int_equal(rh_private_read(arena, "own,own", "a", &v, &err), 0);
    assert_string_equal(rh_value_str(v, "nothing"), s);
}

/* It is refused for this reason. */
static void
assert_refused(int rc, const char *how, int why)
{
    char expected[256];

    (void)snprintf(expected, sizeof expected,
                   "cannot %s what is kept for resources in the state directory: %s", how, strerror(why));
    assert_int_equal(rc, -1);
    assert_non_null(err.message);
    assert_string_equal(err.message, expected);
    rh_error_clear(&err);
}

static void
assert_not_read(int why)
{
    const struct rh_value *v;

    assert_refused(rh_private_read(arena, "own,own", "a", &v, &err), "read", why);
    assert_null(v);
}

static void
it_is_for_its_owner_alone(void **state)
{
    (void)state;
    assert_false(rh_private_exists());
    assert_int_equal(rh_private_remove("own,own", "a", &err), 0);
    assert_kept("nothing");
    assert_int_equal(rh_private_write("own,own", "a", text("x"), &err), 0);
    assert_true(rh_private_exists());
    assert_int_equal(mode_of("private"), 0700);
    assert_int_equal(mode_of("private/own,own/a"), 0600);
    assert_kept("x");
    write_file("private/own,own/a.new", "what a killed run has left", 0644);
    assert_int_equal(rh_private_write("own,own", "a", text("y"), &err), 0);
    assert_int_equal(mode_of("private/own,own/a"), 0600);
    assert_int_equal(access("private/own,own/a.new", F_OK), -1);
    assert_kept("y");
    (void)umask(0277);
    assert_int_equal(rh_private_write("own,own", "a", text("z"), &err), 0);
    assert_int_equal(mode_of("private/own,own/a"), 0600);
    assert_int_equal(rh_private_remove("own,own", "a", &err), 0);
    assert_int_equal(rh_private_remove("own,own", "a", &err), 0);
    assert_kept("nothing");
    assert_null(err.message);
}

static void
a_link_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir("other", 0700), 0);
    write_file("other/a", "\"theirs\"\n", 0600);
    assert_int_equal(symlink("other", "private"), 0);
    assert_true(rh_private_exists());
    assert_not_read(ENOTDIR);
    assert_refused(rh_private_write("own,own", "a", text("x"), &err), "write", ENOTDIR);
    assert_refused(rh_private_remove("own,own", "a", &err), "remove", ENOTDIR);
    assert_int_equal(unlink("private"), 0);
    assert_int_equal(symlink("nowhere", "private"), 0);
    assert_true(rh_private_exists());
    assert_int_equal(unlink("private"), 0);
    assert_int_equal(mkdir("private", 0700), 0);
    assert_int_equal(symlink("../other", "private/own,own"), 0);
    assert_not_read(ENOTDIR);
    assert_refused(rh_private_write("own,own", "a", text("x"), &err), "write", ENOTDIR);
    assert_int_equal(unlink("private/own,own"), 0);
    assert_int_equal(mkdir("private/own,own", 0700), 0);
    assert_int_equal(symlink("../../other/a", "private/own,own/a"), 0);
    assert_not_read(ELOOP);
    assert_int_equal(rh_private_write("own,own", "a", text("x"), &err), 0); /* in the place of the link */
    assert_kept("x");
}

static void
only_directories_and_files_are_opened(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("private", 0700), 0);
    assert_not_read(ENOTDIR);
    assert_int_equal(unlink("private"), 0);
    assert_int_equal(mkdir("private", 0700), 0);
    assert_int_equal(mkfifo("private/own,own", 0700), 0);
    assert_not_read(ENOTDIR);
    assert_int_equal(unlink("private/own,own"), 0);
    assert_int_equal(mkdir("private/own,own", 0700), 0);
    assert_int_equal(mkfifo("private/own,own/a", 0600), 0);
    assert_not_read(EPERM);
    assert_int_equal(unlink("private/own,own/a"), 0);
    assert_int_equal(mkdir("private/own,own/a", 0600), 0);
    assert_not_read(EPERM);
    assert_refused(rh_private_remove("own,own", "a", &err), "remove", EISDIR);
    assert_refused(rh_private_write("own,own", "a", text("x"), &err), "write", EISDIR);
}

static void
what_others_may_change_is_not_read(void **state)
{
    static const mode_t open_to_others[] = { 0640, 0620, 0610, 0604, 0602, 0601 };
    static const mode_t folders[] = { 0720, 0702 };

    (void)state;
    assert_int_equal(rh_private_write("own,own", "a", text("x"), &err), 0);
    for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
        assert_int_equal(chmod("private/own,own/a", open_to_others[i]), 0);
        assert_not_read(EPERM);
    }
    assert_int_equal(chmod("private/own,own/a", 0600), 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        assert_int_equal(chmod("private", folders[i]), 0);
        assert_not_read(EPERM);
        assert_refused(rh_private_write("own,own", "a", text("y"), &err), "write", EPERM);
        assert_refused(rh_private_remove("own,own", "a", &err), "remove", EPERM);
    }
    assert_int_equal(chmod("private", 0755), 0); /* they may look */
    assert_kept("x");
    if (geteuid() == 0) {
        assert_int_equal(chown("private/own,own/a", 7, 7), 0);
        assert_not_read(EPERM);
        assert_int_equal(chown("private/own,own/a", 0, 0), 0);
        assert_int_equal(chown("private", 7, 7), 0);
        assert_not_read(EPERM);
    }
}

static void
what_comes_in_between_is_not_written_to(void **state)
{
    struct stat st;

    (void)state;
    write_file("victim", "", 0644);
    for (int i = 0; i < 2; i++) {
        meanwhile = as_link ? "../victim" : "victim";
        assert_refused(rh_private_write("own,own", "a", text("x"), &err), "write", EEXIST);
        assert_int_equal(stat("victim", &st), 0);
        assert_int_equal(st.st_size, 0);
        assert_int_equal(st.st_mode & 07777, 0644);
        as_link = true;
    }
    meanwhile = NULL;
    assert_kept("nothing");
}

static void
what_is_no_value_is_told(void **state)
{
    const struct rh_value *v;

    (void)state;
    assert_int_equal(mkdir("private", 0700), 0);
    assert_int_equal(mkdir("private/own,own", 0700), 0);
    write_file("private/own,own/a", "{", 0600);
    assert_int_equal(rh_private_read(arena, "own,own", "a", &v, &err), -1);
    assert_non_null(err.message);
    rh_error_clear(&err);
    write_file("private/own,own/a", "", 0600);
    assert_int_equal(truncate("private/own,own/a", (1 << 20) + 1), 0);
    assert_int_equal(rh_private_read(arena, "own,own", "a", &v, &err), -1);
    assert_non_null(err.message);
}

static void
there_is_one_key(void **state)
{
    unsigned char passing[RH_PRIVATE_KEY_BYTES] = { 0 }, key[RH_PRIVATE_KEY_BYTES] = { 0 },
                  none[RH_PRIVATE_KEY_BYTES] = { 0 };

    (void)state;
    assert_int_equal(rh_private_key("own,own", passing, false, &err), 0);
    assert_memory_not_equal(passing, none, sizeof none);
    assert_int_equal(access("private", F_OK), -1);
    assert_int_equal(rh_private_key("own,own", key, false, &err), 0);
    assert_memory_equal(key, passing, sizeof key);
    assert_int_equal(rh_private_key("own,own", key, true, &err), 0);
    assert_memory_equal(key, passing, sizeof key);
    assert_int_equal(mode_of("private/own,own/key"), 0600);
    write_file("private/own,own/key", "0123456789abcdef0123456789abcdef", 0600);
    assert_int_equal(rh_private_key("own,own", key, true, &err), 0);
    assert_memory_equal(key, "0123456789abcdef0123456789abcdef", sizeof key);
    write_file("private/own,own/key", "0123456789abcdef0123456789abcde", 0600);
    assert_refused(rh_private_key("own,own", key, true, &err), "read", EINVAL);
    assert_int_equal(chmod("private/own,own/key", 0644), 0);
    assert_refused(rh_private_key("own,own", key, true, &err), "read", EPERM);
}

static void
without_a_state_directory_nothing_is_kept(void **state)
{
    const struct rh_value *v;

    (void)state;
    assert_int_equal(mkdir("private", 0700), 0);
    rh_exec_hold(-1);
    assert_false(rh_private_exists());
    assert_int_equal(rh_private_read(arena, "own,own", "a", &v, &err), 0);
    assert_null(v);
    assert_int_equal(rh_private_remove("own,own", "a", &err), 0);
    assert_int_equal(rh_private_write("own,own", "a", text("x"), &err), -1);
    assert_string_equal(err.message, "cannot keep private data of resources: no state directory");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_for_its_owner_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(only_directories_and_files_are_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(what_others_may_change_is_not_read, setup, teardown),
        cmocka_unit_test_setup_teardown(what_comes_in_between_is_not_written_to, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_value_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(there_is_one_key, setup, teardown),
        cmocka_unit_test_setup_teardown(without_a_state_directory_nothing_is_kept, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
