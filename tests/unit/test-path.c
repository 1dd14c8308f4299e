/* SPDX-License-Identifier: Apache-2.0 */
/* test-path - what <rhost/path.h> promises, with the host's own extension. */
#include "config.h"

#include "fake-host.h"

#include "base/cleanup.h"
#include "base/io.h"

#include <rhost/lines.h>
#include <rhost/posix.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/rhost-path-XXXXXX";
static char path[64];
static size_t were_open;
static struct fake fake;

static size_t
count_open(void)
{
    rh_autoclosedir DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    while (d && readdir(d))
        n++;
    return n;
}

static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/it", dir);
    fake_open(&fake);
    were_open = count_open();
    (void)alarm(10);
    return 0;
}

/* Whatever happened, nothing is left open. */
static int
teardown(void **state)
{
    struct rhost_command rm = { .struct_size = sizeof rm,
                                .argv = (const char *const[]){ "rm", "-rf", dir, NULL } };
    struct rhost_output out;

    (void)state;
    assert_int_equal(count_open(), were_open);
    (void)umask(022);
    (void)rhost_run(&fake.ctx, &rm, &out);
    fake_close(&fake);
    (void)alarm(0);
    return 0;
}

static void
write_file(const char *at, const char *text, size_t n)
{
    rh_autoclose int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, text, n), 0);
}

static mode_t
mode_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st.st_mode & 07777;
}

#define FAILS(call, number)                                                                                  \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        assert_int_equal(call, -1);                                                                          \
        assert_int_equal(errno, number);                                                                     \
    } while (0)

static void
without_its_directory_nothing_works(void **state)
{
    static const char nowhere[] = "/no/such/thing";
    const char **names, *name;
    struct stat st;
    char to[16];

    (void)state;
    FAILS(rhost_path_open(&fake.ctx, nowhere, 0, O_RDONLY, 0), ENOENT);
    FAILS(rhost_path_parent(&fake.ctx, nowhere, 0, &name), ENOENT);
    FAILS(rhost_path_stat(&fake.ctx, nowhere, 0, &st), ENOENT);
    FAILS(rhost_path_readlink(&fake.ctx, nowhere, to, sizeof to), ENOENT);
    FAILS(rhost_path_unlink(&fake.ctx, nowhere, 0), ENOENT);
    FAILS(rhost_path_mkdir(&fake.ctx, nowhere, 0755), ENOENT);
    FAILS(rhost_path_make_directory(&fake.ctx, nowhere, 0755), ENOENT);
    FAILS(rhost_path_symlink(&fake.ctx, "to", nowhere, 0), ENOENT);
    FAILS(rhost_path_list(&fake.ctx, nowhere, 0, &names), ENOENT);
    errno = 0;
    assert_null(rhost_path_read(&fake.ctx, nowhere, 0, 10, NULL, NULL));
    assert_int_equal(errno, ENOENT);
}

static void
a_directory_has_its_mode_whatever_the_umask_is(void **state)
{
    (void)state;
    (void)umask(077);
    assert_int_equal(rhost_path_make_directory(&fake.ctx, path, 0755), 1);
    assert_int_equal(mode_of(path), 0755);
    assert_int_equal(rhost_path_make_directory(&fake.ctx, path, 0700), 0); /* as it is */
    assert_int_equal(mode_of(path), 0755);
    assert_int_equal(rhost_path_make_directory(&fake.ctx, "/", 0700), 0);
    FAILS(rhost_path_make_directory(&fake.ctx, "/proc/it", 0755), ENOENT);
    FAILS(rhost_path_mkdir(&fake.ctx, path, 0755), EEXIST);
    assert_int_equal(rhost_path_unlink(&fake.ctx, path, AT_REMOVEDIR), 0);
    assert_int_equal(rhost_path_mkdir(&fake.ctx, path, 0755), 0);
    assert_int_equal(mode_of(path), 0700);
    FAILS(rhost_path_unlink(&fake.ctx, path, 0), EISDIR);
}

static void
a_link_is_itself_unless_it_is_followed(void **state)
{
    struct stat st;
    char to[16];

    (void)state;
    assert_int_equal(rhost_path_symlink(&fake.ctx, "target", path, 0), 0);
    assert_int_equal(rhost_path_stat(&fake.ctx, path, 0, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    memset(to, 'x', sizeof to);
    assert_int_equal(rhost_path_readlink(&fake.ctx, path, to, sizeof to), 6);
    assert_string_equal(to, "target");
    memset(to, 'x', sizeof to);
    assert_int_equal(rhost_path_readlink(&fake.ctx, path, to, 6), 5); /* no room */
    assert_string_equal(to, "targe");
    FAILS(rhost_path_stat(&fake.ctx, path, RHOST_PATH_FOLLOW, &st), ENOENT);
    assert_int_equal(rhost_path_symlink(&fake.ctx, dir, path, 0), 0);
    assert_int_equal(rhost_path_stat(&fake.ctx, path, RHOST_PATH_FOLLOW, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(rhost_path_stat(&fake.ctx, "/", 0, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    FAILS(rhost_path_readlink(&fake.ctx, dir, to, sizeof to), EINVAL);
    assert_int_equal(rhost_path_unlink(&fake.ctx, path, 0), 0);
    FAILS(rhost_path_unlink(&fake.ctx, path, 0), ENOENT);
}

static void
names_are_sorted(void **state)
{
    const char **names = NULL;
    char at[96];

    (void)state;
    assert_int_equal(rhost_path_list(&fake.ctx, dir, 0, &names), 0);
    for (int i = 0; i < 200; i++) {
        (void)snprintf(at, sizeof at, "%s/%03d", dir, (i * 77) % 200);
        write_file(at, "", 0);
    }
    assert_int_equal(rhost_path_list(&fake.ctx, dir, 0, &names), 200);
    for (int i = 0; i < 200; i++)
        assert_int_equal(atoi(names[i]), i);
    FAILS(rhost_path_list(&fake.ctx, at, 0, &names), ENOTDIR);
}

static void
a_file_is_read_whole(void **state)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 70000 };
    char *text, *big = calloc(1, 70000);
    struct stat st;
    size_t len;

    (void)state;
    assert_non_null(big);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(big, 'a' + (int)i, sizes[i]);
        write_file(path, big, sizes[i]);
        text = rhost_path_read(&fake.ctx, path, 0, sizes[i], &len, &st);
        assert_non_null(text);
        assert_int_equal(len, sizes[i]);
        assert_int_equal(st.st_size, sizes[i]);
        assert_memory_equal(text, big, len);
        assert_int_equal(text[len], 0);
        errno = 0;
        if (sizes[i]) {
            assert_null(rhost_path_read(&fake.ctx, path, 0, sizes[i] - 1, &len, &st));
            assert_int_equal(errno, EFBIG);
        }
    }
    free(big);
    /* Of these the size is not known before. */
    text = rhost_path_read(&fake.ctx, "/proc/self/limits", 0, 10000, &len, NULL);
    assert_non_null(text);
    assert_true(len > 500);
    assert_int_equal(strlen(text), len);
    assert_non_null(rhost_path_read(&fake.ctx, "/proc/self/limits", 0, len, NULL, NULL));
    errno = 0;
    assert_null(rhost_path_read(&fake.ctx, "/proc/self/limits", 0, len - 1, NULL, NULL));
    assert_int_equal(errno, EFBIG);
}

static void
what_is_no_file_is_not_read(void **state)
{
    (void)state;
    errno = 0;
    assert_null(rhost_path_read(&fake.ctx, dir, 0, 10, NULL, NULL));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(mkfifo(path, 0600), 0);
    errno = 0;
    assert_null(rhost_path_read(&fake.ctx, path, 0, 10, NULL, NULL));
    assert_int_equal(errno, EINVAL);
}

static const char *
tidied(const char *text)
{
    struct rh_value *v = rh_value_new(fake.arena, RH_HASH);

    rh_value_put(v, "path", rh_value_string(fake.arena, text));
    rhost_tidy_path(&fake.ctx, fake_out(v), "path");
    return rh_value_str(rh_value_get(v, "path"), "");
}

static const char *
tidied_mode(const char *text)
{
    struct rh_value *v = rh_value_new(fake.arena, RH_HASH);

    rh_value_put(v, "mode", rh_value_string(fake.arena, text));
    rhost_tidy_mode(fake_out(v));
    return rh_value_str(rh_value_get(v, "mode"), "");
}

static void
one_thing_has_one_form(void **state)
{
    struct rh_value *none = rh_value_new(fake.arena, RH_HASH);

    (void)state;
    rhost_tidy_path(&fake.ctx, fake_out(none), "path");
    rhost_tidy_mode(fake_out(none));
    assert_int_equal(rh_value_count(none), 0);
    assert_string_equal(tidied("/"), "/");
    assert_string_equal(tidied("//"), "/");
    assert_string_equal(tidied("/."), "/");
    assert_string_equal(tidied("/./"), "/");
    assert_string_equal(tidied("/a"), "/a");
    assert_string_equal(tidied("/a/"), "/a");
    assert_string_equal(tidied("/a/."), "/a");
    assert_string_equal(tidied("/a//b"), "/a/b");
    assert_string_equal(tidied("/a/./b"), "/a/b");
    assert_string_equal(tidied("/a/../b/"), "/a/../b");
    assert_string_equal(tidied("/a/.b/c."), "/a/.b/c.");
    assert_string_equal(tidied("a//b/"), "a//b/");
    assert_string_equal(tidied(""), "");
    assert_string_equal(tidied_mode("644"), "0644");
    assert_string_equal(tidied_mode("0644"), "0644");
    assert_string_equal(tidied_mode("4755"), "4755");
    assert_string_equal(tidied_mode("04755"), "4755");
}

static void
numbers_stand_for_accounts(void **state)
{
    (void)state;
    assert_int_equal(rhost_look_up_id(&fake.ctx, 0, "root"), 0);
    assert_int_equal(rhost_look_up_id(&fake.ctx, 1, "root"), 0);
    assert_int_equal(rhost_look_up_id(&fake.ctx, 0, "12"), 12);
    assert_int_equal(rhost_look_up_id(&fake.ctx, 0, "4294967294"), 4294967294);
    FAILS(rhost_look_up_id(&fake.ctx, 0, "4294967295"), 0);
    FAILS(rhost_look_up_id(&fake.ctx, 0, "99999999999"), 0);
    FAILS(rhost_look_up_id(&fake.ctx, 0, ""), 0);
    FAILS(rhost_look_up_id(&fake.ctx, 0, "no-such-account"), 0);
    FAILS(rhost_look_up_id(&fake.ctx, 1, "no-such-account"), 0);
    assert_string_equal(rhost_look_up_name(&fake.ctx, 0, 0), "root");
    assert_string_equal(rhost_look_up_name(&fake.ctx, 0, 4294967294U), "4294967294");
}

/* This one has no rhost.keep/1. */
static void
a_host_that_can_keep_nothing_is_named(void **state)
{
    (void)state;
    assert_null(rhost_lines_of(&fake.ctx, "/etc/passwd"));
    assert_string_equal(rh_buf_text(&fake.failure), "this host cannot keep lines (rhost.keep/1)");
}

static struct rh_value *
hash(const char *key, const char *text)
{
    struct rh_value *v = rh_value_new(fake.arena, RH_HASH);

    if (text)
        rh_value_put(v, key, rh_value_string(fake.arena, text));
    return v;
}

static void
an_account_must_be_there(void **state)
{
    int64_t id = 7;

    (void)state;
    assert_int_equal(rhost_wanted_id(&fake.ctx, fake_out(hash("owner", NULL)), "owner", 0, &id), 0);
    assert_int_equal(id, -1);
    assert_int_equal(rhost_wanted_id(&fake.ctx, fake_out(hash("owner", "root")), "owner", 0, &id), 0);
    assert_int_equal(id, 0);
    assert_int_equal(rhost_wanted_id(&fake.ctx, fake_out(hash("owner", "nosuch")), "owner", 0, &id), -1);
    assert_string_equal(rh_buf_text(&fake.failure), "unknown user 'nosuch'");
    assert_string_equal(fake.attribute, "owner");
    rh_buf_truncate(&fake.failure, 0);
    assert_int_equal(rhost_wanted_id(&fake.ctx, fake_out(hash("group", "nosuch")), "group", 1, &id), -1);
    assert_string_equal(rh_buf_text(&fake.failure), "unknown group 'nosuch'");
    assert_string_equal(fake.attribute, "group");
}

static const char *
tidied_owner(const char *key, const char *text)
{
    struct rh_value *v = hash(key, text);

    rhost_tidy_owners(&fake.ctx, fake_out(v));
    return rh_value_str(rh_value_get(v, key), "");
}

static void
owners_are_shown_by_name(void **state)
{
    struct rh_value *v = hash("owner", NULL);
    const struct stat st = { .st_mode = S_IFREG | 04751, .st_uid = 0, .st_gid = 4294967294U };

    (void)state;
    assert_string_equal(tidied_owner("owner", "0"), "root");
    assert_string_equal(tidied_owner("group", "0"), "root");
    assert_string_equal(tidied_owner("owner", "root"), "root");
    assert_string_equal(tidied_owner("owner", "nosuch"), "nosuch");
    rh_value_put(v, "group", rh_value_integer(fake.arena, 0));
    rhost_tidy_owners(&fake.ctx, fake_out(v));
    assert_string_equal(rh_value_str(rh_value_get(v, "group"), ""), "root");
    rhost_put_stat(&fake.ctx, fake_out(v), &st);
    assert_string_equal(rh_value_str(rh_value_get(v, "owner"), ""), "root");
    assert_string_equal(rh_value_str(rh_value_get(v, "group"), ""), "4294967294");
    assert_string_equal(rh_value_str(rh_value_get(v, "mode"), ""), "4751");
    assert_int_equal(rhost_wanted_mode(fake_out(v)), 04751);
    assert_int_equal(rhost_wanted_mode(fake_out(hash("mode", NULL))), -1);
}

static rhost_value *
validate(const char *first, const char *second)
{
    struct rh_value *v = hash("validate", NULL), *list = rh_value_new(fake.arena, RH_ARRAY);

    if (first)
        rh_value_append(list, rh_value_string(fake.arena, first));
    if (second)
        rh_value_append(list, rh_value_string(fake.arena, second));
    rh_value_put(v, "validate", list);
    return fake_out(v);
}

static void
validate_names_the_file(void **state)
{
    const char *const *argv;

    (void)state;
    assert_int_equal(rhost_check_validate(&fake.ctx, validate("true", "%")), 0);
    assert_int_equal(rhost_check_validate(&fake.ctx, validate(NULL, NULL)), 0);
    assert_int_equal(rh_buf_text(&fake.failure)[0], 0);
    assert_int_equal(rhost_check_validate(&fake.ctx, validate("true", "%%")), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "no argument is \"%\""));
    assert_string_equal(fake.attribute, "validate");
    assert_null(rhost_wanted_validate(&fake.ctx, validate(NULL, NULL)));
    argv = rhost_wanted_validate(&fake.ctx, validate("true", "%"));
    assert_string_equal(argv[0], "true");
    assert_string_equal(argv[1], "%");
    memset(rhost_alloc(&fake.ctx, 16), 0xff, 16); /* the memory behind it is its own */
    assert_null(argv[2]);
}

/* Only where a link of another user was in the way. */
static void
what_is_unsafe_is_said_where_it_was(void **state)
{
    char at[96];
    int fd;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(dir, 01777), 0);
    assert_int_equal(symlink("/etc", path), 0);
    assert_int_equal(lchown(path, 12, 12), 0);
    (void)snprintf(at, sizeof at, "%s/passwd", path);
    FAILS(rhost_path_open(&fake.ctx, at, RHOST_PATH_FOLLOW, O_RDONLY, 0), ELOOP);
    assert_non_null(strstr(rhost_path_unsafe(&fake.ctx), "is a symbolic link that user "));
    assert_int_equal(rhost_fail_path(&fake.ctx, "cannot read '%s'", at), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "passwd': unsafe path: "));
    errno = EACCES; /* of something else since */
    assert_null(rhost_path_unsafe(&fake.ctx));
    assert_int_equal(errno, EACCES);
    rh_buf_truncate(&fake.failure, 0);
    assert_int_equal(rhost_fail_path(&fake.ctx, "cannot read '%s'", "it"), -1);
    assert_string_equal(rh_buf_text(&fake.failure), "cannot read 'it': Permission denied");
    fd = rhost_path_open(&fake.ctx, dir, 0, O_RDONLY | O_DIRECTORY, 0);
    assert_true(fd >= 0);
    rhost_path_close(fd);
    errno = ELOOP;
    assert_null(rhost_path_unsafe(&fake.ctx));
}

static bool
is_trusted(const char *below)
{
    char at[128];

    (void)snprintf(at, sizeof at, "%s%s", dir, below);
    return rhost_path_trusted(&fake.ctx, at) == 0;
}

/* What is there is of no interest: who could put something else there is. */
static void
a_path_is_trusted_when_only_root_can_lead_it_elsewhere(void **state)
{
    char at[96];

    (void)state;
    FAILS(rhost_path_trusted(&fake.ctx, "relative"), EINVAL);
    assert_int_equal(rhost_path_trusted(&fake.ctx, "/"), 0);
    if (geteuid() != 0)
        skip();
    assert_true(is_trusted("/missing/too"));
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(chown(path, 12, 12), 0);
    assert_true(is_trusted("/it"));
    assert_true(is_trusted("/it//"));
    assert_false(is_trusted("/it/."));
    assert_false(is_trusted("/it/below"));
    (void)snprintf(at, sizeof at, "%s/it/below", dir);
    FAILS(rhost_path_trusted(&fake.ctx, at), ELOOP);
    assert_non_null(strstr(rhost_path_unsafe(&fake.ctx), "is not safe: its owner is user 12"));
    (void)snprintf(at, sizeof at, "%s/link", dir);
    assert_int_equal(symlink("it/below", at), 0);
    assert_false(is_trusted("/link"));
    assert_int_equal(unlink(at), 0);
    assert_int_equal(symlink("it", at), 0);
    assert_true(is_trusted("/link"));
    assert_int_equal(lchown(at, 12, 12), 0);
    assert_false(is_trusted("/link"));
    assert_int_equal(chmod(dir, 01777), 0); /* everybody keeps what is theirs, and can add to it */
    assert_false(is_trusted("/it"));
    assert_false(is_trusted("/missing"));
    assert_int_equal(chown(path, 0, 0), 0);
    assert_true(is_trusted("/it"));
    assert_true(is_trusted("/it/below"));
    assert_int_equal(chmod(dir, 0777), 0);
    assert_false(is_trusted("/it"));
    assert_int_equal(chmod(dir, 0700), 0);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(without_its_directory_nothing_works),
        CASE(a_directory_has_its_mode_whatever_the_umask_is),
        CASE(a_link_is_itself_unless_it_is_followed),
        CASE(names_are_sorted),
        CASE(a_file_is_read_whole),
        CASE(what_is_no_file_is_not_read),
        CASE(one_thing_has_one_form),
        CASE(numbers_stand_for_accounts),
        CASE(a_host_that_can_keep_nothing_is_named),
        CASE(an_account_must_be_there),
        CASE(owners_are_shown_by_name),
        CASE(validate_names_the_file),
        CASE(what_is_unsafe_is_said_where_it_was),
        CASE(a_path_is_trusted_when_only_root_can_lead_it_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
