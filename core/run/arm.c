/* SPDX-License-Identifier: Apache-2.0 */
/* arm - what rolls back a run that nobody confirms, and does so without us: a timer of systemd, which no loss
 * of a terminal, of a session or of this process touches; or a process in a session of its own. */
#include "config.h"

#include "run/confirm.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/io.h"
#include "base/log.h"
#include "base/value.h"
#include "base/wait.h"
#include "provider/command.h"

#include <errno.h>
#include <fcntl.h>
#include <rhost/exec.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By their paths: what the environment says is not to be believed here. */
static const char systemd_run[] = "/usr/bin/systemd-run", systemctl[] = "/usr/bin/systemctl";
static const char boot_unit[] = "rhost-confirm.service";

enum { ASK_TIMEOUT = 30000, MOST_ARGUMENTS = 32, KEPT_PIPE = 3 };

bool
rh_systemd_runs(void)
{
    return access("/run/systemd/system", F_OK) == 0;
}

/* Only root's timers outlive the session. */
static bool
has_timer(void)
{
    return geteuid() == 0 && rh_systemd_runs();
}

/* The program and its arguments that roll back when it is time, for this state directory; the arena's. */
static const char *const *
watcher_of(struct rh_arena *a, const char *state_dir)
{
    const char **argv = rh_arena_alloc(a, 5 * sizeof *argv);
    rh_autofree char *program = rh_own_program(), *path = realpath(state_dir, NULL);

    argv[0] = rh_arena_strdup(a, program);
    argv[1] = "confirm";
    argv[2] = "--watch";
    argv[3] = rh_arena_printf(a, "--state-dir=%s", path ? path : state_dir);
    argv[4] = NULL;
    return argv;
}

/* Ran, and ended with 0. */
static int
command(struct rh_arena *a, const char *const *argv, struct rh_error *err)
{
    const struct rhost_command c = {
        .struct_size = sizeof c,
        .argv = argv,
        .timeout = ASK_TIMEOUT,
        .umask = -1,
        .flags = RHOST_EXEC_READS,
    };
    struct rhost_output output = { .struct_size = sizeof output };
    const char *text;

    if (rh_command_run(a, &c, &output, err) < 0)
        return -1;
    if (output.status == 0)
        return 0;
    text = output.err ? output.err : "";
    return rh_error_set(err, RH_ESYSTEM, "'%s' ended with exit status %d: %.*s", argv[0], (int)output.status,
                        (int)strcspn(text, "\n"), text);
}

/* The timer of systemd. */

const char *
rh_confirm_timer(struct rh_arena *a, const char *run)
{
    return has_timer() ? rh_arena_printf(a, "rhost-confirm-%s", run) : NULL;
}

/* The service that the timer starts waits for what is left: the deadline may have moved. It is started again
 * when it is killed, and what it has started is not killed with it, as in rhost.service. */
static int
start_timer(const char *state_dir, const struct rh_confirm *c, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *const *watcher = watcher_of(a, state_dir);
    const char *argv[MOST_ARGUMENTS] = {
        systemd_run,
        "--quiet",
        "--no-ask-password",
        "--collect",
        rh_arena_printf(a, "--unit=%s", c->timer),
        rh_arena_printf(a, "--description=Roll back run %s of rhost unless it is confirmed", c->run),
        rh_arena_printf(a, "--on-active=%us", c->within),
        "--timer-property=AccuracySec=1s",
        "--property=Restart=on-abnormal",
        "--property=RestartSec=1s",
        "--property=StartLimitIntervalSec=0",
        "--property=KillMode=process",
        "--property=TimeoutStopSec=900s",
        "--property=SuccessExitStatus=143",
        "--",
    };
    size_t n = 0;

    while (argv[n])
        n++;
    for (size_t i = 0; watcher[i] && n < MOST_ARGUMENTS - 1; i++)
        argv[n++] = watcher[i];
    return command(a, argv, err);
}

/* The process. */

/* In the child: out of the session of whoever started us, and away from all that is open here. Returns only
 * with an errno. */
static int
become_watcher(const char *const *argv, int report)
{
    static const char *const env[] = { "PATH=" RHOST_EXEC_PATH, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", NULL };
    /* execve() changes neither. */
    union {
        const char *const *constant;
        char *const *wanted;
    } arguments = { .constant = argv }, variables = { .constant = env };
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t none;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0
        || dup2(nothing, STDERR_FILENO) < 0
        || (report != KEPT_PIPE && dup3(report, KEPT_PIPE, O_CLOEXEC) < 0))
        return errno;
    rh_close_from(KEPT_PIPE + 1);
    for (int i = 1; i < NSIG; i++)
        (void)sigaction(i, &usual, NULL);
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) < 0 || chdir("/") < 0)
        return errno;
    (void)umask(022);
    (void)execve(argv[0], arguments.wanted, variables.wanted);
    return errno;
}

static void
fork_watcher(const char *const *argv, int report)
{
    pid_t pid = -1;
    int why;

    if (setsid() >= 0)
        pid = fork();
    if (pid > 0)
        _exit(0);
    why = pid < 0 ? errno : become_watcher(argv, report);
    /* The descriptor has moved if there was room for it. */
    if (write(pid < 0 ? report : KEPT_PIPE, &why, sizeof why) < 0)
        _exit(2);
    _exit(1);
}

static int
start_process(const char *state_dir, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *const *argv = watcher_of(a, state_dir);
    rh_autoclose int report = -1;
    int ends[2], status, why = 0;
    ssize_t n;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return rh_error_system(err, errno, "cannot start '%s'", argv[0]);
    report = ends[0];
    pid = fork();
    if (pid == 0)
        fork_watcher(argv, ends[1]);
    why = pid < 0 ? errno : 0;
    (void)close(ends[1]);
    if (pid > 0 && rh_wait_child(pid, &status) < 0)
        why = errno;
    while (!why && (n = read(report, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    return why ? rh_error_system(err, why, "cannot start '%s'", argv[0]) : 0;
}

int
rh_confirm_start(const char *state_dir, const struct rh_confirm *c, struct rh_error *err)
{
    return c->timer ? start_timer(state_dir, c, err) : start_process(state_dir, err);
}

void
rh_confirm_stop(const struct rh_confirm *c)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *const argv[] = { systemctl, "stop", rh_arena_printf(a, "%s.timer", c->timer), NULL };

    if (c->timer && has_timer() && command(a, argv, &err) < 0)
        rh_debug("cannot stop the timer '%s': %s", c->timer, err.message);
}

/* After a reboot. */

char *
rh_confirm_reboot_problem(const char *state_dir)
{
    static const char *const argv[] = { systemctl, "--quiet", "is-enabled", boot_unit, NULL };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };

    if (geteuid() != 0)
        return rh_xstrdup("only those of root are");
    if (!rh_systemd_runs())
        return rh_xstrdup("systemd does not run here");
    if (strcmp(state_dir, rh_installation_state()) != 0)
        return rh_printf("its state directory is not '%s'", rh_installation_state());
    if (command(a, argv, &err) < 0)
        return rh_printf("%s is not installed, or masked", boot_unit);
    return NULL;
}
