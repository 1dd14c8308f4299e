/* SPDX-License-Identifier: Apache-2.0 */
/* serve - servers of a fixture: each runs from when it has printed a line, which says that it is ready, to
 * the end of the check. */
#include "config.h"

#include "check/scratch.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value.h"
#include "check/fixture.h"
#include "provider/exec-child.h"

#include <rhost/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_SERVERS = 8,
    SHORT = 5,          /* milliseconds between two looks */
    READY_SECONDS = 30, /* until it has printed its line */
    END_SECONDS = 5,    /* from SIGTERM to its end */
    LARGEST = 1 << 20,
};

static pid_t servers[MOST_SERVERS]; /* the keeper of each */
static size_t n_servers;

static bool
has_ended(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) != 0;
}

/* 1 when it is ready, 0 when it has ended, -1 when the time is over. */
static int
await(pid_t pid, int output)
{
    double until = rh_now() + READY_SECONDS;
    struct stat st;

    while (rh_now() < until) {
        if (fstat(output, &st) == 0 && st.st_size > 0)
            return 1;
        if (has_ended(pid))
            return 0;
        (void)poll(NULL, 0, SHORT);
    }
    return -1;
}

/* What it said of its failure. */
static char *
errors_of(int fd)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text =
        lseek(fd, 0, SEEK_SET) == 0 ? rh_read_descriptor(fd, "output", LARGEST, NULL, &err) : NULL;

    return rh_safe_text(text ? text : "");
}

/* Bound: however the check ends, so does all that the command has started. */
static pid_t
run(char **argv, int output, int errors, struct rh_arena *a, struct rh_error *err)
{
    const struct rhost_command command = { .struct_size = sizeof command,
                                           .argv = (const char *const *)argv,
                                           .umask = -1 };
    rh_autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct rh_exec_plan plan = { 0 };
    int report[2] = { -1, -1 }, number;
    pid_t keeper = -1;

    if (rh_exec_plan(&command, a, &plan, err) < 0)
        return -1;
    if (null >= 0 && rh_exec_pipe(report) == 0) {
        plan.in = null;
        plan.out = output;
        plan.err = errors;
        plan.report = report[1];
        plan.hear_out = plan.hear_err = -1;
        plan.bound = true;
        keeper = rh_exec_start(&plan);
    }
    number = errno;
    rh_exec_close(&report[0]);
    rh_exec_close(&report[1]);
    if (keeper < 0)
        rh_error_system(err, number, "cannot start '%s'", argv[0]);
    return keeper;
}

static int
start(const struct rh_value *words, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    char **argv = rh_scratch_argv(words, a);
    rh_autoclose int output = memfd_create("output", MFD_CLOEXEC);
    rh_autoclose int errors = memfd_create("errors", MFD_CLOEXEC);
    rh_autofree char *said = NULL;
    pid_t pid;
    int ready;

    if (output < 0 || errors < 0)
        return rh_error_system(err, errno, "cannot start '%s'", argv[0]);
    pid = run(argv, output, errors, a, err);
    if (pid < 0)
        return -1;
    servers[n_servers++] = pid;
    ready = await(pid, output);
    if (ready > 0)
        return 0;
    said = errors_of(errors);
    return rh_error_set(err, RH_EINPUT, "'serve' of the fixture failed: '%s' %s%s%s", argv[0],
                        ready ? "has not printed that it is ready" : "has ended", *said ? ": " : "", said);
}

int
rh_serve_start(const struct rh_fixture *f, struct rh_error *err)
{
    size_t n = rh_value_count(f->serve);

    if (n > MOST_SERVERS)
        return rh_error_set(err, RH_EINPUT, "the fixture has more than %d commands in 'serve'", MOST_SERVERS);
    for (size_t i = 0; i < n; i++)
        if (start(rh_value_at(f->serve, i), err) < 0)
            return -1;
    return 0;
}

void
rh_serve_stop(void)
{
    for (size_t i = n_servers; i-- > 0;) {
        if (!rh_exec_end_tree(servers[i], END_SECONDS * 1000))
            (void)kill(servers[i], SIGKILL);
        (void)waitpid(servers[i], NULL, 0);
    }
    n_servers = 0;
}
