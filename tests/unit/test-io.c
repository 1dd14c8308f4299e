/* SPDX-License-Identifier: Apache-2.0 */
/* test-io - what core/base/io.h promises. */
#include "config.h"

#include "base/io.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/rhost-io-XXXXXX";
static char path[64];

static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/it", dir);
    (void)umask(0);
    (void)alarm(10);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    (void)umask(022);
    (void)alarm(0);
    (void)remove(path);
    return rmdir(dir);
}

static mode_t
mode_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st.st_mode & 07777;
}

static void
assert_file(const char *text, size_t n)
{
    size_t len = 99;
    rh_autofree char *is = rh_read_file(path, 0, &len, NULL);

    assert_non_null(is);
    assert_int_equal(len, n);
    assert_memory_equal(is, text, n);
    assert_int_equal(is[n], 0);
}

static void
a_file_is_replaced_with_its_mode(void **state)
{
    static const unsigned modes[] = { 0644, 0600, 0755, 04711 };
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclosedir DIR *d = opendir(dir);
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        (void)umask(i % 2 ? 077 : 0);
        assert_int_equal(rh_replace_file(path, "text", 1 + i, modes[i], &err), 0);
        assert_int_equal(mode_of(path), modes[i]);
        assert_file("text", 1 + i);
    }
    while (readdir(d))
        n++;
    assert_int_equal(n, 3); /* nothing beside it */
}

static void
what_is_no_file_is_not_replaced(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(symlink("nowhere", path), 0);
    assert_int_equal(rh_replace_file(path, "text", 4, 0644, &err), -1);
    assert_non_null(err.message);
    rh_error_clear(&err);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(rh_replace_file(path, "text", 4, 0644, &err), -1);
    assert_non_null(err.message);
    rh_error_clear(&err);
    assert_int_equal(rh_replace_file("/no/such/thing", "text", 4, 0644, &err), -1);
    assert_non_null(strstr(err.message, "'/no/such/thing"));
}

static void
directories_are_made_with_their_parents(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    char a[80], b[96];

    (void)state;
    (void)snprintf(a, sizeof a, "%s/a", path);
    (void)snprintf(b, sizeof b, "%s/b", a);
    assert_int_equal(rh_make_directory(b, 0700, &err), 0);
    assert_int_equal(mode_of(path), 0755);
    assert_int_equal(mode_of(a), 0755);
    assert_int_equal(mode_of(b), 0700);
    assert_int_equal(rh_make_directory(b, 0755, &err), 0); /* it stays as it is */
    assert_int_equal(mode_of(b), 0700);
    assert_int_equal(rmdir(b), 0);
    assert_int_equal(rmdir(a), 0);
    assert_int_equal(rh_make_directory("/proc/it/too", 0755, &err), -1);
    assert_non_null(strstr(err.message, "cannot create directory '/proc/it'"));
}

static void
no_more_is_read_than_allowed(void **state)
{
    static const size_t sizes[] = { 1, 4095, 4096, 4097, 20000 };
    char *text = malloc(20000);
    size_t n;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', 20000);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };
        rh_autofree char *is = NULL, *large = NULL, *kept = NULL;

        assert_int_equal(rh_replace_file(path, text, sizes[i], 0600, NULL), 0);
        assert_file(text, sizes[i]);
        is = rh_read_file(path, sizes[i], &n, &err);
        assert_non_null(is);
        assert_int_equal(n, sizes[i]);
        kept = rh_read_kept_file(path, sizes[i], NULL, &err);
        assert_non_null(kept);
        if (sizes[i] > 1) {
            large = rh_read_file(path, sizes[i] - 1, &n, &err);
            assert_null(large);
            assert_non_null(strstr(err.message, "is larger than"));
        }
    }
    free(text);
}

static void
why_nothing_is_read_is_said(void **state)
{
    static const struct {
        const char *path, *why;
    } bad[] = {
        { "/no/such/thing", "cannot open '/no/such/thing': No such file or directory" },
        { "/proc/self/limits", "'/proc/self/limits' is larger than 10 bytes" }, /* its size is 0 */
        { "/tmp", "Is a directory" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rh_autoerror struct rh_error err = { 0 }, kept = { 0 };
        size_t n;

        errno = ELOOP;
        assert_null(rh_read_file(bad[i].path, 10, &n, &err));
        assert_non_null(err.message);
        assert_non_null(strstr(err.message, bad[i].why));
        errno = ELOOP;
        assert_null(rh_read_kept_file(bad[i].path, 10, &n, &kept));
        assert_non_null(kept.message);
        assert_non_null(strstr(kept.message, i == 2 ? "is not a regular file" : bad[i].why));
    }
    errno = ELOOP; /* of something else */
    assert_int_equal(rh_replace_file(path, "x", 1, 0600, NULL), 0);
    errno = ELOOP;
    rh_autofree char *text = rh_read_kept_file(path, 10, NULL, NULL);
    assert_non_null(text);
}

static void
a_write_begins_where_it_should(void **state)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, "0123456789", 10), 0);
    assert_int_equal(rh_write_all_at(fd, "ab", 2, 3), 0);
    assert_int_equal(rh_write_all_at(fd, "", 0, 30), 0);
    assert_int_equal(rh_write_all(fd, "!", 1), 0);
    assert_int_equal(close(fd), 0);
    assert_file("012ab56789!", 11);
    assert_int_equal(rh_write_all(-1, "x", 1), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(rh_write_all_at(-1, "x", 1, 0), -1);
    assert_int_equal(errno, EBADF);
}

/* The kernel writes what there is room for; the rest is an error, and not tried for ever. */
static void
what_does_not_fit_is_an_error(void **state)
{
    struct rlimit before, small;
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 5;
    assert_int_equal(rh_replace_file(path, "old", 3, 0600, NULL), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(rh_replace_file(path, "longer", 6, 0600, &err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(err.message, "File too large"));
    assert_file("old", 3);
}

/* Deeper than a walk has descriptors, and than a path may be long. */
static void
a_tree_is_removed_however_deep(void **state)
{
    char name[201];
    int at;

    (void)state;
    memset(name, 'd', 200);
    name[200] = '\0';
    assert_int_equal(mkdir(path, 0700), 0);
    at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 300; i++) {
        int file = openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600), next;

        assert_true(file >= 0);
        (void)close(file);
        assert_int_equal(symlinkat("/", at, "link"), 0);
        assert_int_equal(mkdirat(at, name, 0700), 0);
        next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        (void)close(at);
        at = next;
    }
    (void)close(at);
    rh_remove_tree(path);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(symlink("/nowhere", path), 0);
    rh_remove_tree(path); /* the link alone */
    assert_int_equal(lstat(path, &(struct stat){ 0 }), -1);
}

enum { NO_MOUNTS = 2 };

/* In a process of its own, whose mounts end with it: 0 when what is mounted below stays, with what is in it.
 */
static int
remove_with_a_mount(const char *ours, const char *mounted, const char *theirs)
{
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
        || mount(ours, mounted, NULL, MS_BIND, NULL) < 0)
        return NO_MOUNTS;
    rh_remove_tree(path);
    return access(theirs, F_OK) < 0 || access(mounted, F_OK) < 0;
}

/* A bind mount has the number of the same device. */
static void
what_is_mounted_in_a_tree_stays(void **state)
{
    char ours[80], theirs[96], below[80], mounted[96], beside[96];
    int status, fd;
    pid_t pid;

    (void)state;
    (void)snprintf(ours, sizeof ours, "%s/ours", dir);
    (void)snprintf(theirs, sizeof theirs, "%s/file", ours);
    (void)snprintf(below, sizeof below, "%s/below", path);
    (void)snprintf(mounted, sizeof mounted, "%s/mounted", below);
    (void)snprintf(beside, sizeof beside, "%s/beside", below);
    assert_int_equal(mkdir(ours, 0700) | mkdir(path, 0700) | mkdir(below, 0700) | mkdir(mounted, 0700), 0);
    fd = open(theirs, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    fd = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    pid = fork();
    if (pid == 0)
        _exit(remove_with_a_mount(ours, mounted, theirs));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != NO_MOUNTS) {
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_int_equal(access(beside, F_OK), -1);
        assert_int_equal(access(mounted, F_OK), 0);
    }
    assert_int_equal(access(theirs, F_OK), 0);
    rh_remove_tree(ours);
    rh_remove_tree(path);
    if (WEXITSTATUS(status) == NO_MOUNTS)
        skip();
}

static void
descriptors_are_closed_from_one_on(void **state)
{
    int low = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 200), high = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 300);

    (void)state;
    assert_true(low >= 200 && high >= 300);
    rh_close_from(high);
    assert_true(fcntl(low, F_GETFD) >= 0);
    assert_int_equal(fcntl(high, F_GETFD), -1);
    rh_close_from(low);
    assert_int_equal(fcntl(low, F_GETFD), -1);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_file_is_replaced_with_its_mode),
        CASE(what_is_no_file_is_not_replaced),
        CASE(directories_are_made_with_their_parents),
        CASE(no_more_is_read_than_allowed),
        CASE(why_nothing_is_read_is_said),
        CASE(a_write_begins_where_it_should),
        CASE(what_does_not_fit_is_an_error),
        CASE(a_tree_is_removed_however_deep),
        CASE(what_is_mounted_in_a_tree_stays),
        CASE(descriptors_are_closed_from_one_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
