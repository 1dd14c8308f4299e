/* SPDX-License-Identifier: Apache-2.0 */
/* test-swapped - a link or a named pipe that another process puts where a file is about to be opened: it is
 * not followed, and not waited for. A wait ends the test by SIGALRM. */
#include "config.h"

#include "fake-host.h"
#include "swap.h"

#include "base/beside.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"
#include "provider/file-parts.h"
#include "run/lock.h"
#include "run/pending.h"
#include "run/state.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

static char dir[] = "/tmp/rhost-swapped-XXXXXX";
static char path[64], other[64];
static struct fake fake;

static void
write_file(const char *at, const char *text)
{
    rh_autoclose int fd = open(at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, text, strlen(text)), 0);
}

static void
assert_content(const char *at, const char *text)
{
    rh_autofree char *is = rh_read_file(at, 0, NULL, NULL);

    assert_non_null(is);
    assert_string_equal(is, text);
}

static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/file", dir);
    (void)snprintf(other, sizeof other, "%s/other", dir);
    memset(&swap, 0, sizeof swap);
    write_file(other, "another's");
    fake_open(&fake);
    (void)umask(0); /* so that modes are seen as they are asked for */
    (void)alarm(10);
    return 0;
}

static int
teardown(void **state)
{
    struct rhost_command rm = { .struct_size = sizeof rm,
                                .argv = (const char *const[]){ "rm", "-rf", dir, NULL } };
    struct rhost_output out;

    (void)state;
    (void)rhost_run(&fake.ctx, &rm, &out);
    rh_durable_clear();
    fake_close(&fake);
    (void)alarm(0);
    return 0;
}

static int
open_dir(void)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static mode_t
mode_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st.st_mode & 07777;
}

static void
put_at(const char *at, enum by by)
{
    swap.by = by;
    swap.target = other;
    put(AT_FDCWD, at);
}

static void
kept_files_are_regular_files(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    for (enum by by = LINK; by <= PIPE; by++) {
        put_at(path, by);
        assert_null(rh_read_kept_file(path, 0, NULL, &err));
        assert_non_null(strstr(err.message, "is not a regular file"));
        rh_error_clear(&err);
        assert_int_equal(unlink(path), 0);
    }
}

static void
only_directories_are_synced_as_such(void **state)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)state;
    assert_int_equal(rh_sync_directory(dir, &err), 0);
    assert_int_equal(rh_sync_directory(other, &err), -1);
    assert_non_null(strstr(err.message, "Not a directory"));
    rh_error_clear(&err);
    put_at(path, PIPE);
    assert_int_equal(rh_sync_directory(path, &err), -1);
}

/* Also a link that leads nowhere: what it hides was not read. */
static void
state_is_not_read_through_links(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    (void)state;
    assert_non_null(rh_state_load(a, dir, "file", &err));
    assert_int_equal(symlink("nowhere", path), 0);
    assert_null(rh_state_load(a, dir, "file", &err));
    assert_non_null(strstr(err.message, "is not a regular file"));
    rh_error_clear(&err);
    (void)snprintf(path, sizeof path, "%s/pending.jsonl", dir);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_null(rh_pending_open(dir, NULL, NULL, &err));
    assert_non_null(strstr(err.message, "is not a regular file"));
}

static int
write_owed(struct rh_error *err)
{
    static const struct rh_pending debt = { .type = "file",
                                            .title = "/a",
                                            .action = "refresh",
                                            .by = "file[/b]",
                                            .run = "r",
                                            .since = "2026-11-21T12:00:00Z" };
    struct rh_pending_list *o = rh_pending_open(dir, "r", "2026-11-21T12:00:00Z", err);
    int rc;

    assert_non_null(o);
    (void)snprintf(path, sizeof path, "%s/pending.jsonl", dir);
    if (swap.target)
        put(AT_FDCWD, path);
    (void)rh_pending_note(o, &debt);
    rc = rh_pending_flush(o, err);
    rh_pending_abandon(o);
    rh_discard(rh_pending_close(o, NULL));
    return rc;
}

static void
pending_notifications_go_to_a_file_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(write_owed(NULL), 0);
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(unlink(path), 0);
    swap.target = other;
    for (swap.by = LINK; swap.by <= PIPE; swap.by++) {
        rh_autoerror struct rh_error err = { 0 };

        assert_int_equal(write_owed(&err), -1);
        assert_non_null(strstr(err.message, "pending.jsonl"));
        assert_int_equal(unlink(path), 0);
    }
    assert_content(other, "another's");
}

static void
the_lock_is_a_file_of_its_own(void **state)
{
    rh_autoclose int fd = open_dir();
    rh_autoerror struct rh_error err = { 0 };
    struct rh_lock *l = rh_lock_take(dir, fd, 0, NULL);

    (void)state;
    (void)snprintf(path, sizeof path, "%s/lock", dir);
    assert_non_null(l);
    assert_int_equal(mode_of(path), 0600);
    rh_lock_free(l);
    assert_int_equal(unlink(path), 0);
    put_at(path, LINK);
    assert_null(rh_lock_take(dir, fd, 0, &err));
    assert_non_null(strstr(err.message, "cannot open the lock"));
    assert_content(other, "another's");
    rh_error_clear(&err);
    assert_int_equal(unlink(path), 0);
    put_at(path, PIPE);
    assert_null(rh_lock_take(dir, fd, 0, &err));
    assert_non_null(strstr(err.message, "it is not a regular file"));
    rh_error_clear(&err);
    assert_int_equal(unlink(path), 0);

    /* A link to the very file that is locked. */
    swap.name = "lock";
    swap.by = LINK;
    swap.target = "away";
    swap.after = true;
    assert_null(rh_lock_take(dir, fd, 0, &err));
    assert_int_equal(swap.done, 1);
}

static void
what_was_edited_is_locked_and_compared_itself(void **state)
{
    rh_autoclose int at = open_dir();
    struct rhost_file_seen seen = { .struct_size = sizeof seen, .exists = 1 };
    struct stat st;
    int fd;

    (void)state;
    assert_int_equal(stat(other, &st), 0);
    seen.dev = st.st_dev;
    seen.ino = st.st_ino;
    seen.size = st.st_size;
    seen.mtime_sec = st.st_mtim.tv_sec;
    seen.mtime_nsec = st.st_mtim.tv_nsec;
    seen.ctime_sec = st.st_ctim.tv_sec;
    seen.ctime_nsec = st.st_ctim.tv_nsec;
    assert_false(rh_seen_changed(at, "other", &seen));
    fd = rh_seen_lock(at, "other", &seen);
    assert_true(fd >= 0);
    (void)close(fd);
    put_at(path, LINK);
    assert_true(rh_seen_changed(at, "file", &seen));
    assert_int_equal(rh_seen_lock(at, "file", &seen), -1);
    assert_int_equal(unlink(path), 0);
    put_at(path, PIPE);
    fd = rh_seen_lock(at, "file", &seen); /* at once, whatever it says */
    if (fd >= 0)
        (void)close(fd);
}

static char claimed[NAME_MAX + 1];

static int
make_plain(void *data, int at, const char *name)
{
    int *fd = data;

    *fd = openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return *fd < 0 ? -1 : 0;
}

static void
a_link_to_a_new_file_is_not_the_file(void **state)
{
    rh_autoclose int at = open_dir(), fd = open(other, O_RDWR | O_CLOEXEC);

    (void)state;
    assert_true(rh_beside_claim(fd, at, "other"));
    put_at(path, LINK);
    assert_false(rh_beside_claim(fd, at, "file"));
}

/* Where a killed run has left something, or somebody has put something. */
static void
leftovers_are_removed_themselves(void **state)
{
    rh_autoclose int at = open_dir();
    char again[NAME_MAX + 1];
    struct stat st;
    int fd = -1;

    (void)state;
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, claimed), 0);
    (void)close(fd);
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, again), 0); /* a file */
    (void)close(fd);
    assert_string_equal(again, claimed);
    assert_int_equal(unlinkat(at, claimed, 0), 0);
    assert_int_equal(symlinkat("other", at, claimed), 0); /* a link */
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, again), 0);
    (void)close(fd);
    assert_string_equal(again, claimed);
    assert_content(other, "another's");
    assert_int_equal(unlinkat(at, claimed, 0), 0);
    assert_int_equal(mkfifoat(at, claimed, 0600), 0); /* a pipe is nobody's leftover */
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, again), 0);
    (void)close(fd);
    assert_string_not_equal(again, claimed);
    assert_int_equal(unlinkat(at, claimed, 0), 0);

    /* A link to the leftover, which is not the leftover. */
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, claimed), 0);
    (void)close(fd);
    swap.name = claimed;
    swap.target = "away";
    swap.after = true;
    assert_int_equal(rh_beside(at, "file", make_plain, &fd, again), 0);
    (void)close(fd);
    assert_int_equal(swap.done, 1);
    assert_int_equal(fstatat(at, claimed, &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static int32_t
replace(const char *const *validate)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = path,
        .content = "new",
        .content_len = 3,
        .mode = -1,
        .uid = -1,
        .gid = -1,
        .validate = validate,
    };

    rh_buf_truncate(&fake.failure, 0);
    return rhost_replace_file(&fake.ctx, &file);
}

static void
attributes_are_not_taken_from_elsewhere(void **state)
{
    (void)state;
    write_file(path, "old");
    swap.name = "file";
    swap.target = other;
    assert_int_equal(replace(NULL), -1);
    assert_int_equal(swap.done, 1);
    assert_non_null(strstr(fake.failure.s, "cannot keep the attributes"));
    assert_int_equal(unlink(path), 0);
    write_file(path, "old");
    swap.by = PIPE;
    swap.done = 0;
    (void)replace(NULL); /* at once, whatever it says */
    assert_int_equal(swap.done, 1);
}

static void
what_is_validated_is_the_new_file(void **state)
{
    static const char *const validate[] = { "true", "%", NULL };

    (void)state;
    swap.name = ".file.rhost-";
    swap.target = other;
    assert_int_equal(replace(validate), -1);
    assert_int_equal(swap.done, 1);
    assert_content(other, "another's");
}

static void
the_end_of_a_walked_path_is_no_link(void **state)
{
    char through[80];

    (void)state;
    if (geteuid() != 0)
        skip(); /* who can be led nowhere else than by their own links */
    write_file(path, "mine");
    (void)snprintf(through, sizeof through, "%s/here", dir);
    assert_int_equal(symlink(".", through), 0);
    (void)snprintf(through, sizeof through, "%s/here/file", dir);
    swap.name = "file";
    swap.target = other;
    assert_int_equal(rh_safe_open(through, false, O_RDONLY, 0, NULL), -1);
    assert_int_equal(swap.done, 1);
    assert_int_equal(errno, ELOOP);
}

/* <rhost/path.h> makes a directory, and then gives it its mode. */
static void
a_mode_is_given_to_what_was_made(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0); /* where the link leads */
    (void)snprintf(other, sizeof other, "%s/new", dir);
    swap.name = "new";
    swap.target = path;
    for (swap.by = LINK; swap.by <= PIPE; swap.by++) {
        swap.done = 0;
        assert_int_equal(rhost_path_make_directory(&fake.ctx, other, 0755), -1);
        assert_int_equal(swap.done, 1);
        assert_int_equal(unlink(other), 0);
        (void)snprintf(other, sizeof other, "%s/away", dir);
        assert_int_equal(rmdir(other), 0);
        (void)snprintf(other, sizeof other, "%s/new", dir);
    }
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(kept_files_are_regular_files),
        CASE(only_directories_are_synced_as_such),
        CASE(state_is_not_read_through_links),
        CASE(pending_notifications_go_to_a_file_of_their_own),
        CASE(the_lock_is_a_file_of_its_own),
        CASE(what_was_edited_is_locked_and_compared_itself),
        CASE(a_link_to_a_new_file_is_not_the_file),
        CASE(leftovers_are_removed_themselves),
        CASE(attributes_are_not_taken_from_elsewhere),
        CASE(what_is_validated_is_the_new_file),
        CASE(the_end_of_a_walked_path_is_no_link),
        CASE(a_mode_is_given_to_what_was_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
