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

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

static pid_t servers[MOST_SERVERS];
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

    if (output < 0 || errors < 0 || (pid = fork()) < 0)
        return rh_error_system(err, errno, "cannot start '%s'", argv[0]);
    if (pid == 0) {
        /* A group of its own, so that all of it can be ended, and nobody takes it for a plugin's child. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)setpgid(0, 0);
        rh_scratch_exec(argv, output, errors);
    }
    (void)setpgid(pid, pid);
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
    double until = rh_now() + END_SECONDS;

    for (size_t i = n_servers; i-- > 0;) {
        (void)kill(-servers[i], SIGTERM);
        while (!has_ended(servers[i]) && rh_now() < until)
            (void)poll(NULL, 0, SHORT);
        (void)kill(-servers[i], SIGKILL);
        (void)waitpid(servers[i], NULL, 0);
    }
    n_servers = 0;
}
