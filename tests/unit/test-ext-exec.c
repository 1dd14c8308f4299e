/* SPDX-License-Identifier: Apache-2.0 */
/* test-ext-exec - what <rhost/exec.h> promises, whether this process starts the commands or a broker does. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "fake-host.h"
#include "provider/exec-broker.h"
#include "provider/exec-process.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct fake fake;

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);

static size_t fails_at; /* read() fails when it has room for so many bytes */
static int reads_before;
static size_t slow_at; /* and takes a while */

ssize_t
__wrap_read(int fd, void *to, size_t n)
{
    if (n == fails_at && !reads_before--) {
        fails_at = 0;
        errno = EIO;
        return -1;
    }
    if (n == slow_at)
        (void)usleep(120000);
    return __real_read(fd, to, n);
}

static int
setup(void **state)
{
    (void)state;
    fake_open(&fake);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    fake_close(&fake);
    return 0;
}

static int32_t
run(struct rhost_command command, struct rhost_output *out)
{
    command.struct_size = sizeof command;
    return rhost_run(&fake.ctx, &command, out);
}

#define ARGV(...)                                                                                            \
    .argv = (const char *const[])                                                                            \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }
#define SH(script) ARGV("sh", "-c", (script))

static double
seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
output_and_status_come_back(void **state)
{
    struct rhost_output out;

    (void)state;
    assert_int_equal(run((struct rhost_command){ SH("echo to-out; echo to-err >&2; exit 3") }, &out), 0);
    assert_int_equal(out.status, 3);
    assert_string_equal(out.out, "to-out\n");
    assert_string_equal(out.err, "to-err\n");
    assert_int_equal(out.truncated, 0);
}

/* What was read so far is not all that the command printed. */
static void
output_that_cannot_be_read_is_a_failure(void **state)
{
    static const char *const scripts[] = { "echo to-out", "echo to-err >&2", "echo a; sleep 0.2; echo b" };
    struct rhost_output out;

    (void)state;
    for (int i = 0; i < 3; i++) {
        out = (struct rhost_output){ 0 };
        fails_at = 16384;
        reads_before = i == 2;
        assert_int_equal(run((struct rhost_command){ SH(scripts[i]) }, &out), -1);
        assert_int_equal(fails_at, 0);
        assert_int_equal(strncmp(fake.failure.s, "cannot read the output of 'sh -c", 32), 0);
        assert_non_null(strstr(fake.failure.s, ": Input/output error"));
        assert_null(out.out);
        rh_buf_truncate(&fake.failure, 0);
    }
}

static void
merged_output_keeps_its_order(void **state)
{
    struct rhost_output out;

    (void)state;
    run((struct rhost_command){ SH("echo 1; echo 2 >&2; echo 3"), .flags = RHOST_EXEC_MERGE }, &out);
    assert_string_equal(out.out, "1\n2\n3\n");
    assert_int_equal(out.err_len, 0);
}

/* On a machine that is busy we may come to read long after the command has ended. */
static void
output_is_whole_however_late_it_is_read(void **state)
{
    struct rhost_output out;
    int32_t result;

    (void)state;
    slow_at = 16384; /* what is read at once */
    result = run((struct rhost_command){ SH("head -c 60000 /dev/zero | tr '\\0' x") }, &out);
    slow_at = 0;
    assert_int_equal(result, 0);
    assert_int_equal(out.out_len, 60000);
}

static uint32_t asked;

static void
ask_to_end(int number)
{
    asked = (uint32_t)number;
}

/* One that takes no notice of being asked to end, and ends well: it has done its work. */
static void
output_is_whole_after_the_run_was_to_end(void **state)
{
    struct rhost_output out;
    int32_t result;

    (void)state;
    asked = 0;
    rh_interrupt_watch(&asked);
    (void)signal(SIGALRM, ask_to_end);
    (void)ualarm(300000, 0);
    result = run((struct rhost_command){ SH("trap '' TERM; echo one; sleep 1 & wait; echo two"),
                                         .flags = RHOST_EXEC_READS },
                 &out);
    rh_interrupt_watch(NULL);
    (void)signal(SIGALRM, SIG_DFL);
    assert_int_equal(result, 0);
    assert_int_equal(out.status, 0);
    assert_string_equal(out.out, "one\ntwo\n");
}

static void
a_signal_is_told_apart(void **state)
{
    struct rhost_output out;

    (void)state;
    assert_int_equal(run((struct rhost_command){ SH("kill -TERM $$") }, &out), 0);
    assert_int_equal(out.signal, SIGTERM);
    assert_int_equal(out.status, 128 + SIGTERM);
}

static void
the_surroundings_are_clean(void **state)
{
    struct rhost_output out;

    (void)state;
    setenv("LEAK", "1", 1);
    run((struct rhost_command){ ARGV("env") }, &out);
    assert_string_equal(out.out, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
                                 "LC_ALL=C.UTF-8\n");
    run((struct rhost_command){ SH("pwd; umask; ls /proc/self/fd | wc -l") }, &out);
    assert_string_equal(out.out, "/\n0022\n4\n"); /* 0, 1, 2, and the one that ls reads */
}

static void
environment_cwd_and_umask_are_as_asked(void **state)
{
    const char *const env[] = { "A=b c", "LC_ALL=C", NULL };
    struct rhost_output out;

    (void)state;
    run((struct rhost_command){ SH("pwd; umask; echo \"$A $LC_ALL\""), .env = env, .cwd = "/usr",
                                .umask = 077 },
        &out);
    assert_string_equal(out.out, "/usr\n0077\nb c C\n");
    run((struct rhost_command){ SH("umask"), .flags = RHOST_EXEC_UMASK_0 }, &out);
    assert_string_equal(out.out, "0000\n");
}

/* Of a pipe it would take what had been written by then for the whole. */
static void
input_is_whole_when_whoever_gives_it_is_killed(void **state)
{
    static char large[1 << 20];
    char place[] = "/tmp/rhost-input.XXXXXX", begun[64], said[64], script[300], text[32] = "";
    pid_t child;
    FILE *f;

    (void)state;
    memset(large, 'x', sizeof large);
    assert_non_null(mkdtemp(place));
    snprintf(begun, sizeof begun, "%s/begun", place);
    snprintf(said, sizeof said, "%s/said", place);
    snprintf(script, sizeof script, ": >%s; sleep 0.3; wc -c >%s.new; mv %s.new %s", begun, said, said, said);
    child = fork();
    if (child == 0) {
        struct rhost_output out;

        run((struct rhost_command){ SH(script), .input = large, .input_len = sizeof large }, &out);
        _exit(0);
    }
    for (int i = 0; i < 1000 && access(begun, F_OK) < 0; i++)
        (void)usleep(10000);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 1000 && access(said, F_OK) < 0; i++)
        (void)usleep(10000);
    f = fopen(said, "re");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    (void)fclose(f);
    assert_string_equal(text, "1048576\n");
    assert_int_equal(unlink(begun) + unlink(said) + rmdir(place), 0);
}

/* A command can read it again from its start, and not change it. */
static void
input_stays_what_it_is(void **state)
{
    struct rhost_output out;

    (void)state;
    run(
        (struct rhost_command){
            SH("cat /dev/stdin; cat /dev/stdin; echo more 2>/dev/null >&0 || echo refused"), .input = "abc",
            .input_len = 3 },
        &out);
    assert_string_equal(out.out, "abcabcrefused\n");
}

static void
input_arrives_and_may_be_ignored(void **state)
{
    static char large[1 << 20];
    struct rhost_output out;

    (void)state;
    memset(large, 'x', sizeof large);
    run((struct rhost_command){ ARGV("wc", "-c"), .input = large, .input_len = sizeof large }, &out);
    assert_string_equal(out.out, "1048576\n");
    assert_int_equal(
        run((struct rhost_command){ ARGV("true"), .input = large, .input_len = sizeof large }, &out), 0);
    run((struct rhost_command){ ARGV("cat") }, &out);
    assert_int_equal(out.out_len, 0);
}

static void
output_beyond_the_limit_is_dropped(void **state)
{
    struct rhost_output out;

    (void)state;
    run((struct rhost_command){ SH("seq 1 100000"), .output_limit = 10 }, &out);
    assert_string_equal(out.out, "1\n2\n3\n4\n5\n");
    assert_int_equal(out.truncated, 1);
    run((struct rhost_command){ SH("seq 1 100000"), .output_limit = 13, .flags = RHOST_EXEC_TAIL }, &out);
    assert_string_equal(out.out, "99999\n100000\n");
    assert_int_equal(out.truncated, 1);
}

static void
what_cannot_be_started_is_named(void **state)
{
    struct rhost_output out;

    (void)state;
    assert_int_equal(run((struct rhost_command){ ARGV("no-such-command") }, &out), -1);
    assert_string_equal(fake.failure.s, "cannot execute 'no-such-command': No such file or directory");
    rh_buf_truncate(&fake.failure, 0);
    run((struct rhost_command){ ARGV("/etc/passwd") }, &out);
    assert_string_equal(fake.failure.s, "cannot execute '/etc/passwd': Permission denied");
    rh_buf_truncate(&fake.failure, 0);
    run((struct rhost_command){ ARGV("true"), .cwd = "/no/such" }, &out);
    assert_string_equal(fake.failure.s, "cannot execute 'true': cannot change to directory "
                                        "'/no/such': No such file or directory");
    rh_buf_truncate(&fake.failure, 0);
    run((struct rhost_command){ ARGV("true"), .user = "no-such-user" }, &out);
    assert_string_equal(fake.failure.s, "unknown user 'no-such-user'");
}

/* The time to plan a command does not grow with the square of what is asked for. */
static void
a_command_of_absurd_size_is_refused(void **state)
{
    enum { MANY = 4096, DIRS = 256, LONG = 4096 };
    const char *env[MANY + 2] = { NULL };
    char names[MANY + 1][16], program[LONG + 1] = "", path[2 * DIRS + 8] = "PATH=/";
    struct rhost_output out;

    (void)state;
    for (size_t i = 0; i <= MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "V%zu=%zu", i % (MANY - 1), i);
        env[i] = names[i];
    }
    assert_int_equal(run((struct rhost_command){ SH("echo"), .env = env }, &out), -1);
    assert_string_equal(fake.failure.s, "cannot execute 'sh': Argument list too long");
    env[MANY] = NULL;
    assert_int_equal(run((struct rhost_command){ SH("echo $V0 $V1; env | grep -c ^V"), .env = env }, &out),
                     0);
    assert_string_equal(out.out, "4095 1\n4095\n");
    for (size_t i = 0; i < DIRS; i++)
        strcat(path, ":/");
    env[0] = path;
    env[1] = NULL;
    rh_buf_truncate(&fake.failure, 0);
    assert_int_equal(run((struct rhost_command){ ARGV("true"), .env = env }, &out), -1);
    assert_string_equal(fake.failure.s, "cannot execute 'true': Argument list too long");
    assert_int_equal(run((struct rhost_command){ ARGV("/bin/true"), .env = env }, &out), 0);
    memset(program, 'x', LONG);
    rh_buf_truncate(&fake.failure, 0);
    assert_int_equal(run((struct rhost_command){ ARGV(program) }, &out), -1);
    assert_non_null(strstr(fake.failure.s, "xx...': File name too long"));
}

static void
a_user_brings_groups_and_home(void **state)
{
    struct rhost_output out;

    (void)state;
    if (getuid() != 0)
        skip();
    assert_int_equal(
        run((struct rhost_command){ SH("id -un; id -gn; echo $HOME $USER"), .user = "daemon" }, &out), 0);
    assert_string_equal(out.out, "daemon\ndaemon\n/usr/sbin daemon\n");
    run((struct rhost_command){ SH("id -u; id -g; id -G"), .user = "12345", .group = "54321" }, &out);
    assert_string_equal(out.out, "12345\n54321\n54321\n");
}

/* A time to sleep that no other process of this machine has: this test may run there more than once. */
static char *
own_time(int which)
{
    return rh_printf("%d%07d", which, (int)getpid());
}

static bool
is_running(const char *marker)
{
    rh_autobuf struct rh_buf script = { 0 };
    struct rhost_output out;

    rh_buf_addf(&script, "pgrep -f '[s]leep %s' >/dev/null", marker);
    assert_int_equal(run((struct rhost_command){ SH(script.s) }, &out), 0);
    return out.status == 0;
}

static void
a_timeout_ends_the_whole_tree(void **state)
{
    struct rhost_output out;
    double before = seconds();
    rh_autofree char *own = own_time(7), *marker = rh_printf("%s[1-5]", own);
    /* One that forked twice into a session of its own, one that ignores being asked. */
    rh_autofree char *script = rh_printf("(setsid sh -c 'sleep %s1 & sleep %s2' &) ; "
                                         "(trap '' TERM; sleep %s3; sleep %s4) & sleep %s5",
                                         own, own, own, own, own);

    (void)state;
    assert_int_equal(run((struct rhost_command){ SH(script), .timeout = 300 }, &out), -1);
    assert_non_null(strstr(fake.failure.s, "took longer than 0.3 s and was killed"));
    assert_true(seconds() - before < 30); /* a second and a bit, on a machine that is not busy */
    assert_false(is_running(marker));
}

static void
what_goes_on_in_the_background_does_not_hold_us_up(void **state)
{
    struct rhost_output out;
    double before = seconds();
    rh_autofree char *own = own_time(8), *script = rh_printf("sleep %s & echo started", own),
                     *sleeping = rh_printf("sleep %s", own);

    (void)state;
    assert_int_equal(run((struct rhost_command){ SH(script) }, &out), 0);
    assert_true(seconds() - before < 30);
    assert_string_equal(out.out, "started\n");
    assert_true(is_running(own));
    run((struct rhost_command){ ARGV("pkill", "-f", sleeping) }, &out);
}

static void
no_child_and_no_descriptor_stays(void **state)
{
    struct rhost_output out;
    int before = dup(0), after;

    (void)state;
    close(before);
    run((struct rhost_command){ SH("sleep 0.01 &") }, &out);
    run((struct rhost_command){ SH("sleep 5"), .timeout = 50 }, &out);
    run((struct rhost_command){ ARGV("no-such-command") }, &out);
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
the_log_redacts_and_escapes(void **state)
{
    const uint8_t secret[] = { 0, 0, 1 };
    struct rhost_output out;

    (void)state;
    run((struct rhost_command){ ARGV("echo", "a\033[1mb", "hunter2"), .secret_args = secret }, &out);
    assert_non_null(strstr(fake.log.s, "Executing 'echo \"a\\x1b[1mb\" [redacted]'"));
    assert_non_null(strstr(fake.log.s, "Successfully executed 'echo"));
    assert_null(strstr(fake.log.s, "hunter2"));
    assert_null(strchr(fake.log.s, '\033'));
}

static void
noop_refuses_what_does_not_only_read(void **state)
{
    struct rhost_output out;

    (void)state;
    fake.noop = true;
    assert_int_equal(run((struct rhost_command){ ARGV("true") }, &out), -1);
    assert_int_equal(run((struct rhost_command){ ARGV("true"), .flags = RHOST_EXEC_READS }, &out), 0);
}

static const char *
no_name(void *data)
{
    (void)data;
    return "test";
}

static bool
record(void *data, const char *shown)
{
    (void)data;
    return *shown != '\0';
}

static bool
sleep_for(void *data, int milliseconds)
{
    (void)data;
    return usleep((useconds_t)milliseconds * 1000) == 0;
}

static void
wake(int number)
{
    (void)number;
}

/* Until the other end is closed. */
static void
be_broker(int channel)
{
    static const struct rh_broker_host host = {
        .provider = no_name,
        .record = record,
        .watch = { .pause = sleep_for },
    };
    const struct sigaction wakes = { .sa_handler = wake };
    struct rh_broker *b = rh_broker_new(channel, &host);
    struct pollfd fd = { .events = POLLIN };
    const char *wrong = NULL;
    sigset_t set, before;
    int more = 1;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, &before);
    (void)sigaction(SIGCHLD, &wakes, NULL);
    while (more > 0) {
        fd.fd = rh_broker_is_waiting(b) ? -1 : channel;
        if (ppoll(&fd, 1, NULL, &before) > 0)
            more = rh_broker_serve(b, &wrong);
        if (rh_broker_look(b, &wrong) < 0)
            more = -1;
    }
    rh_broker_free(b);
    _exit(more);
}

static void
lose_broker(void)
{
    fail_msg("the broker is gone");
}

/* It is no child of ours, so that one of a command would be found. */
static int
start_broker(void **state)
{
    int pair[2], status;
    pid_t between;

    (void)state;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0 || (between = fork()) < 0)
        return -1;
    if (between == 0) {
        (void)close(pair[1]);
        if (fork() == 0)
            be_broker(pair[0]);
        _exit(0);
    }
    (void)close(pair[0]);
    rh_exec_use_broker(pair[1], lose_broker);
    return waitpid(between, &status, 0) == between && status == 0 ? 0 : -1;
}

int
main(void)
{
    int failed;
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(output_and_status_come_back),
        CASE(merged_output_keeps_its_order),
        CASE(output_that_cannot_be_read_is_a_failure),
        CASE(output_is_whole_however_late_it_is_read),
        CASE(output_is_whole_after_the_run_was_to_end),
        CASE(a_signal_is_told_apart),
        CASE(the_surroundings_are_clean),
        CASE(environment_cwd_and_umask_are_as_asked),
        CASE(input_arrives_and_may_be_ignored),
        CASE(input_is_whole_when_whoever_gives_it_is_killed),
        CASE(input_stays_what_it_is),
        CASE(output_beyond_the_limit_is_dropped),
        CASE(what_cannot_be_started_is_named),
        CASE(a_command_of_absurd_size_is_refused),
        CASE(a_user_brings_groups_and_home),
        CASE(a_timeout_ends_the_whole_tree),
        CASE(what_goes_on_in_the_background_does_not_hold_us_up),
        CASE(no_child_and_no_descriptor_stays),
        CASE(the_log_redacts_and_escapes),
        CASE(noop_refuses_what_does_not_only_read),
    };

    failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("by a broker", tests, start_broker, NULL);
}
