/* SPDX-License-Identifier: Apache-2.0 */
/* apply - runs `rhost apply`, or `rhost device`, with a bundle, and keeps its report. */
#include "config.h"

#include "agent/agent.h"

#include "agent/notify.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGEST_REPORT = 64 << 20,
    LONGEST_NUMBER = 64,
    MOST_ARGUMENTS = 32,
    TICK = 100 /* ms */,
    REFUSED = 1
};

/* `device` NULL: this machine. */
static char *const *
command_of(struct rh_arena *a, const struct rh_agent *agent, const char *device, const char *bundle,
           const char *report, bool dry)
{
    const struct rh_agent_settings *s = &agent->settings;
    char **argv = rh_arena_alloc(a, (MOST_ARGUMENTS + agent->n_options + s->n_roles) * sizeof *argv);
    size_t n = 0;

    argv[n++] = rh_arena_strdup(a, agent->program);
    argv[n++] = rh_arena_strdup(a, device ? "device" : "apply");
    for (size_t i = 0; i < agent->n_options; i++)
        argv[n++] = rh_arena_strdup(a, agent->options[i]);
    argv[n++] = device ? rh_arena_printf(a, "--state-dir=%s/devices/%s", agent->directory, device)
                       : rh_arena_printf(a, "--state-dir=%s", agent->state_dir);
    argv[n++] = rh_arena_printf(a, "--signers=%s", s->signers);
    argv[n++] = rh_arena_printf(a, "--report=%s", report);
    argv[n++] = rh_arena_strdup(a, "--report-detail=changes");
    argv[n++] = rh_arena_strdup(a, "--wait-lock=600");
    if (dry)
        argv[n++] = rh_arena_strdup(a, "--noop");
    for (size_t i = 0; !device && i < s->n_roles; i++)
        argv[n++] = rh_arena_printf(a, "--role=%s", s->roles[i]);
    if (!device && s->environment)
        argv[n++] = rh_arena_printf(a, "--environment=%s", s->environment);
    argv[n++] = rh_arena_strdup(a, "--");
    if (device) {
        argv[n++] = rh_arena_strdup(a, s->devices);
        argv[n++] = rh_arena_strdup(a, device);
    }
    argv[n++] = rh_arena_strdup(a, bundle);
    argv[n] = NULL;
    return argv;
}

int
rh_agent_start(char *const *argv, int output, pid_t *pid, struct rh_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int number;

    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0)
        rh_out_of_memory();
    number = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!number && output >= 0)
        number = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!number)
        number = posix_spawnattr_setsigmask(&attributes, &none);
    if (!number)
        number = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    if (!number)
        number = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return number ? rh_error_system(err, number, "cannot start '%s'", argv[0]) : 0;
}

int
rh_agent_wait_child(pid_t pid, int *status, struct rh_error *err)
{
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);

        if (ended == pid)
            return 0;
        if (ended < 0 && errno != EINTR)
            return rh_error_system(err, errno, "cannot wait for the run");
        rh_notify_alive();
        (void)poll(NULL, 0, TICK);
    }
}

/* What refuses each run of this machine, and not this revision: another run has the lock, or waits to be
 * confirmed; or the bundle could not even be opened, as on a full disk: its revision is not in the report. */
static bool
is_hindrance(const struct rh_value *report)
{
    const char *code = rh_value_get_str(rh_value_at(rh_value_get(report, "errors"), 0), "code", "");

    return strcmp(code, "RH0030") == 0 || strcmp(code, "RH0382") == 0
           || (strcmp(rh_value_get_str(report, "status", ""), "refused") == 0
               && !rh_value_get(report, "revision"));
}

static bool
has_change(const struct rh_value *report)
{
    return strcmp(rh_value_get_str(report, "status", ""), "ok") != 0;
}

/* Reports of runs are in the directory `runs` until they are in the spool: NAME.json, and NAME.begun with the
 * revision from before the run begins. A run goes on when its agent is killed, so that the next one finds the
 * report; and a run that was lost with the machine leaves the other file. The name of a run of a device ends
 * with '@' and the name of the device. */

static const char *
device_of(const char *name)
{
    const char *at = strchr(name, '@');

    return at ? at + 1 : NULL;
}

static char *
run_path(const struct rh_agent *agent, const char *name, const char *suffix)
{
    return rh_printf("%s/runs/%s%s", agent->directory, name, suffix);
}

/* The run ended without a report that can be read. It must not be lost that it was there. */
static int
report_loss(struct rh_agent *agent, const char *name, struct rh_error *err)
{
    rh_autofree char *begun = run_path(agent, name, ".begun");
    rh_autoerror struct rh_error why = { 0 };
    size_t n = 0;
    rh_autofree char *revision = rh_read_kept_file(begun, LONGEST_NUMBER, &n, NULL);

    (void)rh_error_set(&why, RH_ESYSTEM,
                       "a run ended without a report: it may have changed something ('rhost runs' lists it)");
    rh_log_error(RH_ERR, &why);
    return rh_agent_report_device(agent, device_of(name), revision ? strtoll(revision, NULL, 10) : 0, &why,
                                  err);
}

static bool
is_there(const struct rh_agent *agent, const char *name, const char *suffix)
{
    rh_autofree char *path = run_path(agent, name, suffix);

    return access(path, F_OK) == 0;
}

/* Puts the report of a run into the spool, and its value into `a`. NULL where there is none that can be
 * read, or with an error. */
static const struct rh_value *
collect_one(struct rh_agent *agent, struct rh_arena *a, const char *name, struct rh_error *err)
{
    rh_autofree char *path = run_path(agent, name, ".json"), *begun = run_path(agent, name, ".begun");
    size_t n = 0;
    rh_autofree char *text = rh_read_kept_file(path, LARGEST_REPORT, &n, NULL);
    struct rh_value *report = text ? rh_value_from_json(a, text, n, NULL) : NULL;
    rh_autobuf struct rh_buf of_device = { 0 };
    const char *device = device_of(name), *whole = text;

    if (!report || (device && !rh_value_is(report, RH_HASH)))
        return NULL;
    if (device) {
        rh_value_put(report, "device", rh_value_string(a, device));
        rh_value_to_json(&of_device, report, false);
        whole = rh_buf_text(&of_device);
        n = of_device.n;
    }
    if (rh_spool_put(&agent->spool, whole, n, has_change(report), err) < 0)
        return NULL;
    /* In this order: what is left of a crash between them is a report that is collected again. */
    (void)unlink(begun);
    (void)unlink(path);
    return report;
}

/* Notes that a run has ended without a report, or with one that cannot be read, which goes. */
static int
lose(struct rh_agent *agent, const char *name, struct rh_error *err)
{
    rh_autofree char *path = run_path(agent, name, ".json"), *begun = run_path(agent, name, ".begun");

    if (report_loss(agent, name, err) < 0)
        return -1;
    (void)unlink(path);
    (void)unlink(begun);
    return 0;
}

static bool
is_of(const char *name, const char *device)
{
    const char *own = device_of(name);

    return own && device ? strcmp(own, device) == 0 : own == device;
}

/* `all`: no other run of the device, or of this machine, is under way, so that those without a report are
 * lost. A report is written whole. */
static int
collect(struct rh_agent *agent, bool all, const char *device, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *directory = rh_printf("%s/runs", agent->directory);
    rh_autoclosedir DIR *d = opendir(directory);
    const struct dirent *e;

    if (!d)
        return rh_error_system(err, errno, "cannot read the directory '%s'", directory);
    while ((e = readdir(d))) {
        const char *dot = strrchr(e->d_name, '.');
        rh_autofree char *name = dot ? rh_xstrndup(e->d_name, (size_t)(dot - e->d_name)) : NULL;
        rh_autoerror struct rh_error why = { 0 };

        if (!dot || dot == e->d_name || (strcmp(dot, ".begun") != 0 && strcmp(dot, ".json") != 0))
            continue;
        if (is_there(agent, name, ".json")) {
            if (collect_one(agent, a, name, &why))
                continue;
            if (why.message) {
                rh_error_move(err, &why);
                return -1;
            }
        } else if (!all || !is_of(name, device) || !is_there(agent, name, ".begun")) {
            continue;
        }
        if (lose(agent, name, err) < 0)
            return -1;
    }
    return 0;
}

int
rh_agent_collect(struct rh_agent *agent, struct rh_error *err)
{
    return collect(agent, false, NULL, err);
}

/* A name that no run had before. */
static char *
name_run(struct rh_arena *a, const char *device)
{
    char name[RH_RUN_ID], started[RH_RUN_TIME];

    rh_identity_new_run(name, started);
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '-';
    return rh_arena_printf(a, "%s%s%s", name, device ? "@" : "", device ? device : "");
}

/* What became of a run. */
struct ended {
    const struct rh_value *report; /* NULL: it has none */
    bool worked, known;            /* known: how it ended */
};

static int
run(struct rh_agent *agent, struct rh_arena *a, const char *device, int64_t revision, struct ended *to,
    struct rh_error *err)
{
    rh_autofree char *bundle = rh_agent_bundle_path(agent, revision), *path = NULL, *begun = NULL;
    rh_autofree char *runs = rh_printf("%s/runs", agent->directory);
    rh_autofree char *number = rh_printf("%lld\n", (long long)revision);
    rh_autoerror struct rh_error why = { 0 };
    const char *name = name_run(a, device);
    int status = 0;
    pid_t pid;

    path = run_path(agent, name, ".json");
    begun = run_path(agent, name, ".begun");
    /* What cannot be noted does not begin. */
    if (rh_replace_file(begun, number, strlen(number), 0600, err) < 0 || rh_sync_directory(runs, err) < 0)
        return -1;
    if (rh_agent_start(command_of(a, agent, device, bundle, path, false), -1, &pid, err) < 0) {
        (void)unlink(begun);
        return -1;
    }
    if (rh_agent_wait_child(pid, &status, &why) < 0) {
        rh_log_error(RH_ERR, &why);
        return 0;
    }
    to->known = true;
    to->worked = WIFEXITED(status) && (WEXITSTATUS(status) & ~2) == 0;
    to->report = collect_one(agent, a, name, &why);
    /* One that had the lock comes after all others. One that is lost does not say whether it had it. */
    if (!why.message && !to->report)
        (void)lose(agent, name, &why);
    else if (!why.message)
        (void)collect(agent, !is_hindrance(to->report), device, &why);
    if (why.message)
        rh_log_error(RH_ERR, &why);
    return 0;
}

int
rh_agent_apply(struct rh_agent *agent, int64_t revision, bool *worked, bool *hindered, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct ended ended = { 0 };

    if (run(agent, a, NULL, revision, &ended, err) < 0)
        return -1;
    if (!ended.known)
        return 0;
    agent->memory.ran = time(NULL);
    *worked = ended.worked;
    *hindered = ended.report && is_hindrance(ended.report);
    agent->memory.outcome = rh_arena_strdup(
        agent->arena, ended.report ? rh_value_get_str(ended.report, "status", "") : "without a report");
    if (*hindered)
        (void)rh_error_set(
            err, RH_ESYSTEM, "revision %lld is not applied: %s", (long long)revision,
            rh_value_get_str(rh_value_at(rh_value_get(ended.report, "errors"), 0), "message", ""));
    return 0;
}

int
rh_agent_apply_device(struct rh_agent *agent, const char *device, int64_t revision, bool *worked,
                      struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct ended ended = { 0 };

    if (run(agent, a, device, revision, &ended, err) < 0)
        return -1;
    *worked = ended.worked;
    return 0;
}

/* Nothing of it is noted before: one that is lost has changed nothing. */
int
rh_agent_dry_run(struct rh_agent *agent, int64_t revision, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *name = name_run(a, NULL);
    rh_autofree char *bundle = rh_agent_bundle_path(agent, revision), *path = run_path(agent, name, ".json");
    int status = 0;
    pid_t pid;

    if (rh_agent_start(command_of(a, agent, NULL, bundle, path, true), -1, &pid, err) < 0
        || rh_agent_wait_child(pid, &status, err) < 0)
        return -1;
    if (collect_one(agent, a, name, err))
        return 0;
    return rh_error_set(err, RH_ESYSTEM, "the dry run of revision %lld ended without a report",
                        (long long)revision);
}
