/* SPDX-License-Identifier: Apache-2.0 */
/* agent-main - rhost-agent: applies what a source of signed bundles says, again and again. `rhost agent`
 * starts it. A program of its own, since it needs libcrypto. */
#include "config.h"

#include "agent/agent.h"
#include "agent/hint.h"
#include "agent/notify.h"
#include "agent/signals.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/source.h"
#include "base/standard.h"
#include "base/start.h"

#include <rhost/sha256.h>

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REFUSED = 1, USAGE = 64 };

/* The command line, which goes before the file of settings. */
struct arguments {
    const char *settings, *source, *devices, *signers, *interval, *until, *reason;
    bool once, boot, json;
};

static int
refuse(const struct rh_error *err)
{
    rh_log_error(RH_ERR, err);
    if (err->hint)
        (void)fprintf(stderr, "  %s\n", err->hint);
    return REFUSED;
}

static int
refuse_value(struct rh_error *err, const char *option, const char *why)
{
    return rh_error_set(err, RH_EINPUT, "invalid value for --%s: %s", option, why);
}

static int
take_arguments(struct rh_agent_settings *s, struct rh_arena *a, const struct arguments *g,
               struct rh_error *err)
{
    const char *why = g->source ? rh_agent_url_refusal(g->source, RH_URL_SOURCE) : NULL;

    if (why)
        return refuse_value(err, "source", why);
    if (g->interval && !rh_agent_duration(g->interval, &s->interval))
        return refuse_value(err, "interval", "expected a time such as 90s, 30m or 12h");
    if (g->devices && *g->devices != '/')
        return refuse_value(err, "device", "expected an absolute path");
    if (g->devices)
        s->devices = g->devices;
    if (g->source)
        s->source = rh_agent_url(a, g->source);
    if (g->signers)
        s->signers = g->signers;
    if (!s->source)
        return rh_error_set(err, RH_EINPUT, "the agent needs a source: --source=URL, or 'source' in '%s'",
                            g->settings ? g->settings : RH_AGENT_SETTINGS);
    return 0;
}

/* Reads the settings into an arena of their own, which replaces the one before. After an error they stay as
 * they are. */
static int
read_settings(struct rh_agent *agent, struct rh_arena **arena, const struct arguments *g)
{
    const char *path = g->settings ? g->settings : RH_AGENT_SETTINGS;
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_agent_settings s;
    int rc = 0;

    rh_agent_settings_init(&s);
    if (g->settings || access(path, F_OK) == 0 || errno != ENOENT)
        rc = rh_agent_settings_read(&s, a, path, &complaints);
    if (rc < 0)
        rh_complaints_print(&complaints, stderr, false);
    else if ((rc = take_arguments(&s, a, g, &err)) < 0)
        (void)refuse(&err);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    if (rc < 0) {
        rh_arena_free(a);
        return -1;
    }
    agent->settings = s;
    rh_arena_free(*arena);
    *arena = a;
    return 0;
}

/* Until the slot of this machine, which is the same in each interval and another one on each machine. */
static double
until_slot(const struct rh_agent *agent)
{
    double interval = (double)agent->settings.interval, slot, phase;
    unsigned char digest[32];
    struct rhost_sha256 sum;
    uint32_t number = 0;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, "slot:", 5);
    rhost_sha256_add(&sum, agent->id, strlen(agent->id));
    rhost_sha256_bytes(&sum, digest);
    for (int i = 0; i < 4; i++)
        number = number << 8 | digest[i];
    slot = interval * number / 4294967296.0;
    phase = rh_real_time();
    phase -= interval * (double)(int64_t)(phase / interval);
    return slot > phase ? slot - phase : slot - phase + interval;
}

/* Meanwhile reports that could not be sent are tried again. */
static void
wait_for_slot(struct rh_agent *agent)
{
    double until = rh_now() + until_slot(agent);
    bool hinted = false;

    while (!rh_agent_stopping() && rh_now() < until) {
        rh_autoerror struct rh_error err = { 0 };
        bool waits = agent->spool.n && agent->settings.reports;
        double next = waits && agent->ship_after < until ? agent->ship_after : until;

        /* After a hint, others wait: hints cannot keep this process busy. */
        if (hinted) {
            rh_agent_wait(next - rh_now());
        } else if (rh_hint_wait(agent, next - rh_now())) {
            double due = rh_hint_due(agent);

            hinted = true;
            until = due < until ? due : until;
        }
        if (rh_agent_has_signal_to_reload())
            return;
        if (waits && !rh_agent_stopping() && rh_now() >= agent->ship_after && rh_agent_ship(agent, &err) < 0)
            rh_log_error(RH_WARNING, &err);
    }
}

static bool
has_good(const struct rh_agent *agent)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_agent_memory m;

    return rh_agent_memory_load(&m, a, agent->directory, NULL) == 0 && m.good;
}

/* A machine that has nothing yet does not wait for its slot. */
static void
loop(struct rh_agent *agent, struct rh_arena **arena, const struct arguments *g)
{
    bool now = !has_good(agent);

    while (!rh_agent_stopping()) {
        if (!now)
            wait_for_slot(agent);
        if (rh_agent_stopping())
            break;
        if (rh_agent_reloading()) {
            if (read_settings(agent, arena, g) == 0) {
                rh_hint_close(agent);
                rh_log(RH_NOTICE, "the settings were read again");
            }
            now = false;
            continue;
        }
        (void)rh_agent_cycle(agent, false);
        now = false;
    }
    rh_notify("STOPPING=1");
    rh_hint_close(agent);
}

static int
run(struct rh_agent *agent, const struct arguments *g)
{
    struct rh_arena *arena = NULL;
    rh_autoerror struct rh_error err = { 0 };
    int status = 0;

    if (read_settings(agent, &arena, g) < 0)
        return REFUSED;
    if (rh_agent_open(agent, &err) < 0) {
        status = refuse(&err);
    } else {
        rh_agent_signals_open();
        rh_notify_open();
        rh_notify("READY=1"); /* a run at boot may take longer than systemd waits */
        if (g->boot)
            status = rh_agent_cycle(agent, true);
        if (g->once && !g->boot)
            status = rh_agent_cycle(agent, false);
        else if (!g->once) {
            loop(agent, &arena, g);
            status = 0; /* what failed meanwhile is reported, and the agent was asked to end */
        }
    }
    rh_agent_close(agent);
    rh_arena_free(arena);
    return status;
}

static int
control(const struct rh_agent *agent, const char *what, const struct arguments *g)
{
    rh_autofree char *directory = rh_agent_directory(agent->state_dir);
    rh_autoerror struct rh_error err = { 0 };
    int rc;

    if (strcmp(what, "disable") == 0)
        rc = rh_agent_disable(directory, g->until, g->reason, &err);
    else if (strcmp(what, "enable") == 0)
        rc = rh_agent_enable(directory, &err);
    else
        rc = rh_agent_status(directory, g->json, &err);
    return rc < 0 ? refuse(&err) : 0;
}

int
main(int argc, char **argv)
{
    static const struct option options[] = {
        { "settings", required_argument, NULL, 's' },
        { "source", required_argument, NULL, 'u' },
        { "signers", required_argument, NULL, 'k' },
        { "interval", required_argument, NULL, 'i' },
        { "until", required_argument, NULL, 't' },
        { "reason", required_argument, NULL, 'r' },
        { "once", no_argument, NULL, 'o' },
        { "at-boot", no_argument, NULL, 'b' },
        { "json", no_argument, NULL, 'j' },
        { "state-dir", required_argument, NULL, 'd' },
        { "program", required_argument, NULL, 'p' },
        { "option", required_argument, NULL, 'a' },
        { "verbose", no_argument, NULL, 'v' },
        { "devices", required_argument, NULL, 'D' },
        { 0 },
    };
    struct rh_agent agent = { .program = NULL };
    struct arguments g = { .settings = NULL };
    const char **extra = rh_xalloc(((size_t)argc + 1) * sizeof *extra), *what;
    int option, status = USAGE;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return 71;
    (void)signal(SIGPIPE, SIG_IGN);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const char **text = option == 's'   ? &g.settings
                            : option == 'u' ? &g.source
                            : option == 'D' ? &g.devices
                            : option == 'k' ? &g.signers
                            : option == 'i' ? &g.interval
                            : option == 't' ? &g.until
                            : option == 'r' ? &g.reason
                            : option == 'd' ? &agent.state_dir
                            : option == 'p' ? &agent.program
                            : option == 'a' ? &extra[agent.n_options++]
                                            : NULL;

        if (text)
            *text = optarg;
        g.once |= option == 'o';
        g.boot |= option == 'b';
        g.json |= option == 'j';
        if (option == 'v')
            rh_log_set_level(RH_INFO);
        if (option == '?')
            agent.state_dir = NULL;
    }
    agent.options = extra;
    what = optind == argc - 1 ? argv[optind] : "";
    if (!agent.state_dir || !agent.program)
        (void)fputs("rhost-agent is started by 'rhost agent', and does nothing by itself\n", stderr);
    else if (strcmp(what, "run") == 0)
        status = run(&agent, &g);
    else
        status = control(&agent, what, &g);
    free(extra);
    return rh_standard_close() < 0 ? REFUSED : status;
}
