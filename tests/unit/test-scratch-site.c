/* SPDX-License-Identifier: Apache-2.0 */
/* test-scratch-site - who can read a site on its target, what killed receivers left, and what is refused. */
#include "config.h"

#include "reach/scratch-site.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "reach/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

static struct rh_scratch_site site = RH_SCRATCH_SITE_INIT;

/* A file system in memory may be missing where this is built. */
static int
setup(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    (void)umask(0);  /* the modes are those of the code */
    (void)alarm(60); /* a pipe that is opened may wait for ever */
    if (rh_scratch_site_open(&site, NULL, 0, &err) < 0)
        print_message("%s\n", err.message);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_scratch_site_close(&site);
    return 0;
}

static bool
is_in_memory(const char *path)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 && (uint32_t)fs.f_type == TMPFS_MAGIC && access(path, W_OK) == 0;
}

static void
need_site(void)
{
    if (!site.path && is_in_memory("/dev/shm"))
        fail_msg("there is no site, with a tmpfs at /dev/shm");
    if (!site.path)
        skip();
}

static int
count_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static mode_t
mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static bool
exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* A path below a directory, until the next one is asked for. */
static const char *
below(const char *dir, const char *name)
{
    static char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* Why a file is refused. */
static const char *
refused(const char *path, uint64_t size)
{
    static char message[1000];
    rh_autoerror struct rh_error err = { 0 };

    assert_int_equal(rh_scratch_site_file(&site, path, size, false, &err), -1);
    (void)snprintf(message, sizeof message, "%s", err.message);
    return message;
}

static void
add_file(const char *path, const char *text, bool executable)
{
    rh_autoerror struct rh_error err = { 0 };

    assert_int_equal(rh_scratch_site_file(&site, path, strlen(text), executable, &err), 0);
    assert_int_equal(rh_scratch_site_data(&site, text, strlen(text), &err), 0);
    assert_int_equal(site.missing, 0);
}

static void
only_the_owner_has_access(void **state)
{
    (void)state;
    need_site();
    if (geteuid() == 0 && is_in_memory("/run"))
        assert_int_equal(strncmp(site.top, "/run/", 5), 0);
    add_file("secrets/deep/password", "x", false);
    add_file("run", "#!", true);
    assert_int_equal(mode_of(site.top), 0700);
    assert_int_equal(mode_of(site.path), 0700);
    assert_int_equal(mode_of(below(site.top, ".lock")), 0600);
    assert_false(exists(below(site.top, ".lock.new")));
    assert_int_equal(mode_of(below(site.path, "secrets")), 0700);
    assert_int_equal(mode_of(below(site.path, "secrets/deep")), 0700);
    assert_int_equal(mode_of(below(site.path, "secrets/deep/password")), 0600);
    assert_int_equal(mode_of(below(site.path, "run")), 0700);
}

static void
the_site_is_held(void **state)
{
    rh_autoclose int lock = -1;

    (void)state;
    need_site();
    lock = open(below(site.top, ".lock"), O_RDONLY | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), -1);
}

static void
nothing_is_left(void **state)
{
    rh_autofree char *top = NULL;
    int before;

    (void)state;
    need_site();
    rh_scratch_site_close(&site);
    before = count_descriptors();
    assert_int_equal(rh_scratch_site_open(&site, NULL, 0, NULL), 0);
    add_file("a/b/c", "x", false);
    assert_int_equal(symlink("/", below(site.path, "a/root")), 0);
    top = rh_xstrdup(site.top);
    rh_scratch_site_close(&site);
    assert_int_equal(count_descriptors(), before);
    assert_false(exists(top));
    assert_null(site.path);
    assert_true(exists("/dev"));
}

/* A link in the site leads nowhere, and no file takes the place of another one. */
static void
files_are_new_and_in_the_site(void **state)
{
    rh_autofree char *outside = NULL;

    (void)state;
    need_site();
    outside = rh_printf("%s/outside", site.top);
    assert_int_equal(mkdir(outside, 0700), 0);
    assert_int_equal(symlink(outside, below(site.path, "link")), 0);
    assert_string_equal(refused("link/x", 1), "cannot create 'link/x' for the site: Not a directory");
    assert_string_equal(refused("link", 1), "cannot create 'link' for the site: File exists");
    assert_false(exists(below(outside, "x")));
    add_file("one", "x", false);
    assert_string_equal(refused("one", 1), "cannot create 'one' for the site: File exists");
    assert_string_equal(refused("one/two", 1), "cannot create 'one/two' for the site: Not a directory");
    assert_int_equal(mkfifo(below(site.path, "pipe"), 0600), 0);
    assert_string_equal(refused("pipe/x", 1), "cannot create 'pipe/x' for the site: Not a directory");
}

static void
files_have_their_size(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    need_site();
    assert_int_equal(rh_scratch_site_data(&site, "x", 1, &err), -1);
    assert_string_equal(err.message, "more data than the file has");
    rh_error_clear(&err);
    assert_int_equal(rh_scratch_site_data(&site, "", 0, &err), -1);
    rh_error_clear(&err);
    assert_int_equal(rh_scratch_site_file(&site, "one", 3, false, &err), 0);
    assert_int_equal(rh_scratch_site_data(&site, "ab", 2, &err), 0);
    assert_int_equal(site.missing, 1);
    assert_string_equal(refused("two", 1), "file 'two' comes before the end of another one");
    assert_int_equal(rh_scratch_site_data(&site, "cd", 2, &err), -1);
    assert_string_equal(err.message, "more data than the file has");
    rh_error_clear(&err);
    assert_int_equal(rh_scratch_site_data(&site, "c", 1, &err), 0);
    add_file("two", "", false);
    assert_int_equal(site.n_files, 2);
    assert_int_equal(site.n_bytes, 3);
}

static void
many_files_need_one_descriptor(void **state)
{
    int before;

    (void)state;
    need_site();
    add_file("one", "x", false);
    before = count_descriptors();
    add_file("two", "x", false);
    add_file("deep/three", "x", false);
    assert_int_equal(count_descriptors(), before);
}

static void
a_file_that_cannot_be_written_is_told_of(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rlimit usual, small;
    int rc;

    (void)state;
    need_site();
    assert_int_equal(rh_scratch_site_file(&site, "one", 3, false, &err), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small = usual;
    small.rlim_cur = 1;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rc = rh_scratch_site_data(&site, "abc", 3, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(err.message, "File too large"));
}

static void
a_site_has_a_limit(void **state)
{
    (void)state;
    need_site();
    site.n_files = RH_SITE_FILES - 1;
    add_file("last", "", false);
    assert_string_equal(refused("more", 0), "the site is too large");
    site.n_files = 0;
    site.n_bytes = (uint64_t)RH_SITE_BYTES * 2 - 1;
    add_file("full", "x", false);
    assert_string_equal(refused("more", 1), "the site is too large");
}

/* One more directory beside that of the site, with this as its .lock: 'f'ile, 'l'ink, 'p'ipe or nothing. */
static char *
leave(char lock)
{
    rh_autofree char *path =
        rh_printf("%.*s/rhost-push.XXXXXX", (int)(strrchr(site.top, '/') - site.top), site.top);
    int fd;

    assert_non_null(mkdtemp(path));
    assert_int_equal(mkdir(below(path, "site"), 0700), 0);
    if (lock == 'f') {
        fd = open(below(path, ".lock"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(close(fd), 0);
    } else if (lock == 'l') {
        assert_int_equal(symlink("/etc/passwd", below(path, ".lock")), 0);
    } else if (lock == 'p') {
        assert_int_equal(mkfifo(below(path, ".lock"), 0600), 0);
    }
    return rh_take(&path);
}

static void
open_another(void)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_scratch_site other = RH_SCRATCH_SITE_INIT;

    assert_int_equal(rh_scratch_site_open(&other, NULL, 0, &err), 0);
    rh_scratch_site_close(&other);
}

/* Another push, that begins on this machine at the same time, may be at it. */
static bool
vanishes(const char *path)
{
    while (exists(path)) {
        rh_autoclose int lock = open(below(path, ".lock"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && exists(below(path, ".lock")))
            return false;
        (void)poll(NULL, 0, 20);
    }
    return true;
}

static void
what_killed_receivers_left_is_removed(void **state)
{
    rh_autofree char *left = NULL, *fifo = NULL;

    (void)state;
    need_site();
    left = leave('f');
    fifo = leave('p'); /* is not waited for */
    open_another();
    assert_true(vanishes(left));
    assert_true(vanishes(fifo));
    assert_true(exists(site.path)); /* it is held */
}

static void
what_is_no_site_stays(void **state)
{
    rh_autofree char *new = NULL, *held = NULL, *foreign = NULL, *linked = NULL, *fifo = NULL, *target = NULL;

    (void)state;
    need_site();
    target = rh_printf("%s/target", site.top);
    assert_int_equal(mkdir(target, 0700), 0);
    assert_int_equal(close(open(below(target, ".lock"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
    new = leave(0); /* its receiver has not come to the lock */
    held = leave('l');
    linked = leave(0);
    assert_int_equal(remove(below(linked, "site")), 0);
    assert_int_equal(rmdir(linked), 0);
    assert_int_equal(symlink(target, linked), 0);
    fifo = leave(0);
    assert_int_equal(remove(below(fifo, "site")), 0);
    assert_int_equal(rmdir(fifo), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    if (geteuid() == 0) {
        foreign = leave('f');
        assert_int_equal(chown(foreign, 1, 1), 0);
    }
    open_another();
    assert_true(exists(below(new, "site")));
    assert_true(exists(below(held, "site")));
    assert_true(exists(linked));
    assert_true(exists(below(target, ".lock")));
    assert_true(exists(fifo));
    if (foreign) {
        assert_true(exists(below(foreign, "site")));
        assert_int_equal(remove(below(foreign, ".lock")), 0);
        assert_int_equal(rmdir(below(foreign, "site")), 0);
        assert_int_equal(rmdir(foreign), 0);
    }
    assert_int_equal(remove(below(held, ".lock")), 0);
    assert_int_equal(rmdir(below(held, "site")), 0);
    assert_int_equal(rmdir(held), 0);
    assert_int_equal(rmdir(below(new, "site")), 0);
    assert_int_equal(rmdir(new), 0);
    assert_int_equal(unlink(linked), 0);
    assert_int_equal(unlink(fifo), 0);
}

/* Opens the site again at this place; the message where it is refused. */
static const char *
again(const char *top)
{
    static char message[1000];
    rh_autoerror struct rh_error err = { 0 };
    struct rh_scratch_site other = RH_SCRATCH_SITE_INIT;
    int rc = rh_scratch_site_open(&other, top, 0, &err);

    if (rc == 0) {
        assert_string_equal(other.top, top);
        assert_int_equal(mode_of(top), 0700);
    } else {
        assert_null(other.top);
    }
    rh_scratch_site_close(&other);
    (void)snprintf(message, sizeof message, "%s", rc == 0 ? "" : err.message);
    return message;
}

static void
a_plan_has_its_place_again(void **state)
{
    static const char *const wrong[] = { "/etc/rhost-push.abcdef",    "/run/rhost-push.",
                                         "/run/rhost-push.abcde",     "/run/rhost-push.abcdef/x",
                                         "/run/rhost-push.../../etc", "/run",
                                         "/run/other.abcdef",         "/dev/shm/rhost-push.abc ef",
                                         "rhost-push.abcdef" };
    rh_autofree char *top = NULL, *exists_already = NULL;

    (void)state;
    need_site();
    top = rh_xstrdup(site.top);
    exists_already = rh_printf("'%s' exists: another push makes or applies this plan", top);
    assert_string_equal(again(top), exists_already);
    rh_scratch_site_close(&site);
    assert_string_equal(again(top), "");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rh_autofree char *says =
            rh_printf("a site cannot be kept in '%s', where the plan was made", wrong[i]);

        assert_string_equal(again(wrong[i]), says);
    }
}

/* Whether a user's site is made in this directory, with that as XDG_RUNTIME_DIR. */
static bool
goes_to(const char *where, const char *runtime)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_scratch_site other = RH_SCRATCH_SITE_INIT;
    size_t n = strlen(where);
    bool there;

    assert_int_equal(setenv("XDG_RUNTIME_DIR", runtime, 1), 0);
    assert_int_equal(rh_scratch_site_open(&other, NULL, 0, &err), 0);
    there = strncmp(other.top, where, n) == 0 && other.top[n] == '/';
    rh_scratch_site_close(&other);
    return there;
}

static void
users_have_a_place_of_their_own(void **state)
{
    char own[] = "/dev/shm/rhost-test.XXXXXX";
    uid_t uid = geteuid();
    bool there, relative;

    (void)state;
    need_site();
    if (!is_in_memory("/dev/shm"))
        skip();
    if (uid == 0)
        assert_int_equal(seteuid(65534), 0);
    assert_non_null(mkdtemp(own));
    there = goes_to(own, own);
    assert_int_equal(chdir("/"), 0);
    relative = goes_to(own + 1, own + 1) || goes_to(own, own + 1);
    assert_int_equal(rmdir(own), 0);
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    assert_int_equal(seteuid(uid), 0);
    assert_true(there);
    assert_false(relative);
}

static void
a_site_that_has_no_room_is_refused(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_scratch_site other = RH_SCRATCH_SITE_INIT;

    (void)state;
    need_site();
    assert_int_equal(rh_scratch_site_open(&other, NULL, (uint64_t)1 << 60, &err), -1);
    assert_non_null(strstr(err.message, "no space: '"));
    assert_non_null(strstr(err.message, "the site needs 1125899906843648 KiB"));
    assert_null(other.top);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(only_the_owner_has_access),
        TEST(the_site_is_held),
        TEST(nothing_is_left),
        TEST(files_are_new_and_in_the_site),
        TEST(files_have_their_size),
        TEST(many_files_need_one_descriptor),
        TEST(a_file_that_cannot_be_written_is_told_of),
        TEST(a_site_has_a_limit),
        TEST(what_killed_receivers_left_is_removed),
        TEST(what_is_no_site_stays),
        TEST(a_plan_has_its_place_again),
        TEST(users_have_a_place_of_their_own),
        TEST(a_site_that_has_no_room_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
