/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - starting a worker process, and finding out how it ended. */
#include "config.h"

#include "plugin/spawn.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/interrupt.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wait.h"
#include "plugin/confined.h"
#include "plugin/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared_with_all = -1;

void
rh_process_share(int fd)
{
    if (fd != shared_with_all)
        rh_process_discard(); /* they have the one before */
    shared_with_all = fd;
}

/* Those that start a worker: each is its own. */
struct arguments {
    char *v[RH_LOADER_ARGUMENTS + 5];
};

static void
clear_arguments(struct arguments *command)
{
    for (size_t i = 0; command->v[i]; i++)
        free(command->v[i]);
}

static void
worker_arguments(struct arguments *command)
{
    size_t n = rh_installation_loader(command->v);

    command->v[n++] = rh_installation_program("rhost-worker");
    command->v[n++] = rh_printf("%d", (int)getpid());
    if (shared_with_all >= 0 || rh_installation_kit())
        command->v[n++] = rh_xstrdup(shared_with_all >= 0 ? "held" : "free");
    if (rh_installation_kit())
        command->v[n] = rh_xstrdup(rh_installation_kit());
}

/* Our caller may have had SIGCHLD ignored: then the kernel reaps our children, and the children of the
 * broker, which inherits that, and how they ended is lost. */
static void
heed_children(void)
{
    struct sigaction now;

    if (sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
        (void)signal(SIGCHLD, SIG_DFL);
}

static int
run_worker(struct rh_process *p, int channel, int control, int shared, int output, int privileges,
           struct rh_error *err)
{
    rh_autofree char **envp = rh_worker_environment();
    struct arguments command __attribute__((cleanup(clear_arguments))) = { 0 };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none;
    int rc;

    /* Everything else that we have open is close-on-exec, and what our own caller left open is closed
     * by the worker before it loads anything. Descriptors are moved up first, so that none of the
     * numbers below is overwritten before it was used. */
    rh_autoclose int high_channel = fcntl(channel, F_DUPFD_CLOEXEC, 10);
    rh_autoclose int high_control = fcntl(control, F_DUPFD_CLOEXEC, 10);
    rh_autoclose int high_shared = fcntl(shared, F_DUPFD_CLOEXEC, 10);
    rh_autoclose int high_output = fcntl(output, F_DUPFD_CLOEXEC, 10);
    rh_autoclose int high_privileges = fcntl(privileges, F_DUPFD_CLOEXEC, 10);
    rh_autoclose int high_held = shared_with_all < 0 ? -1 : fcntl(shared_with_all, F_DUPFD_CLOEXEC, 10);

    worker_arguments(&command);
    if (high_channel < 0 || high_control < 0 || high_shared < 0 || high_output < 0 || high_privileges < 0
        || (shared_with_all >= 0 && high_held < 0))
        return rh_error_system(err, errno, "cannot prepare a worker");
    sigemptyset(&none);
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0)
        rc = posix_spawnattr_init(&attr);
    if (rc != 0)
        return rh_error_system(err, rc, "cannot prepare a worker");
    if ((rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_output, 1)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_output, 2)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_channel, RH_WORKER_CHANNEL)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_shared, RH_WORKER_SHARED)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_control, RH_WORKER_CONTROL)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, high_privileges, RH_WORKER_PRIVILEGES)) == 0
        && (high_held < 0
            || (rc = posix_spawn_file_actions_adddup2(&actions, high_held, RH_WORKER_HELD)) == 0)
        && (rc = posix_spawnattr_setsigmask(&attr, &none)) == 0
        && (rc = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID)) == 0)
        rc = posix_spawn(&p->pid, command.v[0], &actions, &attr, command.v, envp);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attr);
    if (rc != 0) {
        p->pid = 0;
        return rh_error_system(err, rc, "cannot start '%s'", command.v[0]);
    }
    p->ended = (int)syscall(SYS_pidfd_open, p->pid, 0);
    return 0;
}

/* Without what it may do, which it waits for. */
static int
launch(struct rh_process *p, bool confines, struct rh_error *err)
{
    rh_autoclose int list = memfd_create("rhost-privileges", MFD_CLOEXEC);
    rh_autoclose int shared = memfd_create("rhost-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int pair[2] = { -1, -1 }, control[2] = { -1, -1 }, output[2] = { -1, -1 };
    int rc = -1;

    heed_children();
    *p = (struct rh_process){ .channel = -1, .control = -1, .output = -1, .ended = -1, .list = -1 };
    /* Sealed, or a worker could cut off what we read, and that would end us. */
    if (list < 0 || shared < 0 || ftruncate(shared, sizeof *p->shared) < 0
        || fcntl(shared, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0
        || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0
        || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0
        || pipe2(output, O_CLOEXEC | O_NONBLOCK) < 0) {
        rh_error_system(err, errno, "cannot prepare a worker");
    } else if (fcntl(output[1], F_SETFL, 0) < 0 || fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0) {
        rh_error_system(err, errno, "cannot prepare a worker");
    } else {
        p->shared = mmap(NULL, sizeof *p->shared, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
        if (p->shared == MAP_FAILED) {
            p->shared = NULL;
            rh_error_system(err, errno, "cannot map a worker's memory");
        } else {
            p->shared->confines = confines;
            rc = run_worker(p, pair[1], control[1], shared, output[1], list, err);
        }
    }
    if (pair[1] >= 0)
        (void)close(pair[1]);
    if (control[1] >= 0)
        (void)close(control[1]);
    if (output[1] >= 0)
        (void)close(output[1]);
    p->channel = pair[0];
    p->control = control[0];
    p->output = output[0];
    p->list = rh_take_fd(&list);
    return rc;
}

/* Ends a process that was not given to anybody. */
static void
drop(struct rh_process *p)
{
    rh_cleanup_close(&p->list);
    free(rh_process_end(p, 0));
    if (p->control >= 0)
        (void)close(rh_take_fd(&p->control));
}

/* Completes the list, with the filter that belongs to it; empty for a process that is not confined. */
static int
give_privileges(struct rh_process *p, const struct rh_buf *list, struct rh_error *err)
{
    rh_autoclose int fd = rh_take_fd(&p->list);
    rh_autobuf struct rh_buf text = { 0 };

    if (list) {
        rh_buf_addn(&text, list->s, list->n);
        if (rh_confined_add_filter(&text, err) < 0)
            return -1;
        if (rh_write_all(fd, text.s, text.n) < 0)
            return rh_error_system(err, errno, "cannot prepare a worker");
    }
    __atomic_store_n(&p->shared->ready, 1, __ATOMIC_RELEASE);
    (void)syscall(SYS_futex, &p->shared->ready, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); /* broker and worker */
    return 0;
}

enum { MOST_PREPARED = 8 };

static struct rh_process prepared[MOST_PREPARED];
static size_t n_prepared;

void
rh_process_prepare(void)
{
    rh_autoerror struct rh_error err = { 0 };

    if (n_prepared == MOST_PREPARED)
        return;
    if (launch(&prepared[n_prepared], true, &err) == 0) {
        n_prepared++;
        return;
    }
    rh_debug("%s", err.message);
    drop(&prepared[n_prepared]);
}

void
rh_process_discard(void)
{
    while (n_prepared)
        drop(&prepared[--n_prepared]);
}

/* The one that has waited longest, and has not ended meanwhile. */
static bool
take_prepared(struct rh_process *p)
{
    while (n_prepared) {
        struct pollfd ended = { .fd = prepared[0].ended, .events = POLLIN };

        *p = prepared[0];
        memmove(prepared, prepared + 1, --n_prepared * sizeof *prepared);
        if (ended.fd >= 0 && poll(&ended, 1, 0) == 0)
            return true;
        drop(p);
    }
    return false;
}

int
rh_process_start(struct rh_process *p, const struct rh_privileges *privileges, struct rh_error *err)
{
    const struct rh_buf *list =
        privileges && rh_privileges_are_limited(privileges) ? rh_privileges_text(privileges) : NULL;

    /* The filter takes a while: it is made while the process starts. */
    if ((list && take_prepared(p)) || launch(p, list != NULL, err) == 0)
        if (give_privileges(p, list, err) == 0)
            return 0;
    drop(p);
    return -1;
}

void
rh_process_serves(const struct rh_process *p, const char *provider)
{
    /* Should it fail, the broker is gone, and that is found out. */
    if (p->control >= 0)
        (void)send(p->control, provider, strnlen(provider, RH_CONTROL_LARGEST), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static char *
describe_end(int status, bool by_us, const struct rh_shared *shared)
{
    if (WIFSIGNALED(status)) {
        int sig = WTERMSIG(status);

        if (sig == SIGKILL || (sig == RH_WORKER_END && by_us)) /* or the broker had not begun yet */
            return rh_xstrdup(by_us ? "closed its connection to rhost, and was killed" : "was killed");
        return rh_printf("crashed: %s", strsignal(sig));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == RH_WORKER_NO_MEMORY)
        return rh_xstrdup("ran out of memory");
    if (WIFEXITED(status) && WEXITSTATUS(status) == RH_WORKER_MISUSED && shared && *shared->misuse) {
        rh_autofree char *text = rh_xstrndup(shared->misuse, sizeof shared->misuse - 1);

        return rh_safe_text(text); /* the plugin can write there */
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == RH_WORKER_LOST)
        return rh_xstrdup("closed its connection to rhost");
    if (WIFEXITED(status))
        return rh_printf("ended its process (exit status %d)", WEXITSTATUS(status));
    return rh_xstrdup("ended");
}

/* Gives it so many milliseconds to end by itself. */
static bool
is_alive_after(int ended, int grace)
{
    struct pollfd wait = { .fd = ended, .events = POLLIN };
    double until = rh_now() + grace / 1000.0;
    int left = grace, rc;

    while ((rc = rh_wait_idle(&wait, 1, left)) < 0 && errno == EINTR) {
        left = (int)((until - rh_now()) * 1000);
        left = left > 0 ? left : 0;
    }
    return rc == 0;
}

/* Returns when neither worker nor broker runs any more. The broker ends the worker, since only its parent can
 * wait for it; one that was stopped has to be continued for that. */
static void
end_both(const struct rh_process *p)
{
    enum { AGAIN = 1000 }; /* milliseconds: it may not have been ready for the signal */

    if (p->ended < 0) {
        (void)kill(p->pid, SIGKILL); /* no way to wait for a while: the worker ends on its own */
        rh_wait_end(p->pid);
        return;
    }
    do {
        (void)kill(p->pid, RH_WORKER_END);
        (void)kill(p->pid, SIGCONT);
    } while (is_alive_after(p->ended, AGAIN));
}

char *
rh_process_end(struct rh_process *p, int grace)
{
    char *how = NULL;
    int status = 0;

    if (p->pid > 0) {
        bool by_us = p->ended >= 0 && is_alive_after(p->ended, grace);

        end_both(p);
        /* What it started in its own session; as long as it is not reaped, nobody else has its number. */
        (void)kill(-p->pid, SIGKILL);
        if (rh_wait_child(p->pid, &status) == 0)
            how = describe_end(status, by_us, p->shared);
        else
            how = rh_printf("ended for an unknown reason: %s", strerror(errno));
    }
    if (p->channel >= 0)
        (void)close(p->channel);
    if (p->output >= 0)
        (void)close(p->output);
    if (p->ended >= 0)
        (void)close(p->ended);
    if (p->shared)
        rh_interrupt_unshare(&p->shared->interrupted);
    if (p->shared)
        (void)munmap(p->shared, sizeof *p->shared);
    *p = (struct rh_process){ .channel = -1, .control = p->control, .output = -1, .ended = -1, .list = -1 };
    return how ? how : rh_xstrdup("ended");
}
