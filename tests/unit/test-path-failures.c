/* SPDX-License-Identifier: Apache-2.0 */
/* test-path-failures - what <rhost/path.h> makes of system calls that fail on the way. */
#include "config.h"

#include "fake-host.h"

#include "base/cleanup.h"
#include "base/io.h"

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

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
/* What it is called where a long has 32 bits. */
struct dirent *__wrap_readdir64(DIR *d) __attribute__((alias("__wrap_readdir")));
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);

static struct fake fake;
static char dir[] = "/tmp/rhost-path-XXXXXX";
static char path[64];

/* The next call fails with this number; 0: it does not. */
static int fdopendir_fails, readdir_fails, read_fails;

static bool
fails(int *number)
{
    if (!*number)
        return false;
    errno = *number;
    *number = 0;
    return true;
}

DIR *
__wrap_fdopendir(int fd)
{
    return fails(&fdopendir_fails) ? NULL : __real_fdopendir(fd);
}

struct dirent *
__wrap_readdir(DIR *d)
{
    return fails(&readdir_fails) ? NULL : __real_readdir(d);
}

ssize_t
__wrap_read(int fd, void *to, size_t n)
{
    return fails(&read_fails) ? -1 : __real_read(fd, to, n);
}

static int
setup(void **state)
{
    rh_autoclose int fd = -1;

    (void)state;
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/it", dir);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(rh_write_all(fd, "text", 4), 0);
    fake_open(&fake);
    (void)alarm(10);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    fake_close(&fake);
    (void)alarm(0);
    return 0;
}

/* What the next descriptor is: the same again if nothing was left open. */
static int
next_descriptor(void)
{
    int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    return fd;
}

static void
a_directory_that_can_not_be_read_is_no_empty_one(void **state)
{
    const char **names;
    int next = next_descriptor();

    (void)state;
    fdopendir_fails = ENOMEM;
    assert_int_equal(rhost_path_list(&fake.ctx, dir, 0, &names), -1);
    assert_int_equal(errno, ENOMEM);
    assert_int_equal(next_descriptor(), next);
    readdir_fails = EIO;
    assert_int_equal(rhost_path_list(&fake.ctx, dir, 0, &names), -1);
    assert_int_equal(errno, EIO);
    assert_int_equal(next_descriptor(), next);
    assert_int_equal(rhost_path_list(&fake.ctx, dir, 0, &names), 1);
    assert_string_equal(names[0], "it");
}

static void
a_file_is_read_again_after_a_signal_alone(void **state)
{
    int next = next_descriptor();
    size_t len = 0;

    (void)state;
    read_fails = EINTR;
    assert_string_equal(rhost_path_read(&fake.ctx, path, 0, 10, &len, NULL), "text");
    assert_int_equal(len, 4);
    read_fails = EIO;
    assert_null(rhost_path_read(&fake.ctx, path, 0, 10, NULL, NULL));
    assert_int_equal(errno, EIO);
    assert_int_equal(next_descriptor(), next);
}

/* A host that can open no more, once it has looked for where a path leads. */
static int32_t
opens_nothing(rhost_ctx *ctx, const char *at, uint64_t flags, int32_t open_flags, uint32_t mode)
{
    (void)ctx;
    (void)at;
    (void)flags;
    (void)open_flags;
    (void)mode;
    return -EMFILE;
}

static int32_t
finds_nobody(rhost_ctx *ctx, int32_t kind, const char *name, int64_t *id)
{
    (void)ctx;
    (void)kind;
    (void)name;
    (void)id;
    return -EMFILE;
}

static const void *
full(rhost_ctx *ctx, const char *id)
{
    static const struct rhost_ids ids = { .struct_size = sizeof ids, .number = finds_nobody };
    static struct rhost_path ext;

    (void)ctx;
    if (strcmp(id, RHOST_IDS_ID) == 0)
        return &ids;
    if (strcmp(id, RHOST_PATH_ID) != 0)
        return NULL;
    ext = *rh_ext_path();
    ext.open = opens_nothing;
    return &ext;
}

static void
the_reason_is_that_of_the_first_failure(void **state)
{
    struct rhost_host host = fake_table;
    struct stat st;
    int rc, why;

    (void)state;
    host.extension = full;
    fake.ctx.host = &host;
    rc = rhost_path_stat(&fake.ctx, "/", 0, &st);
    why = errno;
    fake.ctx.host = &fake_table;
    assert_int_equal(rc, -1);
    assert_int_equal(why, EMFILE);
}

static void
an_account_that_can_not_be_looked_up_is_not_missing(void **state)
{
    struct rh_value *v = rh_value_new(fake.arena, RH_HASH);
    struct rhost_host host = fake_table;
    int64_t id;
    int rc;

    (void)state;
    rh_value_put(v, "owner", rh_value_string(fake.arena, "nosuch"));
    host.extension = full;
    fake.ctx.host = &host;
    rc = rhost_wanted_id(&fake.ctx, fake_out(v), "owner", 0, &id);
    fake.ctx.host = &fake_table;
    assert_int_equal(rc, -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "cannot look up user 'nosuch': "));
    assert_string_equal(fake.attribute, "owner");
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_directory_that_can_not_be_read_is_no_empty_one),
        CASE(a_file_is_read_again_after_a_signal_alone),
        CASE(the_reason_is_that_of_the_first_failure),
        CASE(an_account_that_can_not_be_looked_up_is_not_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
