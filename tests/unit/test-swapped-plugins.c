/* SPDX-License-Identifier: Apache-2.0 */
/* test-swapped-plugins - the plugins that walk folders of other users, who exchange what is in them
 * meanwhile. A wait ends the test by SIGALRM. */
#include "config.h"

#include "fake-host.h"
#include "swap.h"

#include "../../plugins/directory/tree.h"
#include "../../plugins/ssh_authorized_key/place.h"
#include "base/cleanup.h"
#include "provider/file-parts.h"

#include <errno.h>
#include <stdlib.h>

static char dir[] = "/tmp/rhost-plugins-XXXXXX";
static char tree[64], inner[80], other[64], secret[80];
static struct fake fake;

int __real_fchmodat(int at, const char *name, mode_t mode, int flags);
int __wrap_fchmodat(int at, const char *name, mode_t mode, int flags);

int
__wrap_fchmodat(int at, const char *name, mode_t mode, int flags)
{
    swap_now(at, name, false);
    return __real_fchmodat(at, name, mode, flags);
}

static void
make_file(const char *at)
{
    int fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

/* A tree with a file in a folder; and another one that is nobody's business. */
static int
setup(void **state)
{
    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)umask(0);
    (void)snprintf(tree, sizeof tree, "%s/tree", dir);
    (void)snprintf(inner, sizeof inner, "%s/inner", tree);
    (void)snprintf(other, sizeof other, "%s/other", dir);
    (void)snprintf(secret, sizeof secret, "%s/secret", other);
    assert_int_equal(mkdir(tree, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    make_file(secret);
    memset(&swap, 0, sizeof swap);
    fake_open(&fake);
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

static mode_t
mode_of(const char *at)
{
    struct stat st;

    assert_int_equal(lstat(at, &st), 0);
    return st.st_mode & 07777;
}

static int32_t
apply(int64_t uid, const char *mode)
{
    const struct tree_rule rule = { .uid = uid, .gid = -1, .mode = mode };
    rh_autoclose int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    rh_buf_truncate(&fake.failure, 0);
    return tree_apply(&fake.ctx, fd, &rule);
}

static void
nothing_elsewhere_was_changed(void)
{
    assert_int_equal(swap.done, 1);
    assert_int_equal(mode_of(other), 0700);
    assert_int_equal(mode_of(secret), 0600);
}

static void
modes_are_given_to_what_was_looked_at(void **state)
{
    char at[96];

    (void)state;
    (void)snprintf(at, sizeof at, "%s/file", inner);
    make_file(at);
    swap.name = "file";
    swap.target = secret;
    assert_int_equal(apply(-1, "0644"), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "file"));
    nothing_elsewhere_was_changed();
    assert_int_equal(unlink(at), 0);
    make_file(at);
    swap.by = PIPE;
    swap.done = 0;
    assert_int_equal(apply(-1, "0644"), 0);
    nothing_elsewhere_was_changed();
    assert_int_equal(mode_of(at), 0600); /* the pipe's */
}

static void
the_mode_of_a_pipe_is_not_given_to_a_file(void **state)
{
    char at[96];

    (void)state;
    (void)snprintf(at, sizeof at, "%s/pipe", inner);
    assert_int_equal(mkfifo(at, 0600), 0);
    swap.name = "pipe";
    swap.target = secret;
    (void)apply(-1, "0644");
    nothing_elsewhere_was_changed();
}

static void
no_other_tree_is_entered(void **state)
{
    (void)state;
    swap.name = "inner";
    swap.target = other;
    assert_int_equal(apply(-1, "0644"), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "cannot open 'inner'"));
    nothing_elsewhere_was_changed();
    assert_int_equal(unlink(inner), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    (void)snprintf(inner, sizeof inner, "%s/away", tree);
    assert_int_equal(rmdir(inner), 0);
    swap.by = PIPE;
    swap.done = 0;
    assert_int_equal(apply(-1, "0644"), -1);
    nothing_elsewhere_was_changed();
}

static void
a_link_has_an_owner_of_its_own(void **state)
{
    struct stat st;
    char at[96];

    (void)state;
    if (geteuid() != 0)
        skip();
    (void)snprintf(at, sizeof at, "%s/link", inner);
    assert_int_equal(symlink(secret, at), 0);
    assert_int_equal(apply(12, NULL), 0);
    assert_int_equal(lstat(at, &st), 0);
    assert_int_equal(st.st_uid, 12);
    assert_int_equal(lstat(secret, &st), 0);
    assert_int_equal(st.st_uid, 0);
}

/* Without `force`, which is for directories: links to them are none. */
static void
links_are_listed_wherever_they_lead(void **state)
{
    static const struct tree_kept kept = { .path = "" };
    rh_autoclose int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct tree_entry *entries = NULL;
    size_t n = 0, found = 0;

    (void)state;
    assert_int_equal(symlinkat(other, fd, "to-folder"), 0);
    assert_int_equal(symlinkat("nowhere", fd, "to-nothing"), 0);
    assert_int_equal(tree_list(&fake.ctx, fd, &kept, 100, &entries, &n), 0);
    assert_int_equal(n, 2);
    for (const struct tree_entry *e = entries; e; e = e->next)
        found += strncmp(e->name, "to-", 3) == 0;
    assert_int_equal(found, 2);
    assert_int_equal(tree_remove(&fake.ctx, fd, entries), 0);
    assert_int_equal(mode_of(secret), 0600);
}

/* --- The keys of a user. ----------------------------------------------------------------------- */

static char keys[128];

static struct place
place_of(const char *file)
{
    (void)snprintf(keys, sizeof keys, "%s/.ssh/%s", tree, file);
    return (struct place){
        .uid = geteuid(), .gid = getegid(), .own = 1, .path = keys, .base = strrchr(keys, '/') + 1, .dir = -1
    };
}

static void
keys_go_into_the_folder_that_was_made(void **state)
{
    struct place p = place_of("authorized_keys");
    char folder[80];

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/.ssh", tree);
    swap.name = ".ssh";
    swap.target = other;
    for (swap.by = LINK; swap.by <= PIPE; swap.by++) {
        struct rhost_lines *l = place_read(&fake.ctx, &p);

        assert_non_null(l);
        rhost_lines_append(l, "a key");
        swap.done = 0;
        assert_int_equal(place_write(&fake.ctx, &p, l), -1);
        nothing_elsewhere_was_changed();
        place_close(&p);
        rhost_lines_free(l);
        assert_int_equal(unlink(folder), 0);
        (void)snprintf(folder, sizeof folder, "%s/away", tree);
        assert_int_equal(mode_of(folder), 0700);
        assert_int_equal(rmdir(folder), 0);
        (void)snprintf(folder, sizeof folder, "%s/.ssh", tree);
    }
    (void)snprintf(folder, sizeof folder, "%s/authorized_keys", other);
    assert_int_equal(access(folder, F_OK), -1);
}

static void
keys_are_not_read_elsewhere(void **state)
{
    struct place p = place_of("authorized_keys");
    char folder[80];

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/.ssh", tree);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(symlink(secret, keys), 0);
    assert_null(place_read(&fake.ctx, &p));
    assert_non_null(strstr(rh_buf_text(&fake.failure), "is a symbolic link: it is not followed"));
    assert_int_equal(unlink(keys), 0);
    assert_int_equal(mkfifo(keys, 0600), 0);
    rh_buf_truncate(&fake.failure, 0);
    assert_null(place_read(&fake.ctx, &p));
    assert_non_null(strstr(rh_buf_text(&fake.failure), "exists, but is not a regular file"));
    place_close(&p);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(modes_are_given_to_what_was_looked_at),
        CASE(the_mode_of_a_pipe_is_not_given_to_a_file),
        CASE(no_other_tree_is_entered),
        CASE(a_link_has_an_owner_of_its_own),
        CASE(links_are_listed_wherever_they_lead),
        CASE(keys_go_into_the_folder_that_was_made),
        CASE(keys_are_not_read_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
