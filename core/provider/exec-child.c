/* SPDX-License-Identifier: Apache-2.0 */
/* exec-child - the two processes of a command: a keeper, and under it the command itself. */
#include "config.h"

#include "provider/exec-child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT_FD = 3 }; /* where the report pipe is put in both processes */

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
close_from(unsigned int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, UINT_MAX, 0) == 0)
        return;
#endif
    for (long fd = first, max = sysconf(_SC_OPEN_MAX); fd < max; fd++)
        (void)close((int)fd);
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

static void __attribute__((noreturn))
run_command(const struct rh_exec_plan *p)
{
    int why = ENOENT;

    (void)setsid();
    if (dup2(p->in, 0) < 0 || dup2(p->out, 1) < 0 || dup2(p->err, 2) < 0) {
        report(RH_EXEC_PREPARE, errno);
        _exit(127);
    }
    close_from(REPORT_FD + 1);
    restore_limits();
    (void)umask(p->umask);
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
    if (chdir(p->cwd) < 0) { /* as the user, who may see less than we do */
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

/* Until the command has ended: its status. */
static int
wait_for(pid_t command)
{
    int status;
    pid_t ended;

    do
        ended = waitpid(-1, &status, 0);
    while (ended != command && (ended > 0 || errno == EINTR));
    return status;
}

/* What a keeper that ends with its parent waits for; blocked before it has a child. */
static void
block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, set, NULL);
}

/* The same, but it may also be that the parent ends. */
static int
wait_bound(pid_t command, const sigset_t *set, pid_t parent)
{
    siginfo_t info = { 0 };
    int sig = SIGCHLD;

    for (;;) {
        if (sig == SIGTERM || getppid() != parent) {
            rh_exec_kill_below();
            _exit(0);
        }
        /* Others that have ended, and were given to us, are not looked for among the living. */
        while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
            if (info.si_pid == command) {
                (void)kill(-command, SIGKILL); /* what it left in its group; the number is its own yet */
                return wait_for(command);
            }
            (void)waitpid(info.si_pid, NULL, 0);
            info.si_pid = 0;
        }
        if (sigwait(set, &sig) != 0)
            sig = SIGCHLD;
    }
}

static void __attribute__((noreturn))
keep(const struct rh_exec_plan *p, pid_t parent)
{
    sigset_t set;
    pid_t command;
    int status;

    default_signals();
    (void)setsid(); /* interrupts from a terminal are the host's to deal with */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (p->bound) {
        block_signals(&set);
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    }
    command = fork();
    if (command == 0) {
        if (p->bound)
            (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
        run_command(p);
    }
    if (command < 0) {
        report(RH_EXEC_FORK, errno);
        _exit(127);
    }
    /* Holding an end of the pipes would hide that the command closed them. */
    close_from(REPORT_FD + 1);
    (void)close(0);
    (void)close(1);
    (void)close(2);
    status = p->bound ? wait_bound(command, &set, parent) : wait_for(command);
    report(RH_EXEC_ENDED, status);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    _exit(0);
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
        int *const wanted[] = { &p.in, &p.out, &p.err };

        /* What stands at REPORT_FD may be one of ours: move it away first. */
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
            if (*wanted[i] == REPORT_FD)
                *wanted[i] = fcntl(*wanted[i], F_DUPFD_CLOEXEC, REPORT_FD + 1);
        if (p.report == REPORT_FD ? fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC) < 0
                                  : dup3(p.report, REPORT_FD, O_CLOEXEC) < 0)
            _exit(127);
        keep(&p, parent);
    }
    why = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return keeper;
}
