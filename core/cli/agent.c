/* SPDX-License-Identifier: Apache-2.0 */
/* agent - rhost agent: applies what a source of signed bundles says. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "cli/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 20 };

struct arguments {
    const char **v;
    size_t n;
};

static void
add(struct rh_arena *a, struct arguments *to, const char *option, const char *value)
{
    if (value)
        to->v[to->n++] = rh_arena_printf(a, "--%s=%s", option, value);
}

static void
add_flag(struct arguments *to, const char *option, bool is_set)
{
    if (is_set)
        to->v[to->n++] = option;
}

/* Runs find plugins where this command does. */
static void
add_plugins(struct rh_arena *a, struct arguments *to, const struct rh_settings *settings)
{
    add(a, to, "option", settings->no_installed_plugins ? "--no-installed-plugins" : NULL);
    for (size_t i = 0; i < settings->plugin_dirs.n; i++) {
        rh_autofree char *whole = realpath(settings->plugin_dirs.v[i], NULL);

        add(a, to, "option",
            rh_arena_printf(a, "--plugin-dir=%s", whole ? whole : settings->plugin_dirs.v[i]));
    }
}

/* The path of this program: it is started again for each run, also after an upgrade. */
static const char *
own_path(struct rh_arena *a)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n <= 0) {
        rh_refuse("cannot find the path of this program");
        return NULL;
    }
    return rh_arena_strndup(a, self, (size_t)n);
}

static int
become(struct rh_settings *settings, const char *what)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *state = rh_session_safe_state_dir(settings);
    struct arguments to = { .v = rh_arena_alloc(a, (MOST_ARGUMENTS + settings->plugin_dirs.n)
                                                       * sizeof(const char *)) };
    rh_autoerror struct rh_error err = { 0 };
    const char *self = state ? own_path(a) : NULL;

    if (!self)
        return RH_EXIT_REFUSED;
    add(a, &to, "state-dir", state);
    add(a, &to, "program", self);
    add_plugins(a, &to, settings);
    add(a, &to, "settings", settings->agent_settings);
    add(a, &to, "source", settings->source);
    add(a, &to, "devices", settings->devices);
    add(a, &to, "signers", settings->signers);
    add(a, &to, "interval", settings->interval);
    add(a, &to, "until", settings->until);
    add(a, &to, "reason", settings->reason);
    add_flag(&to, "--once", settings->once);
    add_flag(&to, "--at-boot", settings->at_boot);
    add_flag(&to, "--json", settings->format == RH_FORMAT_JSON);
    add_flag(&to, "--verbose", settings->verbose > 0);
    to.v[to.n++] = "--";
    to.v[to.n++] = what;
    to.v[to.n] = NULL;
    rh_program_become("rhost-agent", to.v, &err);
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "run";
    bool runs = argc == 0, disables = strcmp(what, "disable") == 0;

    if (argc > 1 || (!runs && !disables && strcmp(what, "enable") != 0 && strcmp(what, "status") != 0))
        return rh_usage_error(&rh_command_agent, "expected status, disable, enable, or no argument");
    if (!runs
        && (settings->source || settings->devices || settings->interval || settings->once || settings->at_boot
            || settings->signers || settings->agent_settings))
        return rh_usage_error(&rh_command_agent, "'rhost agent %s' starts no agent: leave out its options",
                              what);
    if (!disables && (settings->until || settings->reason))
        return rh_usage_error(&rh_command_agent, "--reason and --until are for 'rhost agent disable'");
    if (disables && !settings->reason)
        return rh_usage_error(&rh_command_agent, "'rhost agent disable' needs --reason=TEXT");
    return become(settings, what);
}

const struct rh_command rh_command_agent = {
    .name = "agent",
    .arguments = "[status | disable | enable]",
    .summary = "apply what a source of signed bundles says",
    .text =
        "Gets the channel of the source in each interval, verifies it, and applies the revision that it\n"
        "wants on this machine; without the source the last good one. 'status' shows what the agent does,\n"
        "'disable' holds it back for a reason, and 'enable' ends that.\n",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_AGENT,
    .run = run,
};
