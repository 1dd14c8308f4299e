/* SPDX-License-Identifier: Apache-2.0 */
/* rollback - the run that nobody confirmed is undone, by `rhost undo` in a process of its own: what was
 * installed since counts, and whatever happens to it, the file confirm.json says that the rollback is not
 * complete. */
#include "config.h"

#include "run/confirm.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "base/wait.h"
#include "provider/command.h"
#include "run/lock.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <rhost/exec.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 3, /* of a command that crashed, or was killed */
    NOT_YET = -2,
    LONGEST_BOOT = 120000, /* milliseconds that a boot is waited for */
    OWN_ARGUMENTS = 7,
};

/* What somebody has changed since must not keep this machine from being as it was. */
static const char waits_for_others[] = "--wait-lock=86400", whatever_is_now[] = "--force=all";

int
rh_rollback_lock(const char *state_dir, unsigned wait, struct rh_error *err)
{
    const struct timespec pause = { .tv_nsec = 100000000 };
    rh_autofree char *path = rh_printf("%s/confirm.lock", state_dir);
    rh_autoclose int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    double until = rh_now() + wait;

    if (fd < 0)
        return rh_error_system(err, errno, "cannot open the lock '%s'", path);
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return rh_error_system(err, errno, "cannot lock '%s'", path);
        if (rh_now() >= until)
            return rh_error_set(err, RH_ELOCKED, "the run is being rolled back");
        (void)nanosleep(&pause, NULL);
    }
    return rh_take_fd(&fd);
}

/* The command. */

static volatile sig_atomic_t child;

static void
forward(int number)
{
    if (child > 0)
        (void)kill((pid_t)child, number);
}

/* Signals that ask us to end go to the command, which ends when the resource at hand is done. A terminal
 * sends them to it as well. */
static int
wait_for(pid_t pid)
{
    struct sigaction act = { .sa_handler = forward }, ignored = { .sa_handler = SIG_IGN };
    struct sigaction term, hup, interrupt;
    int status = 0, rc;

    child = pid;
    (void)sigaction(SIGTERM, &act, &term);
    (void)sigaction(SIGHUP, &ignored, &hup);
    (void)sigaction(SIGINT, &ignored, &interrupt);
    rc = rh_wait_child(pid, &status);
    (void)sigaction(SIGTERM, &term, NULL);
    (void)sigaction(SIGHUP, &hup, NULL);
    (void)sigaction(SIGINT, &interrupt, NULL);
    child = 0;
    if (rc < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Its exit status, or 128 and the signal that ended it, which `killed` says; -1 when it can't be started. */
static int
run_once(char *const *argv, bool aside, bool *killed, struct rh_error *err)
{
    static char path[] = "PATH=" RHOST_EXEC_PATH, lang[] = "LC_ALL=C.UTF-8";
    char *env[] = { path, lang, NULL };
    posix_spawn_file_actions_t actions;
    int rc, status;
    pid_t pid;

    *killed = false;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0) {
        rc = aside ? posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) : 0;
        if (rc == 0)
            rc = posix_spawn(&pid, argv[0], &actions, NULL, argv, env);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    if (rc != 0)
        return rh_error_system(err, rc, "cannot start '%s'", argv[0]);
    status = wait_for(pid);
    if (status < 0)
        return rh_error_system(err, errno, "cannot wait for '%s'", argv[0]);
    *killed = status == 128 + SIGKILL || status == 128 + SIGSEGV || status == 128 + SIGABRT
              || status == 128 + SIGBUS;
    return status;
}

static int
undo(const char *state_dir, const struct rh_confirm *c, bool aside, struct rh_error *err)
{
    size_t n = rh_value_count(c->options), k = 0;
    char **argv = rh_arena_alloc(c->arena, (n + OWN_ARGUMENTS) * sizeof *argv);
    rh_autofree char *program = rh_own_program();
    bool killed = true;
    int status = -1;

    argv[k++] = rh_arena_strdup(c->arena, program);
    argv[k++] = rh_arena_strdup(c->arena, "undo");
    argv[k++] = rh_arena_printf(c->arena, "--state-dir=%s", state_dir);
    argv[k++] = rh_arena_strdup(c->arena, waits_for_others);
    argv[k++] = rh_arena_strdup(c->arena, whatever_is_now);
    for (size_t i = 0; i < n; i++)
        argv[k++] = rh_arena_strdup(c->arena, rh_value_str(rh_value_at(c->options, i), ""));
    argv[k++] = rh_arena_strdup(c->arena, c->run);
    argv[k] = NULL;
    for (int i = 0; i < TRIES && killed; i++) {
        if (i)
            rh_log(RH_WARNING, "the rollback of run %s was killed, and begins again", c->run);
        status = run_once(argv, aside, &killed, err);
    }
    return status;
}

int
rh_rollback_run(const char *state_dir, const struct rh_confirm *c, bool aside, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_confirm failed = *c;
    int status = undo(state_dir, c, aside, &why), rc;

    if (status == 0) {
        rc = rh_confirm_close(state_dir, c, RH_ROLLED_BACK, err);
        if (rc == 0)
            rh_confirm_stop(c);
        return rc;
    }
    if (status >= 128)
        return status; /* to be completed by whoever comes next */
    failed.phase = RH_CONFIRM_FAILED;
    if (rh_confirm_save(state_dir, &failed, err) < 0)
        return -1;
    if (status < 0)
        return rh_error_set(err, RH_ESYSTEM, "%s", why.message);
    return status;
}

/* By the timer, or at boot. */

/* Services that have not been started yet would be taken for stopped ones. */
static void
wait_for_boot(void)
{
    static const char *const argv[] = { "/usr/bin/systemctl", "is-system-running", "--wait", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .timeout = LONGEST_BOOT,
        .umask = -1,
        .flags = RHOST_EXEC_READS,
    };
    struct rhost_output output = { .struct_size = sizeof output };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };

    if (geteuid() == 0 && rh_systemd_runs() && rh_command_run(a, &command, &output, &err) < 0)
        rh_debug("going on before the machine is up: %s", err.message);
}

/* Sets the phase, if it is time. NOT_YET: not, or a run goes on. */
static int
begin(const char *state_dir, struct rh_confirm *c, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    rh_autoclose int dir = rh_state_dir_open(state_dir, false, err);
    struct rh_lock *lock;
    int rc;

    if (dir < 0)
        return -1;
    lock = rh_lock_take(state_dir, dir, 0, &why);
    if (!lock && why.kind == RH_ELOCKED)
        return NOT_YET;
    if (!lock) {
        rh_error_move(err, &why);
        return -1;
    }
    rh_confirm_clear(c);
    rc = rh_confirm_read(state_dir, c, err);
    if (rc == 0 && c->run && rh_confirm_left(c) >= 0) {
        rc = NOT_YET; /* the run has ended since */
    } else if (rc == 0 && c->run) {
        c->phase = RH_CONFIRM_ROLLING_BACK;
        rc = rh_confirm_save(state_dir, c, err);
    }
    rh_lock_free(lock);
    return rc;
}

static int
roll_back(const char *state_dir, struct rh_confirm *c, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    rh_autoclose int lock_fd = rh_rollback_lock(state_dir, 0, &why);
    int rc;

    if (lock_fd < 0 && why.kind == RH_ELOCKED)
        return NOT_YET;
    if (lock_fd < 0) {
        rh_error_move(err, &why);
        return -1;
    }
    if (rh_confirm_is_of_other_boot(c))
        wait_for_boot();
    rc = begin(state_dir, c, err);
    if (rc != 0 || !c->run)
        return rc;
    rh_log(RH_NOTICE, "run %s was not confirmed within %u s, and is rolled back", c->run, c->within);
    return rh_rollback_run(state_dir, c, false, err);
}

static void
pause_for(double seconds)
{
    struct timespec ts = { .tv_nsec = 999000000 };

    if (seconds < 0.999) /* the least so long as a run goes on */
        ts.tv_nsec = seconds > 0.05 ? (long)(seconds * 1e9) : 50000000;
    (void)nanosleep(&ts, NULL);
}

int
rh_rollback_watch(const char *state_dir, struct rh_error *err)
{
    rh_autofree char *first = NULL;
    bool failed = false;

    /* It is looked at again and again: the end of the run moves the deadline, and whoever confirms removes it
     * all. A timer would not go on while the machine sleeps. */
    for (int rc = NOT_YET; rc == NOT_YET;) {
        struct rh_confirm c;
        double left = 0;

        if (rh_confirm_read(state_dir, &c, err) < 0)
            return -1;
        failed = c.run && c.phase == RH_CONFIRM_FAILED && first; /* by another process */
        if (!c.run || (first && strcmp(first, c.run) != 0) || failed) {
            rh_confirm_clear(&c);
            return 0;
        }
        if (!first)
            first = rh_xstrdup(c.run);
        left = rh_confirm_left(&c);
        if (left < 0)
            rc = roll_back(state_dir, &c, err);
        rh_confirm_clear(&c);
        if (rc != NOT_YET)
            return rc;
        pause_for(left < 0 ? 1 : left);
    }
    return 0;
}
