/* SPDX-License-Identifier: Apache-2.0 */
/* worker-main - the process that rhost starts for a provider: it forks the worker, which loads the plugin,
 * starts commands for it as its broker, and ends as the worker ends.
 *
 * Nothing of the plugin runs here. So the worker can be confined, and what it has started is not. */
#include "config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/io.h"
#include "base/secrets.h"
#include "base/start.h"
#include "base/text.h"
#include "base/wait.h"
#include "plugin/confined.h"
#include "plugin/serve.h"
#include "plugin/spawn.h"
#include "provider/exec-broker.h"
#include "sandbox/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_MEMORY = 2, MOST_NAMES = 4096 }; /* GiB of data; bytes of the names of providers */

/* systemd sends SIGTERM to all processes of a service: the host, which gets it too, says when it is time to
 * end. A handler, so that programs that a plugin starts by itself have the default again. */
static void
leave_to_host(int number)
{
    (void)number;
}

/* Dies with the host, keeps no core file with secrets in it, and can't eat all memory; so does the worker,
 * which inherits this. */
static void
settle_in(const char *host, bool held)
{
    const struct sigaction leave = { .sa_handler = leave_to_host, .sa_flags = SA_RESTART };
    struct rlimit limit;

    /* What rhost's own caller left open. */
    rh_close_from(held ? RH_WORKER_HELD + 1 : RH_WORKER_PRIVILEGES + 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)strtol(host, NULL, 10))
        _exit(0);
    /* The hard limits stay, so that commands can have back what we had, also without being root. */
    rh_exec_note_limits();
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
    rh_secrets_shield(); /* a core that is piped to a program heeds no limit */
#ifndef RH_SANITIZERS
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > (rlim_t)MOST_MEMORY << 30) {
        limit.rlim_cur = (rlim_t)MOST_MEMORY << 30;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
#endif
    (void)signal(SIGPIPE, SIG_IGN);
    /* A terminal's interrupt goes to the host, which decides. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)sigaction(SIGTERM, &leave, NULL);
    (void)umask(022);
    if (chdir("/") < 0)
        _exit(71);
    (void)fcntl(RH_WORKER_CHANNEL, F_SETFD, FD_CLOEXEC);
    (void)fcntl(RH_WORKER_CONTROL, F_SETFD, FD_CLOEXEC);
    if (held && fcntl(RH_WORKER_HELD, F_SETFD, FD_CLOEXEC) == 0)
        rh_exec_hold(RH_WORKER_HELD);
}

/* Of a signal handler, too. */
static volatile pid_t worker;
static struct rh_shared *shared;
static sigset_t waiting_mask; /* while this process waits: SIGCHLD can come */

/* What the worker is confined to (plugin/privileges.h); empty: it is not. */
static struct rh_buf privileges;

/* The host completes the list while this process starts. */
static void
wait_until_ready(void)
{
    while (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
        (void)syscall(SYS_futex, &shared->ready, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* By the broker and by the worker, which have one descriptor with one place in it. */
static int
read_privileges(void)
{
    char part[4096];
    ssize_t n;

    wait_until_ready();
    while ((n = pread(RH_WORKER_PRIVILEGES, part, sizeof part, (off_t)privileges.n)) != 0)
        if (n > 0)
            rh_buf_addn(&privileges, part, (size_t)n);
        else if (errno != EINTR)
            return -1;
    (void)close(RH_WORKER_PRIVILEGES);
    return 0;
}

/* As the signal says that ended it, so that the host sees what it would see of the worker. */
static void __attribute__((noreturn)) end_by_signal(int number)
{
    const struct sigaction standard = { .sa_handler = SIG_DFL };
    sigset_t all;

    (void)sigaction(number, &standard, NULL);
    sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)kill(getpid(), number);
    _exit(128 + number);
}

static void
block(int how, int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    (void)sigprocmask(how, &set, NULL);
}

/* Once. The number is free when it was waited for: the handler, which may come between, must not kill what
 * has it then. Also called by the handler. */
static void
kill_worker(void)
{
    block(SIG_BLOCK, RH_WORKER_END);
    if (worker > 0) {
        (void)kill(worker, SIGKILL);
        while (waitpid(worker, NULL, 0) < 0 && errno == EINTR)
            continue;
        worker = 0;
    }
}

/* The host ends the worker, whatever this process is doing. */
static void
on_end(int number)
{
    (void)number;
    kill_worker();
    end_by_signal(SIGKILL);
}

/* The worker has asked for something that it can't have meant, or that can't be handled: it must not wait for
 * an answer. */
static void __attribute__((noreturn)) end_for_request(const char *wrong, int failure)
{
    kill_worker();
    if (failure)
        (void)snprintf(shared->misuse, sizeof shared->misuse,
                       "sent a request that its broker could not handle (%s: %s), and was killed", wrong,
                       strerror(failure));
    else
        (void)snprintf(shared->misuse, sizeof shared->misuse,
                       "sent an invalid request to its broker (%s) and was killed", wrong);
    _exit(RH_WORKER_MISUSED);
}

/* This process can't watch the worker, or hear the host, any more. */
static void __attribute__((noreturn)) end_for_failure(const char *what, int number)
{
    kill_worker();
    (void)snprintf(shared->misuse, sizeof shared->misuse, "was killed, since its broker could not %s (%s)",
                   what, strerror(number));
    _exit(RH_WORKER_MISUSED);
}

/* Ends as the worker has ended; returns while it runs. */
static void
end_with_worker(void)
{
    struct rh_wait failing = { 0 };
    int status = 0;
    pid_t ended;

    block(SIG_BLOCK, RH_WORKER_END); /* the number is free once it was waited for */
    /* No second SIGCHLD comes for the worker. */
    while ((ended = waitpid(worker, &status, WNOHANG)) < 0 && rh_wait_again(&failing))
        continue;
    if (ended < 0) {
        int why = errno;

        worker = why == ECHILD ? 0 : worker; /* then it has ended */
        end_for_failure("wait for it", why);
    }
    if (ended == 0) {
        block(SIG_UNBLOCK, RH_WORKER_END);
        return;
    }
    worker = 0;
    if (WIFSIGNALED(status))
        end_by_signal(WTERMSIG(status));
    _exit(WEXITSTATUS(status));
}

/* The providers that are served, as the host says: for messages. */
static struct rh_buf providers;

static const char *
provider_names(void *data)
{
    (void)data;
    return rh_buf_text(&providers);
}

/* What the host says; ends when it is gone. */
static void
take_control(void)
{
    char name[RH_CONTROL_LARGEST];
    ssize_t n;

    while ((n = recv(RH_WORKER_CONTROL, name, sizeof name, MSG_DONTWAIT)) > 0) {
        if (providers.n > MOST_NAMES)
            continue;
        rh_buf_add(&providers, providers.n ? ", " : "");
        rh_buf_addn(&providers, name, (size_t)n);
    }
    if (n == 0 || errno == ECONNRESET)
        on_end(0);
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        end_for_failure("receive from rhost", errno);
}

static bool
record(void *data, const char *shown)
{
    size_t n = strnlen(shown, RH_CONTROL_LARGEST);
    ssize_t sent;

    (void)data;
    while ((sent = send(RH_WORKER_CONTROL, shown, n, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        continue;
    return sent >= 0;
}

/* While a command is being ended. */
static bool
pause_for(void *data, int milliseconds)
{
    const struct timespec span = { .tv_nsec = milliseconds * 1000000L };
    siginfo_t info = { 0 };

    (void)data;
    (void)ppoll(NULL, 0, &span, &waiting_mask);
    return waitid(P_PID, (id_t)worker, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid;
}

/* The program of an executable provider, and what it executes, are as confined as a plugin is. */
static int
confine_program(const void *data, char *const *candidates)
{
    (void)data;
    return rh_confined_program(privileges.s, privileges.n, candidates);
}

static void __attribute__((noreturn)) be_broker(int channel)
{
    const bool programs = rh_confined_is_program(privileges.s, privileges.n);
    const struct rh_broker_host host = {
        .provider = provider_names,
        .record = record,
        .rules = { .programs =
                       privileges.n && !programs ? rh_confined_programs(privileges.s, privileges.n) : NULL },
        .confine = programs ? confine_program : NULL,
        .watch = { .pause = pause_for },
    };
    struct rh_broker *broker = rh_broker_new(channel, &host);
    struct rh_wait failing = { 0 };
    const char *wrong = NULL;
    int more = 1;

    for (;;) {
        struct pollfd fds[2] = { { .fd = RH_WORKER_CONTROL, .events = POLLIN }, { .events = POLLIN } };

        end_with_worker();
        if (rh_broker_look(broker, &wrong) < 0)
            end_for_request(wrong, rh_broker_failure(broker));
        fds[1].fd = more && !rh_broker_is_waiting(broker) ? channel : -1;
        if (ppoll(fds, 2, NULL, &waiting_mask) < 0) {
            if (!rh_wait_again(&failing))
                end_for_failure("wait for requests", errno);
            continue; /* a signal */
        }
        failing = (struct rh_wait){ 0 };
        if (fds[0].revents)
            take_control();
        if (fds[1].revents && (more = rh_broker_serve(broker, &wrong)) < 0)
            end_for_request(wrong, rh_broker_failure(broker));
    }
}

static void __attribute__((noreturn)) refuse_to_serve(const char *what, const char *why)
{
    (void)snprintf(shared->misuse, sizeof shared->misuse, "could not %s (%s)", what, why);
    _exit(RH_WORKER_MISUSED);
}

/* Before it loads anything. What it may do is all that it is left with. The namespace takes longest to make,
 * and the list is not needed for that. */
static void
confine_worker(void)
{
    rh_autoclose int way_back = shared->confines ? rh_network_leave() : -1;
    rh_autoerror struct rh_error err = { 0 };

    if (read_privileges() < 0)
        refuse_to_serve("read its privileges", strerror(errno));
    if ((privileges.n ? rh_confined_apply(privileges.s, privileges.n, way_back, &err)
                      : rh_network_return(way_back, &err))
        < 0)
        refuse_to_serve("be confined", err.message);
}

/* Forks the worker. It has what this process was started with: its signals, its streams, the channel. */
static int
fork_worker(int pair[2])
{
    pid_t broker = getpid();
    sigset_t ours, before;

    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    sigaddset(&ours, RH_WORKER_END);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0
        || sigprocmask(SIG_BLOCK, &ours, &before) < 0)
        return -1;
    waiting_mask = before;
    worker = fork();
    if (worker)
        return worker > 0 ? 0 : -1;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != broker)
        _exit(0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* it finds the children of its children */
    (void)close(RH_WORKER_CONTROL);
    (void)close(pair[0]);
    confine_worker();
    exit(rh_worker_serve(shared, pair[1]));
}

int
main(int argc, char **argv)
{
    const struct sigaction wake = { .sa_handler = leave_to_host, .sa_flags = SA_NOCLDSTOP };
    const struct sigaction end = { .sa_handler = on_end };
    int pair[2];

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return 71;
    if (argc < 2 || argc > 4 || fcntl(RH_WORKER_CHANNEL, F_GETFD) < 0) {
        (void)fputs("rhost-worker is started by rhost, and does nothing by itself\n", stderr);
        return 64;
    }
    if (argc == 4)
        rh_installation_use_kit(argv[3], NULL, "rhost-worker");
    settle_in(argv[1], argc > 2 && strcmp(argv[2], "held") == 0);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, RH_WORKER_SHARED, 0);
    if (shared == MAP_FAILED)
        return 71;
    (void)close(RH_WORKER_SHARED);
    if (fork_worker(pair) < 0)
        refuse_to_serve("start its worker process", strerror(errno));
    (void)prctl(PR_SET_NAME, "rhost-broker");
    (void)close(pair[1]);
    (void)close(RH_WORKER_CHANNEL);
    (void)sigaction(SIGCHLD, &wake, NULL);
    (void)sigaction(RH_WORKER_END, &end, NULL);
    block(SIG_UNBLOCK, RH_WORKER_END);
    if (read_privileges() < 0)
        end_for_failure("read its privileges", errno);
    be_broker(pair[0]);
}
