/* SPDX-License-Identifier: Apache-2.0 */
/* exec-child - the two processes of a command: a keeper, and under it the command itself. */
#include "config.h"

#include "provider/exec-child.h"

#include "base/io.h"
#include "base/safe-path.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where these are put: the first in both processes, the others in the keeper. */
enum { REPORT_FD = 3, HELD_FD, HEAR_OUT_FD, HEAR_ERR_FD, FIRST_FREE_FD };

enum { DRAIN_FOR = 100 }; /* milliseconds until it is looked again whether the command has ended */

static int held = -1;

void
rh_exec_hold(int fd)
{
    held = fd;
}

int
rh_exec_held(void)
{
    return held;
}

/* What a worker lowers for itself. */
static struct {
    int resource;
    bool noted;
    struct rlimit was;
} limits[] = { { .resource = RLIMIT_CORE }, { .resource = RLIMIT_DATA } };

enum { N_LIMITS = sizeof limits / sizeof limits[0] };

void
rh_exec_note_limits(void)
{
    for (size_t i = 0; i < N_LIMITS; i++)
        limits[i].noted = getrlimit(limits[i].resource, &limits[i].was) == 0;
}

static void
restore_limits(void)
{
    for (size_t i = 0; i < N_LIMITS; i++)
        if (limits[i].noted)
            (void)setrlimit(limits[i].resource, &limits[i].was);
}

static void
report(int stage, int number)
{
    struct rh_exec_report r = { .stage = stage, .number = number };

    /* Small enough to be written at once. Nobody is left to be told when this fails. */
    (void)!write(REPORT_FD, &r, sizeof r);
}

static void
default_signals(void)
{
    struct sigaction dfl = { .sa_handler = SIG_DFL };
    sigset_t none;

    for (int s = 1; s < NSIG; s++)
        (void)sigaction(s, &dfl, NULL); /* SIGKILL and SIGSTOP refuse, and need not be told */
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* As root, not through a link that another user could have made: the command is root's as well. */
static int
enter(const char *path)
{
    int fd = *path == '/' ? rh_safe_open(path, true, O_PATH | O_DIRECTORY, 0, NULL) : -1;

    return *path == '/' ? (fd < 0 ? -1 : fchdir(fd)) : chdir(path);
}

static void __attribute__((noreturn)) run_command(const struct rh_exec_plan *p)
{
    int why = ENOENT;

    (void)setsid();
    if (dup2(p->in, 0) < 0 || dup2(p->out, 1) < 0 || dup2(p->err, 2) < 0) {
        report(RH_EXEC_PREPARE, errno);
        _exit(127);
    }
    rh_close_from(REPORT_FD + 1);
    restore_limits();
    (void)umask(p->umask);
    if (rh_command_limit(&p->limits) < 0) {
        report(RH_EXEC_LIMIT, errno);
        _exit(127);
    }
    if (p->change_groups && setgroups(p->n_groups, p->groups) < 0) {
        report(RH_EXEC_GROUPS, errno);
        _exit(127);
    }
    if (p->change_groups && setresgid(p->gid, p->gid, p->gid) < 0) {
        report(RH_EXEC_GROUP, errno);
        _exit(127);
    }
    if (p->change_user && setresuid(p->uid, p->uid, p->uid) < 0) {
        report(RH_EXEC_USER, errno);
        _exit(127);
    }
    /* Changing the user clears it, so it comes after: nothing is left when the keeper is killed. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (p->confine && p->confine(p->confine_data, p->candidates) < 0) {
        report(RH_EXEC_CONFINE, errno);
        _exit(127);
    }
    if (enter(p->cwd) < 0) { /* as the user, who may see less than we do */
        report(RH_EXEC_CWD, errno);
        _exit(127);
    }
    for (char *const *path = p->candidates; *path; path++) {
        execve(*path, p->argv, p->envp);
        /* As a shell does: go on looking, but remember that something was there. */
        if (errno != ENOENT && errno != ENOTDIR)
            why = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            break;
    }
    report(RH_EXEC_EXEC, why);
    _exit(127);
}

/* What a keeper waits for; blocked before it has a child. */
static void
block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGCONT);
    (void)sigprocmask(SIG_BLOCK, set, NULL);
}

/* Takes what the command says, which no other code reads any more, for a moment. What can't be read is left
 * alone: poll would find it ready at once, again and again. */
static void
drain(struct pollfd fds[2])
{
    char chunk[4096];

    if (rh_wait_poll(fds, 2, DRAIN_FOR) <= 0)
        return;
    for (int i = 0; i < 2; i++) {
        ssize_t n = fds[i].revents ? read(fds[i].fd, chunk, sizeof chunk) : 1;

        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
            fds[i].fd = -1;
    }
}

/* Until the command has ended: 0 with its status, -1 with errno when that can't be found out. It may also be
 * that the parent ends before. */
static int
wait_for(const struct rh_exec_plan *p, pid_t command, const sigset_t *set, pid_t parent, int *status)
{
    struct pollfd fds[2] = { { .fd = p->hear_out < 0 ? -1 : HEAR_OUT_FD, .events = POLLIN },
                             { .fd = p->hear_err < 0 ? -1 : HEAR_ERR_FD, .events = POLLIN } };
    bool bound = p->bound;
    static const struct timespec pause = { .tv_nsec = DRAIN_FOR * 1000000L };
    struct rh_wait failing = { 0 };
    siginfo_t info = { 0 };
    int sig = SIGCHLD, rc;

    for (;;) {
        bool orphan = getppid() != parent;

        if (bound && (sig == SIGTERM || sig == SIGHUP || orphan)) {
            rh_exec_kill_below();
            _exit(0);
        }
        /* Others that have ended, and were given to us, are not looked for among the living. */
        while ((rc = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) == 0 && info.si_pid > 0) {
            pid_t ended = info.si_pid;

            if (bound && ended == command)
                (void)kill(-command, SIGKILL); /* what it left in its group; the number is its own yet */
            if (waitpid(ended, status, 0) < 0) {
                rc = -1;
                break;
            }
            if (ended == command)
                return 0;
            failing = (struct rh_wait){ 0 };
            info.si_pid = 0;
        }
        /* No second SIGCHLD comes for the same child. */
        if (rc < 0 && !rh_wait_again(&failing))
            return -1;
        if (rc < 0)
            continue;
        if (orphan) {
            drain(fds);
        } else if (sigwait(set, &sig) != 0) {
            sig = SIGCHLD;
            (void)nanosleep(&pause, NULL);
        }
    }
}

static void __attribute__((noreturn)) keep(const struct rh_exec_plan *p, pid_t parent)
{
    sigset_t set;
    pid_t command;
    int status = 0;

    default_signals();
    /* Interrupts from a terminal are the host's to deal with. One that is bound stays in our session: then
     * the kernel wakes it, with SIGHUP, when it was stopped and we end. */
    if (p->bound)
        (void)setpgid(0, 0);
    else
        (void)setsid();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    block_signals(&set);
    /* We may have stopped it for a moment (rh_exec_end_tree): this wakes it. */
    (void)prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
    command = fork();
    if (command == 0) {
        (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
        run_command(p);
    }
    if (command < 0) {
        report(RH_EXEC_FORK, errno);
        _exit(127);
    }
    /* Holding an end of the pipes that the command writes to would hide that it closed them. */
    rh_close_from(FIRST_FREE_FD);
    (void)close(0);
    (void)close(1);
    (void)close(2);
    if (wait_for(p, command, &set, parent, &status) == 0) {
        report(RH_EXEC_ENDED, status);
    } else {
        int why = errno;

        rh_exec_kill_below();
        report(RH_EXEC_WAIT, why);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    _exit(0);
}

/* Puts `from` at `to`, or closes what is there. */
static void
place(int from, int to)
{
    if (from < 0)
        (void)close(to);
    else if (dup3(from, to, O_CLOEXEC) < 0)
        _exit(127);
}

/* Everything at its number. What stands there may be one of ours: all are moved away first. */
static void
arrange(struct rh_exec_plan *p)
{
    int hold = held;
    int *const ours[] = { &p->in, &p->out, &p->err, &p->report, &hold, &p->hear_out, &p->hear_err };

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (*ours[i] >= 0 && *ours[i] < FIRST_FREE_FD
            && (*ours[i] = fcntl(*ours[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD)) < 0)
            _exit(127);
    place(p->report, REPORT_FD);
    place(hold, HELD_FD);
    place(p->hear_out, HEAR_OUT_FD);
    place(p->hear_err, HEAR_ERR_FD);
}

pid_t
rh_exec_start(const struct rh_exec_plan *plan)
{
    sigset_t all, before;
    pid_t keeper, parent = getpid();
    int why;

    /* No handler of the host may run in the child before the defaults are back. */
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    keeper = fork();
    if (keeper == 0) {
        struct rh_exec_plan p = *plan;

        arrange(&p);
        keep(&p, parent);
    }
    why = errno;
    if (keeper > 0 && plan->bound)
        (void)setpgid(keeper, keeper); /* whoever of us two comes first */
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return keeper;
}
