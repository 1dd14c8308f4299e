/* SPDX-License-Identifier: Apache-2.0 */
/* child - programs that rhost runs for itself. */
#include "config.h"

#include "base/child.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_FREE = 10,
    REPORT = 9,
    NOT_KNOWN = 255 << 8, /* the status of a child that somebody else has reaped: a failure */
};

/* Both ends above what the child uses. */
static int
open_pipe(int ends[2])
{
    int low[2];

    if (pipe2(low, O_CLOEXEC) < 0)
        return -1;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, FIRST_FREE);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, FIRST_FREE);
    (void)close(low[0]);
    (void)close(low[1]);
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

static void
close_pair(const int ends[2])
{
    if (ends[0] >= 0)
        (void)close(ends[0]);
    if (ends[1] >= 0)
        (void)close(ends[1]);
}

/* After the fork: only calls that are safe there. What fails is said by an errno. */
static void
become_child(const struct rh_child_options *o, int pipes[5][2], const sigset_t *mask)
{
    static const int defaults[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD };
    int why;

    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        (void)signal(defaults[i], SIG_DFL);
    if (o->flags & RH_CHILD_SESSION)
        (void)setsid();
    if (o->flags & RH_CHILD_DIES)
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (dup2(pipes[0][0], 0) >= 0 && dup2(pipes[1][1], 1) >= 0 && dup2(pipes[2][1], 2) >= 0
        && (pipes[3][1] < 0 || dup2(pipes[3][1], 3) >= 0) && dup2(pipes[4][1], REPORT) >= 0
        && fcntl(REPORT, F_SETFD, FD_CLOEXEC) == 0 && (!o->cwd || chdir(o->cwd) == 0)
        && sigprocmask(SIG_SETMASK, mask, NULL) == 0) {
        for (int fd = pipes[3][1] < 0 ? 3 : 4; fd < REPORT; fd++)
            (void)close(fd);
        rh_close_from(REPORT + 1);
        (void)execvpe(o->argv[0], o->argv, o->envp ? o->envp : environ);
    }
    why = errno;
    (void)!write(REPORT, &why, sizeof why);
    _exit(127);
}

/* The errno of what failed in it before the program ran; 0: it runs. */
static int
read_report(int fd)
{
    int why = 0;
    ssize_t n;

    do
        n = read(fd, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

int
rh_child_start(struct rh_child *c, struct rh_child_options *o, struct rh_error *err)
{
    int pipes[5][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
    int why = 0;
    sigset_t all, before;

    /* Who started us may ignore it: then nothing is known of how a child ends. */
    (void)signal(SIGCHLD, SIG_DFL);
    *c = (struct rh_child){ .in = -1, .out = -1, .err = -1 };
    o->more = -1;
    for (int i = 0; i < 5 && !why; i++)
        if ((i != 3 || o->flags & RH_CHILD_PIPE_3) && open_pipe(pipes[i]) < 0)
            why = errno;
    if (!why) {
        sigfillset(&all);
        (void)sigprocmask(SIG_SETMASK, &all, &before);
        c->pid = fork();
        if (c->pid == 0)
            become_child(o, pipes, &before);
        why = c->pid < 0 ? errno : 0;
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
    }
    if (!why) {
        (void)close(pipes[4][1]);
        pipes[4][1] = -1;
        why = read_report(pipes[4][0]);
        if (why)
            rh_discard(rh_wait_child(c->pid, NULL));
    }
    if (!why) {
        c->group = (o->flags & (RH_CHILD_SESSION | RH_CHILD_GROUP)) == (RH_CHILD_SESSION | RH_CHILD_GROUP);
        c->in = rh_take_fd(&pipes[0][1]);
        c->out = rh_take_fd(&pipes[1][0]);
        c->err = rh_take_fd(&pipes[2][0]);
        o->more = rh_take_fd(&pipes[3][0]);
        (void)fcntl(c->in, F_SETFL, O_NONBLOCK);
        (void)fcntl(c->out, F_SETFL, O_NONBLOCK);
        (void)fcntl(c->err, F_SETFL, O_NONBLOCK);
        if (o->more >= 0)
            (void)fcntl(o->more, F_SETFL, O_NONBLOCK);
    }
    for (int i = 0; i < 5; i++)
        close_pair(pipes[i]);
    if (!why)
        return 0;
    c->pid = 0;
    return rh_error_system(err, why, "cannot start '%s'", o->argv[0]);
}

bool
rh_child_has_ended(struct rh_child *c)
{
    pid_t reaped = c->pid ? waitpid(c->pid, &c->status, WNOHANG) : 0;

    if (c->pid && reaped < 0 && errno == ECHILD)
        c->status = NOT_KNOWN;
    if (c->pid && (reaped == c->pid || (reaped < 0 && errno == ECHILD)))
        c->pid = 0;
    return !c->pid;
}

static void
close_pipe(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Until it has been reaped, its number is that of its group, and of no other. */
void
rh_child_signal(const struct rh_child *c, int signal)
{
    if (c->pid)
        (void)kill(c->group ? -c->pid : c->pid, signal);
}

bool
rh_child_await(struct rh_child *c, int milliseconds)
{
    static const struct timespec moment = { .tv_nsec = 5000000 };
    double until = rh_now() + milliseconds / 1000.0;

    while (!rh_child_has_ended(c) && rh_now() < until)
        (void)nanosleep(&moment, NULL);
    return !c->pid;
}

void
rh_child_end(struct rh_child *c, int grace)
{
    close_pipe(&c->in);
    close_pipe(&c->out);
    close_pipe(&c->err);
    if (rh_child_await(c, grace) || c->spared) {
        c->pid = 0;
        return;
    }
    rh_child_signal(c, SIGTERM);
    if (!rh_child_await(c, 500)) {
        rh_child_signal(c, SIGKILL);
        if (rh_wait_child(c->pid, &c->status) < 0)
            c->status = NOT_KNOWN;
        c->pid = 0;
    }
}

ssize_t
rh_child_read(int fd, void *to, size_t n)
{
    ssize_t got = read(fd, to, n);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return got > 0 ? got : -1;
}

ssize_t
rh_child_write(int fd, const void *from, size_t n)
{
    ssize_t put = write(fd, from, n);

    return put < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : put;
}

char *
rh_child_output(char *const *argv, size_t limit, unsigned seconds, size_t *n, struct rh_error *err)
{
    struct rh_child_options o = { .argv = argv };
    struct rh_child c;
    rh_autobuf struct rh_buf out = { 0 };
    double until = rh_now() + seconds;
    char part[8192];
    ssize_t got = 0;

    if (rh_child_start(&c, &o, err) < 0)
        return NULL;
    close_pipe(&c.in);
    while (got >= 0 && out.n <= limit && rh_now() < until) {
        struct pollfd fds[] = { { .fd = c.out, .events = POLLIN }, { .fd = c.err, .events = POLLIN } };

        if (rh_wait_poll(fds, 2, 200) < 0 && errno != EINTR)
            break;
        got = rh_child_read(c.out, part, sizeof part);
        if (got > 0)
            rh_buf_addn(&out, part, (size_t)got);
        if (c.err >= 0) {
            ssize_t n_read = rh_child_read(c.err, part, sizeof part);

            if (n_read > 0)
                rh_discard(rh_write_all(STDERR_FILENO, part, (size_t)n_read));
            else if (n_read < 0)
                close_pipe(&c.err);
        }
    }
    rh_child_end(&c, got < 0 ? 1000 : 0);
    if (out.n > limit)
        (void)rh_error_set(err, RH_EINPUT, "'%s' printed more than %zu bytes", argv[0], limit);
    else if (got >= 0)
        (void)rh_error_set(err, RH_EINPUT, "'%s' did not end within %u seconds", argv[0], seconds);
    else if (!WIFEXITED(c.status) || WEXITSTATUS(c.status))
        (void)rh_error_set(err, RH_EINPUT, "'%s' failed (%s %d)", argv[0],
                           WIFEXITED(c.status) ? "exit status" : "signal",
                           WIFEXITED(c.status) ? WEXITSTATUS(c.status) : WTERMSIG(c.status));
    else {
        *n = out.n;
        rh_buf_addn(&out, "", 0);
        return rh_buf_take(&out);
    }
    return NULL;
}
