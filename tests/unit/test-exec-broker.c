/* SPDX-License-Identifier: Apache-2.0 */
/* test-exec-broker - what the broker takes from a worker, and what it does not. That commands which it starts
 * are as those that a process starts itself, test-ext-exec shows. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "provider/exec-broker.h"
#include "provider/exec-wire.h"

#include <rhost/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct rh_buf recorded;
static bool can_record;

static const char *
provider(void *data)
{
    (void)data;
    return "frob";
}

static bool
record(void *data, const char *shown)
{
    (void)data;
    rh_buf_addf(&recorded, "%s\n", shown);
    return can_record;
}

static bool
pause_for(void *data, int milliseconds)
{
    (void)data;
    (void)milliseconds;
    return true;
}

static struct rh_broker_host host;
static struct rh_broker *broker;
static int ours = -1, theirs = -1;
static const char *wrong;

static int
setup(void **state)
{
    int pair[2];

    (void)state;
    host = (struct rh_broker_host){
        .provider = provider,
        .record = record,
        .watch = { .pause = pause_for },
    };
    can_record = true;
    wrong = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    ours = pair[0];
    theirs = pair[1];
    broker = rh_broker_new(theirs, &host);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    rh_broker_free(broker);
    rh_buf_clear(&recorded);
    rh_exec_close(&ours);
    rh_exec_close(&theirs);
    return 0;
}

static void
send_request(uint32_t type, const void *payload, size_t n, const int *fds, size_t n_fds)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(64 * sizeof(int))];
    } control = { .bytes = { 0 } };
    struct rh_ask_head head = { .n = (uint32_t)n, .type = type };
    struct iovec parts[2] = { { &head, sizeof head }, { (void *)(uintptr_t)payload, n } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

    if (n_fds) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(n_fds * sizeof *fds);
        control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(n_fds * sizeof *fds),
                                          .cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.align), fds, n_fds * sizeof *fds);
    }
    assert_int_equal(sendmsg(ours, &message, 0), sizeof head + n);
}

static void
refused_since(const char *why)
{
    assert_int_equal(rh_broker_serve(broker, &wrong), -1);
    assert_string_equal(wrong, why);
}

static struct rh_ask_answer
answer(char *text, size_t size)
{
    struct rh_ask_answer a;

    assert_int_equal(rh_broker_serve(broker, &wrong), 1);
    assert_int_equal(recv(ours, &a, sizeof a, MSG_DONTWAIT), sizeof a);
    assert_true(a.n < size);
    if (a.n)
        assert_int_equal(recv(ours, text, a.n, MSG_DONTWAIT), a.n);
    text[a.n] = '\0';
    return a;
}

static struct rh_ask_answer
prepare_with(const char *const *argv, const char *const *env, char *text, size_t size)
{
    const struct rhost_command c = { .struct_size = sizeof c, .argv = argv, .env = env, .umask = -1 };
    rh_autobuf struct rh_buf b = { 0 };

    rh_ask_put_command(&b, &c);
    send_request(RH_ASK_PREPARE, b.s, b.n, NULL, 0);
    return answer(text, size);
}

static struct rh_ask_answer
prepare(const char *const *argv, char *text, size_t size)
{
    return prepare_with(argv, NULL, text, size);
}

static const char *const true_argv[] = { "true", NULL };

static void
prepare_true(void)
{
    char text[100];

    assert_int_equal(prepare(true_argv, text, sizeof text).result, 0);
}

static void
a_command_is_recorded_and_run(void **state)
{
    const char *const argv[] = { "sh", "-c", "echo $0 $PATH; ls /proc/self/fd | wc -l", NULL };
    struct rh_ask_numbers numbers = { .first = RH_ASK_NEEDED - 1 };
    struct rh_exec_report report = { 0 };
    struct rh_ask_answer a;
    int out[2], said[2], fds[4];
    char text[200] = "";

    (void)state;
    assert_int_equal(prepare(argv, text, sizeof text).result, 0);
    assert_int_equal(recorded.n, 0);
    assert_int_equal(rh_exec_pipe(out) + rh_exec_pipe(said), 0);
    fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    fds[1] = fds[2] = out[1];
    fds[3] = said[1];
    send_request(RH_ASK_START, &numbers, sizeof numbers, fds, 4);
    a = answer(text, sizeof text);
    assert_true(a.result > 0);
    assert_string_equal(recorded.s, "sh -c \"echo $0 $PATH; ls /proc/self/fd | wc -l\"\n");
    for (int i = 0; i < 4; i++)
        if (i != 2)
            rh_exec_close(&fds[i]);
    /* At the end of its output nothing else holds the pipe: not the broker either. */
    for (size_t n = 0; (a.number = (int)read(out[0], text + n, sizeof text - 1 - n)) > 0;
         n += (size_t)a.number)
        continue;
    assert_string_equal(text, "sh " RHOST_EXEC_PATH "\n4\n");
    assert_int_equal(read(said[0], &report, sizeof report), sizeof report);
    assert_int_equal(report.stage, RH_EXEC_ENDED);
    numbers = (struct rh_ask_numbers){ .first = (uint32_t)a.result };
    send_request(RH_ASK_WAIT, &numbers, sizeof numbers, NULL, 0);
    do
        assert_true(rh_broker_serve(broker, &wrong) >= 0 && rh_broker_look(broker, &wrong) >= 0);
    while (rh_broker_is_waiting(broker) && usleep(1000) == 0);
    assert_int_equal(recv(ours, &a, sizeof a, MSG_DONTWAIT), sizeof a);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    send_request(RH_ASK_KILL, &numbers, sizeof numbers, NULL, 0); /* the number may be another's by now */
    refused_since("it names a command that it has not started");
    rh_exec_close(&out[0]);
    rh_exec_close(&said[0]);
}

static void
without_a_record_nothing_runs(void **state)
{
    const struct rh_ask_numbers numbers = { .first = RH_ASK_NEEDED - 1 };
    const int fds[4] = { 0, 1, 2, 2 };

    (void)state;
    can_record = false;
    prepare_true();
    send_request(RH_ASK_START, &numbers, sizeof numbers, fds, 4);
    errno = 0;
    refused_since("its command cannot be recorded");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void
only_programs_of_the_list_may_run(void **state)
{
    static const char *const allowed[] = { "/usr/bin/true", "/usr/bin/id", NULL };
    const char *const other[] = { "/usr/bin/../bin/true", NULL };
    char text[200];

    (void)state;
    host.rules.programs = allowed;
    assert_int_equal(prepare(true_argv, text, sizeof text).result, 0);
    assert_int_equal(prepare(other, text, sizeof text).result, -1);
    assert_string_equal(text,
                        "provider 'frob' tried to run '/usr/bin/../bin/true', which it does not declare");
    assert_int_equal(recorded.n, 0);
    send_request(RH_ASK_START, &(struct rh_ask_numbers){ 15, 0 }, 8, (int[]){ 0, 1, 2, 2 }, 4);
    refused_since("it starts a command that was not prepared");
}

static void
programs_of_a_directory_are_those_in_it(void **state)
{
    static const char *const allowed[] = { "/etc/init.d/*", NULL };
    static const struct rh_exec_rules rules = { .programs = allowed };

    (void)state;
    assert_true(rh_exec_allows(&rules, "/etc/init.d/cron"));
    assert_false(rh_exec_allows(&rules, "/etc/init.d/"));
    assert_false(rh_exec_allows(&rules, "/etc/init.d/.."));
    assert_false(rh_exec_allows(&rules, "/etc/init.d/x/y"));
    assert_false(rh_exec_allows(&rules, "/etc/init.d/../passwd"));
    assert_false(rh_exec_allows(&rules, "/etc/init.dx/y"));
}

static void
no_variable_loads_other_code_into_a_declared_program(void **state)
{
    static const char *const allowed[] = { "true", NULL };
    static const char *const refused[] = { "LD_PRELOAD=/x.so", "LD_=",  "PYTHONPATH=/x",
                                           "PERL5LIB=/x",      "IFS=x", "BASH_ENV=/x" };
    static const char *const taken[] = { "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "LDX=1", "PATHS=1",
                                         NULL };
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *const env[] = { "LC_ALL=C", refused[i], NULL };

        host.rules.programs = allowed;
        assert_int_equal(prepare_with(true_argv, env, text, sizeof text).result, -1);
        assert_non_null(strstr(text, "provider 'frob' tried to run 'true' with the variable '"));
        host.rules.programs = NULL;
        assert_int_equal(prepare_with(true_argv, env, text, sizeof text).result, 0);
    }
    host.rules.programs = allowed;
    assert_int_equal(prepare_with(true_argv, taken, text, sizeof text).result, 0);
}

static void
why_a_command_cannot_be_started_is_the_answer(void **state)
{
    const char *const empty[] = { NULL };
    char text[100];

    (void)state;
    assert_int_equal(prepare(empty, text, sizeof text).result, -1);
    assert_string_equal(text, "the command is empty");
}

/* Each of them ends a worker; so it gets a broker of its own. */
static void
what_makes_no_sense_is_refused(void **state)
{
    const struct rh_ask_numbers all = { .first = RH_ASK_NEEDED - 1 };
    static const char longer[2 * sizeof all];
    static const struct {
        uint32_t type;
        struct rh_ask_numbers numbers;
        size_t n;
        int fds;
        bool prepared;
        const char *why;
    } cases[] = {
        { 0, { 0, 0 }, 8, 0, false, "its type or its length is unknown" },
        { 6, { 0, 0 }, 8, 0, false, "its type or its length is unknown" },
        { UINT32_MAX, { 0, 0 }, 8, 0, false, "its type or its length is unknown" },
        { RH_ASK_START, { 15, 0 }, 4, 0, true, "its type or its length is unknown" },
        { RH_ASK_END, { 15, 0 }, 16, 0, true, "its type or its length is unknown" },
        { RH_ASK_START, { 15, 0 }, 8, 4, false, "it starts a command that was not prepared" },
        { RH_ASK_START,
          { 15, 0 },
          8,
          3,
          true,
          "the descriptors of its command are not those that it announced" },
        { RH_ASK_START,
          { 15, 0 },
          8,
          5,
          true,
          "the descriptors of its command are not those that it announced" },
        { RH_ASK_START,
          { 14, 0 },
          8,
          3,
          true,
          "the descriptors of its command are not those that it announced" },
        { RH_ASK_START,
          { 79, 0 },
          8,
          5,
          true,
          "the descriptors of its command are not those that it announced" },
        { RH_ASK_START,
          { 15, 2 },
          8,
          4,
          true,
          "the descriptors of its command are not those that it announced" },
        { RH_ASK_START,
          { 15, 0 },
          8,
          7,
          true,
          "it sends more descriptors than a command has, or there is no room for them" },
        { RH_ASK_START,
          { 15, 0 },
          8,
          60,
          true,
          "it sends more descriptors than a command has, or there is no room for them" },
        { RH_ASK_END, { 1, 0 }, 8, 0, false, "it names a command that it has not started" },
        { RH_ASK_KILL, { 1, 0 }, 8, 0, false, "it names a command that it has not started" },
        { RH_ASK_WAIT, { UINT32_MAX, 0 }, 8, 0, false, "it names a command that it has not started" },
        { RH_ASK_KILL, { 1, 0 }, 8, 1, false, "it sends descriptors with something else than a command" },
        { RH_ASK_PREPARE, { 0, 0 }, 8, 0, false, "its command cannot be read" },
        { RH_ASK_PREPARE, { 0, 0 }, 0, 0, false, "its command cannot be read" },
        { RH_ASK_PREPARE, { 0, 0 }, 8, 2, false, "it sends descriptors with something else than a command" },
    };
    int fds[64];

    (void)state;
    for (size_t i = 0; i < 64; i++)
        fds[i] = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int before, after;

        if (cases[i].prepared)
            prepare_true();
        before = dup(0);
        close(before);
        if (cases[i].n > sizeof all)
            send_request(cases[i].type, longer, cases[i].n, fds, (size_t)cases[i].fds);
        else
            send_request(cases[i].type, &cases[i].numbers, cases[i].n, fds, (size_t)cases[i].fds);
        refused_since(cases[i].why);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(recorded.n, 0);
        rh_broker_free(broker);
        broker = NULL;
        after = dup(0); /* no descriptor that came stays */
        close(after);
        assert_int_equal(before, after);
        teardown(NULL);
        assert_int_equal(setup(NULL), 0);
    }
}

static void
a_request_that_is_too_long_is_refused_before_it_is_there(void **state)
{
    const struct rh_ask_head head = { .n = RH_ASK_LARGEST + 1, .type = RH_ASK_PREPARE };

    (void)state;
    assert_int_equal(send(ours, &head, sizeof head, 0), sizeof head);
    refused_since("it is too long");
}

static void
a_request_may_come_in_parts(void **state)
{
    const struct rhost_command c = { .struct_size = sizeof c, .argv = true_argv, .umask = -1 };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_ask_head head = { .type = RH_ASK_PREPARE };
    char text[100];

    (void)state;
    rh_ask_put_command(&b, &c);
    head.n = (uint32_t)b.n;
    for (size_t i = 0; i < sizeof head; i++) {
        assert_int_equal(send(ours, (const char *)&head + i, 1, 0), 1);
        assert_int_equal(rh_broker_serve(broker, &wrong), 1);
    }
    for (size_t i = 0; i + 1 < b.n; i++) {
        assert_int_equal(send(ours, b.s + i, 1, 0), 1);
        assert_int_equal(rh_broker_serve(broker, &wrong), 1);
    }
    assert_int_equal(send(ours, b.s + b.n - 1, 1, 0), 1);
    assert_int_equal(answer(text, sizeof text).result, 0);
    rh_exec_close(&ours);
    assert_int_equal(rh_broker_serve(broker, &wrong), 0);
}

/* The worker waits for an answer, and must not wait for ever. */
static void
a_request_that_cannot_be_received_is_not_an_end(void **state)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)state;
    prepare_true();
    assert_int_equal(rh_broker_failure(broker), 0);
    assert_int_equal(dup3(null, theirs, O_CLOEXEC), theirs);
    refused_since("it cannot be received");
    assert_int_equal(rh_broker_failure(broker), ENOTSOCK);
    rh_exec_close(&null);
}

/* As when a worker ends that has not read its answer: the kernel tells that as an error. */
static void
a_worker_that_left_an_answer_unread_is_gone(void **state)
{
    const struct rhost_command c = { .struct_size = sizeof c, .argv = true_argv, .umask = -1 };
    rh_autobuf struct rh_buf b = { 0 };

    (void)state;
    rh_ask_put_command(&b, &c);
    send_request(RH_ASK_PREPARE, b.s, b.n, NULL, 0);
    assert_int_equal(rh_broker_serve(broker, &wrong), 1);
    rh_exec_close(&ours);
    assert_int_equal(rh_broker_serve(broker, &wrong), 0);
}

/* Every beginning of a command, and every one with a byte that is another, is read or refused. */
static void
a_command_is_read_as_it_was_written(void **state)
{
    const uint8_t secret[] = { 0, 1 };
    const char *const argv[] = { "echo", "hunter2", NULL }, *const env[] = { "A=1", "B=", NULL };
    const struct rhost_command c = { .struct_size = sizeof c,
                                     .argv = argv,
                                     .env = env,
                                     .cwd = "/tmp",
                                     .user = "daemon",
                                     .umask = 077,
                                     .flags = RHOST_EXEC_UMASK_0,
                                     .secret_args = secret };
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rhost_command to = { 0 };

    (void)state;
    rh_ask_put_command(&b, &c);
    assert_true(rh_ask_take_command(b.s, b.n, a, &to));
    assert_string_equal(to.argv[0], "echo");
    assert_string_equal(to.argv[1], "hunter2");
    assert_null(to.argv[2]);
    assert_string_equal(to.env[0], "A=1");
    assert_string_equal(to.env[1], "B=");
    assert_null(to.env[2]);
    assert_string_equal(to.cwd, "/tmp");
    assert_string_equal(to.user, "daemon");
    assert_null(to.group);
    assert_int_equal(to.umask, 077);
    assert_true(to.flags == RHOST_EXEC_UMASK_0);
    assert_int_equal(to.secret_args[0], 0);
    assert_int_equal(to.secret_args[1], 1);
    for (size_t n = 0; n < b.n; n++)
        assert_false(rh_ask_take_command(b.s, n, a, &to));
    for (size_t i = 12; i < b.n; i++) { /* behind flags and umask, which may be any */
        char was = b.s[i];

        b.s[i] = (char)0xff;
        if (rh_ask_take_command(b.s, b.n, a, &to))
            assert_non_null(to.argv); /* in the middle of a text */
        b.s[i] = was;
    }
    rh_buf_addc(&b, 0);
    assert_false(rh_ask_take_command(b.s, b.n, a, &to));
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_command_is_recorded_and_run),
        CASE(without_a_record_nothing_runs),
        CASE(only_programs_of_the_list_may_run),
        CASE(programs_of_a_directory_are_those_in_it),
        CASE(no_variable_loads_other_code_into_a_declared_program),
        CASE(why_a_command_cannot_be_started_is_the_answer),
        CASE(what_makes_no_sense_is_refused),
        CASE(a_request_that_is_too_long_is_refused_before_it_is_there),
        CASE(a_request_may_come_in_parts),
        CASE(a_request_that_cannot_be_received_is_not_an_end),
        CASE(a_worker_that_left_an_answer_unread_is_gone),
        CASE(a_command_is_read_as_it_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
