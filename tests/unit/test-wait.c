/* SPDX-License-Identifier: Apache-2.0 */
/* test-wait - what becomes of a command when the calls fail that wait for it. */
#include "config.h"

#include "fake-host.h"

#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ALWAYS = 1 << 20 };

/* How often each is to fail; a process that was forked counts for itself. */
static int waitid_fails, waitpid_fails, poll_fails;
static int why = ENOSPC;

int __real_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

static bool
fails(int *left)
{
    if (*left <= 0)
        return false;
    --*left;
    errno = why;
    return true;
}

int
__wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    return fails(&waitid_fails) ? -1 : __real_waitid(type, id, info, options);
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
    return fails(&waitpid_fails) ? -1 : __real_waitpid(pid, status, options);
}

int
__wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    return fails(&poll_fails) ? -1 : __real_poll(fds, n, timeout);
}

static struct fake fake;
static char place[] = "/tmp/rhost-test-wait.XXXXXX";
static char fifo[sizeof place + sizeof "/fifo"];

static int
setup(void **state)
{
    (void)state;
    waitid_fails = waitpid_fails = poll_fails = 0;
    why = ENOSPC;
    fake_open(&fake);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    waitid_fails = waitpid_fails = poll_fails = 0;
    while (waitpid(-1, NULL, 0) > 0) /* a keeper that could not be waited for */
        continue;
    fake_close(&fake);
    return 0;
}

static int
make_place(void **state)
{
    (void)state;
    if (!mkdtemp(place))
        return -1;
    snprintf(fifo, sizeof fifo, "%s/fifo", place);
    return mkfifo(fifo, 0600);
}

static int
remove_place(void **state)
{
    (void)state;
    (void)unlink(fifo);
    return rmdir(place);
}

static double
seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int32_t
run(const char *script, struct rhost_output *out)
{
    const struct rhost_command command = { .struct_size = sizeof command,
                                           .argv = (const char *const[]){ "sh", "-c", script, fifo, NULL },
                                           .timeout = 60000 };

    return rhost_run(&fake.ctx, &command, out);
}

/* Of a command that would go on for long: the run fails soon with these words, and the command is dead. */
static void
assert_given_up(const char *words)
{
    double began = seconds();
    struct rhost_output out;
    struct pollfd held;
    char c;

    held = (struct pollfd){ .fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC), .events = POLLIN };
    assert_true(held.fd >= 0);
    assert_int_equal(run("exec 3>$0; echo >&3; exec sleep 60", &out), -1);
    assert_true(seconds() - began < 30);
    assert_non_null(strstr(rh_buf_text(&fake.failure), words));
    poll_fails = 0;
    do
        assert_true(poll(&held, 1, 20000) >= 0); /* until nobody has it open any more */
    while (read(held.fd, &c, 1) == 1);
    (void)close(held.fd);
}

static void
a_command_that_the_keeper_cannot_look_after_is_killed(void **state)
{
    (void)state;
    waitid_fails = ALWAYS;
    assert_given_up("cannot determine how '");
}

static void
an_end_that_cannot_be_found_out_is_no_success(void **state)
{
    struct rhost_output out;

    (void)state;
    waitpid_fails = ALWAYS;
    assert_int_equal(run("exit 0", &out), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "cannot determine how '"));
}

static void
a_child_that_is_not_ours_any_more_is_no_success(void **state)
{
    struct rhost_output out;

    (void)state;
    waitid_fails = ALWAYS;
    why = ECHILD;
    assert_int_equal(run("sleep 60", &out), -1);
    assert_non_null(strstr(rh_buf_text(&fake.failure), "cannot determine how '"));
}

static void
a_command_that_we_cannot_wait_for_is_ended(void **state)
{
    (void)state;
    poll_fails = ALWAYS;
    why = ENOMEM;
    assert_given_up("cannot wait for '");
}

static void
a_passing_failure_changes_nothing(void **state)
{
    struct rhost_output out;

    (void)state;
    waitid_fails = waitpid_fails = poll_fails = 3;
    assert_int_equal(run("echo said; exit 3", &out), 0);
    assert_int_equal(out.status, 3);
    assert_string_equal(out.out, "said\n");
}

static void
a_signal_is_no_failure(void **state)
{
    struct rhost_output out;

    (void)state;
    waitid_fails = waitpid_fails = poll_fails = 1000;
    why = EINTR;
    assert_int_equal(run("exit 4", &out), 0);
    assert_int_equal(out.status, 4);
}

static void
waits_end(void **state)
{
    double began = seconds();
    int status = 0;

    (void)state;
    waitid_fails = waitpid_fails = poll_fails = ALWAYS;
    assert_int_equal(rh_wait_poll(NULL, 0, 60000), -1);
    assert_int_equal(errno, ENOSPC);
    rh_wait_end(getpid());
    assert_int_equal(rh_wait_child(getpid(), &status), -1);
    assert_true(seconds() - began < 30);
}

static void
count(void *data)
{
    ++*(int *)data;
}

static void
who_waits_watches_and_stops_when_something_comes(void **state)
{
    int ends[2], watched = 0;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    rh_wait_watch(count, &watched);
    assert_int_equal(rh_wait_idle(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, 0), 0);
    assert_int_equal(watched, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(rh_wait_idle(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, 5000), 1);
    assert_int_equal(watched, 1);
    assert_int_equal(rh_wait_idle(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, -1), 1);
    assert_int_equal(watched, 2);
    assert_int_equal(rh_wait_idle(&(struct pollfd){ .fd = ends[0] }, 1, 1500), 0);
    assert_true(watched > 3);
    rh_wait_watch(NULL, NULL);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_command_that_the_keeper_cannot_look_after_is_killed),
        TEST(an_end_that_cannot_be_found_out_is_no_success),
        TEST(a_child_that_is_not_ours_any_more_is_no_success),
        TEST(a_command_that_we_cannot_wait_for_is_ended),
        TEST(a_passing_failure_changes_nothing),
        TEST(a_signal_is_no_failure),
        TEST(waits_end),
        TEST(who_waits_watches_and_stops_when_something_comes),
    };

    return cmocka_run_group_tests(tests, make_place, remove_place);
}
