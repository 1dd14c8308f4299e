/* SPDX-License-Identifier: Apache-2.0 */
/* process - one check in a process of its own. */
#include "config.h"

#include "check/parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/wait.h"
#include "check/scratch.h"
#include "provider/exec-child.h"
#include "provider/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The answer of the process: this word, a verdict, the text, the payload. */
static const char magic[] = "rhost-check";

enum {
    MOST_MEMORY = 1,        /* GiB of data */
    MOST_OUTPUT = 64 << 10, /* that is kept; what comes after it is let go */
    MOST_ANSWER = 64 << 20,
    ANSWER_FD = 200, /* out of the way of who closes the first few */
};

struct child {
    pid_t pid;
    int ended, answer, output;
    struct rh_buf answered, printed;
    char *doing;
};

static void
limit(int what, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        (void)setrlimit(what, &limit);
    }
}

/* As in a worker: dies with its parent, leaves no core file, can't eat all memory. */
static void
settle_in(int output)
{
    rh_autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 || chdir("/") < 0)
        _exit(71);
    (void)setsid();
#ifdef M_PERTURB
    (void)mallopt(M_PERTURB, 0x5a); /* freed memory changes at once, for who still reads it */
#endif
    rh_exec_note_limits();
    limit(RLIMIT_CORE, 0);
#ifndef RH_SANITIZERS
    limit(RLIMIT_DATA, (rlim_t)MOST_MEMORY << 30);
#endif
    (void)umask(022);
}

static void
answer(const struct rh_checker *c, int fd)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_addn(&b, magic, sizeof magic);
    rh_buf_addc(&b, (char)c->verdict);
    rh_buf_addn(&b, rh_buf_text(&c->text), c->text.n + 1);
    rh_buf_addn(&b, rh_buf_text(&c->payload), c->payload.n + 1);
    if (rh_write_all(fd, b.s, b.n) < 0)
        _exit(71);
}

static struct rh_checker *checked;
static int checked_answer;

void
rh_check_end_now(const char *how)
{
    const char *doing = *checked->doing ? checked->doing : "being loaded";
    rh_autobuf struct rh_buf text = { 0 };

    rh_buf_addf(&text, "it %s, while %.*s", how, RH_CHECK_DOING, doing);
    rh_buf_clear(&checked->text);
    rh_buf_add(&checked->text, rh_buf_text(&text));
    checked->verdict = RH_CHECK_FAIL;
    answer(checked, checked_answer);
    _exit(0);
}

/* What the fixture wants before anything runs. */
static bool
get_ready(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)snprintf(c->doing, RH_CHECK_DOING, "being prepared for");
    if (c->fixture)
        rh_exec_hold(c->fixture->state);
    if (!c->fixture || (rh_scratch_enter(c->fixture, &err) == 0 && rh_serve_start(c->fixture, &err) == 0)) {
        *c->doing = '\0';
        return true;
    }
    rh_check_say(c, err.kind == RH_ESYSTEM ? RH_CHECK_SKIP : RH_CHECK_FAIL, "%s", err.message);
    return false;
}

static int
start(struct rh_checker *c, struct child *child, struct rh_error *err)
{
    int answered[2] = { -1, -1 }, output[2] = { -1, -1 };
    rh_autoclose int high = -1, printed = -1;

    if (pipe2(answered, O_CLOEXEC | O_NONBLOCK) < 0)
        return rh_error_system(err, errno, "cannot prepare a check");
    child->answer = answered[0];
    high = fcntl(answered[1], F_DUPFD_CLOEXEC, ANSWER_FD);
    (void)close(answered[1]);
    if (high < 0 || fcntl(high, F_SETFL, 0) < 0 || pipe2(output, O_CLOEXEC | O_NONBLOCK) < 0)
        return rh_error_system(err, errno, "cannot prepare a check");
    child->output = output[0];
    printed = output[1];
    if (fcntl(printed, F_SETFL, 0) < 0)
        return rh_error_system(err, errno, "cannot prepare a check");
    (void)fflush(NULL);
    child->pid = fork();
    if (child->pid < 0)
        return rh_error_system(err, errno, "cannot start a check");
    if (child->pid == 0) {
        settle_in(printed);
        (void)close(printed);
        (void)close(child->answer);
        (void)close(child->output);
        checked = c;
        checked_answer = high;
        rh_handle_on_misuse(rh_check_end_now);
        if (get_ready(c))
            c->check->fn(c);
        rh_serve_stop();
        (void)fflush(NULL);
        answer(c, high);
        _exit(0);
    }
    child->ended = (int)syscall(SYS_pidfd_open, child->pid, 0);
    return child->ended < 0 ? rh_error_system(err, errno, "cannot watch a check") : 0;
}

/* Takes what is there, as far as it is kept. */
static void
drain(int fd, struct rh_buf *b, size_t most)
{
    char part[16 << 10];
    ssize_t n;

    /* So often that a flood does not keep us from looking at the clock. */
    for (int i = 0; i < 64 && (n = read(fd, part, sizeof part)) > 0; i++)
        if (b->n < most)
            rh_buf_addn(b, part, (size_t)n < most - b->n ? (size_t)n : most - b->n);
}

/* Until it has ended, or its time is over: false. */
static bool
follow(struct child *child, double until)
{
    struct pollfd p[] = {
        { .fd = child->ended, .events = POLLIN },
        { .fd = child->answer, .events = POLLIN },
        { .fd = child->output, .events = POLLIN },
    };

    for (;;) {
        double left = until - rh_now();

        if (left <= 0)
            return false;
        (void)rh_wait_poll(p, 3, (int)(left * 1000) + 1);
        drain(child->answer, &child->answered, MOST_ANSWER);
        drain(child->output, &child->printed, MOST_OUTPUT);
        for (int i = 1; i < 3; i++)
            if (p[i].revents & POLLHUP && !(p[i].revents & POLLIN))
                p[i].fd = -1;
        if (p[0].revents)
            return true;
    }
}

/* Its status, or -1 when that can't be found out. */
static int
reap(const struct child *child)
{
    int status = 0;

    rh_wait_end(child->pid);
    /* What it left in its session; until it is reaped nobody else has its number. */
    (void)kill(-child->pid, SIGKILL);
    return rh_wait_child(child->pid, &status) == 0 ? status : -1;
}

/* The process did not get to answering. */
static void
tell_crash(const struct child *child, int status, struct rh_arena *a, struct rh_check_end *end)
{
    const char *doing = rh_arena_strndup(a, child->doing, strnlen(child->doing, RH_CHECK_DOING - 1));
    const char *how;

    if (status >= 0 && WIFSIGNALED(status))
        how = rh_arena_printf(a, "crashed: %s", strsignal(WTERMSIG(status)));
    else if (status < 0)
        how = "ended in a way that cannot be found out";
    else if (WEXITSTATUS(status) == 70)
        how = "ran out of memory";
    else
        how = rh_arena_printf(a, "ended its process (exit status %d)", WEXITSTATUS(status));
    end->verdict = RH_CHECK_CRASH;
    end->text = rh_arena_printf(a, "it %s, while %s", how, *doing ? doing : "being loaded");
}

static void
tell_end(const struct child *child, int status, struct rh_arena *a, struct rh_check_end *end)
{
    const char *s = child->answered.s;
    size_t head = sizeof magic + 1, n;

    if (child->answered.n < head + 2 || memcmp(s, magic, sizeof magic) != 0
        || s[child->answered.n - 1] != '\0' || (unsigned char)s[sizeof magic] > RH_CHECK_FAIL) {
        tell_crash(child, status, a, end);
        return;
    }
    end->verdict = (enum rh_verdict)s[sizeof magic];
    end->text = rh_arena_strdup(a, s + head);
    n = head + strlen(end->text) + 1;
    end->payload = n < child->answered.n ? rh_arena_strdup(a, s + n) : "";
}

static void
judge_output(const struct rh_checker *c, const struct child *child, struct rh_arena *a,
             struct rh_check_end *end)
{
    rh_autobuf struct rh_buf safe = { 0 };
    const char *printed = rh_buf_text(&child->printed);

    for (const char *s = c->secrets; s && *s; s += strlen(s) + 1)
        if (strstr(printed, s)) {
            end->verdict = RH_CHECK_FAIL;
            end->text = "it printed a sensitive value on a standard stream";
            return;
        }
    if (!child->printed.n)
        return;
    rh_buf_add_safe(&safe, printed, child->printed.n < 80 ? child->printed.n : 80, false);
    end->printed = rh_arena_printf(a, "it printed on a standard stream, which is not its to use: '%s'",
                                   rh_buf_text(&safe));
    if (!(c->check->needs & RH_JUDGES_OUTPUT) || end->verdict >= RH_CHECK_FAIL)
        return;
    end->verdict = RH_CHECK_FAIL;
    end->text = end->printed;
}

int
rh_check_process(struct rh_checker *c, struct rh_arena *a, struct rh_check_end *end, struct rh_error *err)
{
    unsigned seconds = rh_check_seconds(c->options);
    struct child child = { .ended = -1, .answer = -1, .output = -1 };
    double began = rh_now();
    int rc = -1, status;

    *end = (struct rh_check_end){ .text = "", .payload = "" };
    child.doing = mmap(NULL, RH_CHECK_DOING, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child.doing == MAP_FAILED)
        return rh_error_system(err, errno, "cannot prepare a check");
    c->doing = child.doing;
    if (start(c, &child, err) == 0) {
        bool in_time = follow(&child, began + seconds);

        if (!in_time)
            (void)kill(child.pid, SIGKILL);
        status = reap(&child);
        drain(child.answer, &child.answered, MOST_ANSWER);
        drain(child.output, &child.printed, MOST_OUTPUT);
        if (in_time) {
            tell_end(&child, status, a, end);
        } else {
            end->verdict = RH_CHECK_FAIL;
            end->text = rh_arena_printf(a, "it was not done within %u second%s, while %s", seconds,
                                        seconds == 1 ? "" : "s",
                                        *child.doing ? rh_arena_strdup(a, child.doing) : "being loaded");
        }
        judge_output(c, &child, a, end);
        rc = 0;
    } else if (child.pid > 0) {
        (void)kill(child.pid, SIGKILL);
        (void)reap(&child);
    }
    end->seconds = rh_now() - began;
    for (int i = 0; i < 3; i++) {
        int fd = (int[]){ child.ended, child.answer, child.output }[i];

        if (fd >= 0)
            (void)close(fd);
    }
    rh_buf_clear(&child.answered);
    rh_buf_clear(&child.printed);
    (void)munmap(child.doing, RH_CHECK_DOING);
    return rc;
}
