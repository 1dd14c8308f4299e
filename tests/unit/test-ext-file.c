/* SPDX-License-Identifier: Apache-2.0 */
/* test-ext-file - what <rhost/file.h> promises. */
#include "config.h"

#include "fake-host.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "provider/file-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

/* Linked in place of openat(): a file system that knows no files without a name. */
static struct {
    bool no_tmpfile;
    int flags; /* of the last one that was created with a name */
    mode_t mode;
    char name[NAME_MAX + 1]; /* and the name */
    int created;
} named;

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);

int
__wrap_openat(int at, const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    if ((flags & O_TMPFILE) == O_TMPFILE && named.no_tmpfile) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (flags & O_CREAT) {
        named.flags = flags;
        named.mode = mode;
        named.created++;
        snprintf(named.name, sizeof named.name, "%s", name);
    }
    return __real_openat(at, name, flags, mode);
}

/* What it is called where a long has 32 bits. */
int __wrap_openat64(int at, const char *name, int flags, ...) __attribute__((alias("__wrap_openat")));

/* Linked in place of linkat(): what the direct way of giving a file a name fails with, or 0; and what the way
 * through /proc fails with. */
static struct {
    int direct, proc;
    int n_direct, n_proc;
} linking;

int __real_linkat(int from, const char *old, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *name, int flags);

int
__wrap_linkat(int from, const char *old, int to, const char *name, int flags)
{
    bool direct = flags & AT_EMPTY_PATH;
    int why = direct ? linking.direct : linking.proc;

    linking.n_direct += direct;
    linking.n_proc += !direct;
    if (!why)
        return __real_linkat(from, old, to, name, flags);
    errno = why;
    return -1;
}

static struct fake fake;
static char dir[] = "/tmp/rhost-file-XXXXXX";
static char path[64], other[64];

static int
setup(void **state)
{
    (void)state;
    fake_open(&fake);
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/file", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    umask(022);
    memset(&named, 0, sizeof named);
    memset(&linking, 0, sizeof linking);
    return 0;
}

static int
teardown(void **state)
{
    struct rhost_command rm = { .struct_size = sizeof rm,
                                .argv = (const char *const[]){ "rm", "-rf", dir, NULL } };
    struct rhost_output out;

    (void)state;
    fake.noop = false;
    (void)rhost_run(&fake.ctx, &rm, &out);
    rh_durable_clear();
    fake_close(&fake);
    return 0;
}

static struct rhost_new_file
new_file(const char *content)
{
    return (struct rhost_new_file){ .struct_size = sizeof(struct rhost_new_file),
                                    .path = path,
                                    .content = content,
                                    .content_len = strlen(content),
                                    .mode = -1,
                                    .uid = -1,
                                    .gid = -1 };
}

static int32_t
replace(struct rhost_new_file file)
{
    rh_buf_truncate(&fake.failure, 0);
    return rhost_replace_file(&fake.ctx, &file);
}

static void
write_file(const char *at, const char *content, mode_t mode)
{
    rh_autoclose int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, content, strlen(content)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
}

static void
assert_content(const char *at, const char *content)
{
    rh_autofree char *text = rh_read_file(at, 0, NULL, NULL);

    assert_non_null(text);
    assert_string_equal(text, content);
}

static void
assert_nothing_beside(size_t expected)
{
    rh_autoclosedir DIR *d = opendir(dir);
    size_t n = 0;

    while (readdir(d))
        n++;
    assert_int_equal(n - 2, expected);
}

static struct stat
stat_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st;
}

static void
a_new_file_has_the_usual_mode(void **state)
{
    (void)state;
    assert_int_equal(replace(new_file("hello\n")), 0);
    assert_content(path, "hello\n");
    assert_int_equal(stat_of(path).st_mode & 07777, 0644);
    assert_nothing_beside(1);
    assert_true(rh_durable_pending());
    assert_int_equal(rh_durable_sync(NULL), 0);
    assert_false(rh_durable_pending());
}

static void
assert_fails_with(const char *why)
{
    rh_autofree char *expected = rh_printf("cannot write '%s': %s", path, why);

    assert_string_equal(rh_buf_text(&fake.failure), expected);
}

/* An older kernel lets only root give a name to an open file. */
static void
where_the_direct_way_is_closed_there_is_one_through_proc(void **state)
{
    (void)state;
    linking.direct = ENOENT;
    assert_int_equal(replace(new_file("hello\n")), 0);
    assert_content(path, "hello\n");
    assert_nothing_beside(1);
    assert_int_equal(linking.n_direct, 1);
    assert_int_equal(linking.n_proc, 1);
    linking.proc = EPERM;
    assert_int_equal(replace(new_file("new\n")), -1);
    assert_fails_with("Operation not permitted");
    assert_content(path, "hello\n");
    assert_int_equal(linking.n_proc, 2);
    linking.direct = EIO; /* the other way would fail as well */
    assert_int_equal(replace(new_file("new\n")), -1);
    assert_fails_with("Input/output error");
    assert_content(path, "hello\n");
    assert_nothing_beside(1);
    assert_int_equal(linking.n_proc, 2);
}

static void
what_was_there_keeps_its_mode_and_owner(void **state)
{
    struct rhost_new_file file = new_file("new");

    (void)state;
    write_file(path, "old", 0750);
    if (getuid() == 0) {
        assert_int_equal(chown(path, 12, 34), 0);
        assert_int_equal(chmod(path, 04750), 0);
    }
    assert_int_equal(replace(file), 0);
    assert_content(path, "new");
    if (getuid() == 0) {
        assert_int_equal(stat_of(path).st_uid, 12);
        assert_int_equal(stat_of(path).st_gid, 34);
        assert_int_equal(stat_of(path).st_mode & 07777, 0750); /* setuid was for the old content */
    }
    file.mode = 0600;
    assert_int_equal(replace(file), 0);
    assert_int_equal(stat_of(path).st_mode & 07777, 0600);
}

static void
extended_attributes_are_kept(void **state)
{
    char value[16] = "";

    (void)state;
    write_file(path, "old", 0644);
    if (setxattr(path, "user.note", "kept", 4, 0) < 0)
        skip();
    assert_int_equal(replace(new_file("new")), 0);
    assert_int_equal(getxattr(path, "user.note", value, sizeof value), 4);
    assert_string_equal(value, "kept");
}

static void
a_source_is_copied(void **state)
{
    struct rhost_new_file file = new_file("");

    (void)state;
    write_file(other, "from there", 0600);
    file.source = other;
    assert_int_equal(replace(file), 0);
    assert_content(path, "from there");
    file.source = "/proc/self/limits"; /* says that it is empty */
    assert_int_equal(replace(file), 0);
    assert_true(stat_of(path).st_size > 100);
    file.source = dir;
    assert_int_equal(replace(file), -1);
    assert_non_null(strstr(fake.failure.s, "it is a directory"));
}

static void
what_validate_refuses_stays_out(void **state)
{
    const char *const good[] = { "grep", "-q", "new", "%", NULL };
    const char *const bad[] = { "sh", "-c", "echo 'line 1: no good'; exit 2", NULL };
    struct rhost_new_file file = new_file("new");

    (void)state;
    write_file(path, "old", 0644);
    file.validate = bad;
    assert_int_equal(replace(file), -1);
    assert_non_null(strstr(fake.failure.s, "'sh' refuses the new content with status 2: "
                                           "line 1: no good"));
    assert_content(path, "old");
    assert_nothing_beside(1);
    file.flags = RHOST_FILE_SECRET;
    assert_int_equal(replace(file), -1);
    assert_null(strstr(fake.failure.s, "no good"));
    file.validate = good;
    assert_int_equal(replace(file), 0);
    assert_content(path, "new");
}

static void
a_link_is_replaced_or_followed(void **state)
{
    struct rhost_new_file file = new_file("new");

    (void)state;
    write_file(other, "old", 0600);
    assert_int_equal(symlink("other", path), 0);
    file.flags = RHOST_FILE_FOLLOW;
    assert_int_equal(replace(file), 0);
    assert_true(S_ISLNK(stat_of(path).st_mode));
    assert_content(other, "new");
    assert_int_equal(stat_of(other).st_mode & 07777, 0600);
    file.flags = 0;
    file.content = "mine";
    file.content_len = 4;
    assert_int_equal(replace(file), 0);
    assert_true(S_ISREG(stat_of(path).st_mode));
    assert_content(path, "mine");
    assert_content(other, "new");
}

static void
a_loop_of_links_is_refused(void **state)
{
    struct rhost_new_file file = new_file("new");

    (void)state;
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(symlink("file", other), 0);
    file.flags = RHOST_FILE_FOLLOW;
    assert_int_equal(replace(file), -1);
    assert_non_null(strstr(fake.failure.s, "Too many levels of symbolic links"));
}

static void
what_is_no_file_is_not_replaced(void **state)
{
    rh_autofree char *expected = rh_printf("cannot write '%s': it is a directory", path);

    (void)state;
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(replace(new_file("")), -1);
    assert_string_equal(fake.failure.s, expected);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(replace(new_file("")), -1);
    assert_nothing_beside(1);
}

static void
no_room_leaves_what_was_there(void **state)
{
    struct rlimit before, small = { .rlim_cur = 10, .rlim_max = RLIM_INFINITY };
    rh_autofree char *expected = rh_printf("cannot write '%s': File too large", path);
    int32_t result;

    (void)state;
    write_file(path, "old", 0644);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    result = replace(new_file("more than ten bytes"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, -1);
    assert_string_equal(fake.failure.s, expected);
    assert_content(path, "old");
    assert_nothing_beside(1);
}

static void
a_missing_directory_is_named(void **state)
{
    struct rhost_new_file file = new_file("");

    (void)state;
    file.path = "/no/such/file";
    assert_int_equal(replace(file), -1);
    assert_string_equal(fake.failure.s, "cannot write '/no/such/file': directory '/no/such' does not exist; "
                                        "'directory: /no/such' creates it");
    file.path = "relative";
    assert_int_equal(replace(file), -1);
}

static void
a_struct_without_its_size_is_refused(void **state)
{
    struct rhost_new_file file = new_file("x");

    (void)state;
    file.struct_size = 0;
    assert_int_equal(replace(file), -1);
    assert_non_null(strstr(fake.failure.s, "invalid struct_size 0 of struct rhost_new_file"));
}

static void
without_files_without_a_name_it_has_one_of_its_own(void **state)
{
    rh_autofree char *left = NULL;
    struct rhost_new_file file = new_file("a secret");

    (void)state;
    named.no_tmpfile = true;
    file.mode = 0600;
    assert_int_equal(replace(file), 0);
    assert_int_equal(named.created, 1);
    assert_int_equal(named.flags & (O_EXCL | O_NOFOLLOW), O_EXCL | O_NOFOLLOW);
    assert_int_equal(named.mode, 0600); /* whatever its mode is to be */
    assert_content(path, "a secret");
    assert_nothing_beside(1);

    /* What a killed run has left is not written over: the end of it would stay. */
    left = rh_printf("%s/%s", dir, named.name);
    write_file(left, "what an earlier run has left, which is longer", 0666);
    named.created = 0;
    assert_int_equal(replace(new_file("new")), 0);
    assert_true(named.created > 1);
    assert_content(path, "new");
    assert_int_equal(stat_of(path).st_mode & 07777, 0600);
    assert_nothing_beside(1);
}

/* A directory that others can write to: they may have taken the name. */
static void
a_name_that_others_have_taken_is_left_alone(void **state)
{
    rh_autofree char *taken = NULL;

    (void)state;
    named.no_tmpfile = true;
    write_file(other, "root's own", 0600);
    assert_int_equal(replace(new_file("first")), 0);
    taken = rh_printf("%s/%s", dir, named.name);
    assert_int_equal(symlink(other, taken), 0);
    assert_int_equal(replace(new_file("second")), 0);
    assert_content(other, "root's own");
    assert_content(path, "second");
}

static void
noop_writes_nothing(void **state)
{
    (void)state;
    fake.noop = true;
    assert_int_equal(replace(new_file("x")), -1);
    assert_nothing_beside(0);
}

static void
what_a_plugin_wrote_by_itself_is_covered(void **state)
{
    (void)state;
    rhost_touched(&fake.ctx, "/no/such/thing/at/all");
    assert_false(rh_durable_pending());
    rhost_touched(&fake.ctx, path); /* gone: its directory is there */
    assert_true(rh_durable_pending());
}

/* Who forgets mode, owner and group gets what -1 means, and no file that root alone may read. */
static void
zero_is_neutral(void **state)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file, .path = path, .content = "a", .content_len = 1
    };
    struct stat st;

    (void)state;
    assert_int_equal(replace(file), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644);
    assert_int_equal(st.st_uid, getuid());
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(replace(file), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    file.flags = RHOST_FILE_MODE_0;
    file.uid = file.gid = -1;
    assert_int_equal(replace(file), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0);
}

static void
unknown_flags_are_refused(void **state)
{
    const char *const argv[] = { "true", NULL };
    const struct rhost_command command = { .struct_size = sizeof command,
                                           .argv = argv,
                                           .flags = UINT64_C(1) << 20 };
    struct rhost_new_file file = new_file("a");
    struct rhost_output out;

    (void)state;
    file.flags = UINT64_C(1) << 63;
    assert_int_equal(replace(file), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure),
                           "unknown flags (bits 0x8000000000000000) in struct rhost_new_file"));
    assert_int_equal(access(path, F_OK), -1);
    rh_buf_truncate(&fake.failure, 0);
    assert_int_equal(rhost_run(&fake.ctx, &command, &out), -1);
    assert_non_null(
        strstr(rh_buf_text(&fake.failure), "unknown flags (bits 0x100000) in struct rhost_command"));
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_new_file_has_the_usual_mode),
        CASE(where_the_direct_way_is_closed_there_is_one_through_proc),
        CASE(zero_is_neutral),
        CASE(unknown_flags_are_refused),
        CASE(what_was_there_keeps_its_mode_and_owner),
        CASE(extended_attributes_are_kept),
        CASE(a_source_is_copied),
        CASE(what_validate_refuses_stays_out),
        CASE(a_link_is_replaced_or_followed),
        CASE(a_loop_of_links_is_refused),
        CASE(what_is_no_file_is_not_replaced),
        CASE(no_room_leaves_what_was_there),
        CASE(a_missing_directory_is_named),
        CASE(a_struct_without_its_size_is_refused),
        CASE(without_files_without_a_name_it_has_one_of_its_own),
        CASE(a_name_that_others_have_taken_is_left_alone),
        CASE(noop_writes_nothing),
        CASE(what_a_plugin_wrote_by_itself_is_covered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
