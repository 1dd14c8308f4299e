/* SPDX-License-Identifier: Apache-2.0 */
/* fleet - rhost fleet: what the reports of many machines say. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fleet-database.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "cli/rollout.h"
#include "collect/store.h"

#include <string.h>

enum { MOST_ARGUMENTS = 8 };

/* Becomes the program, with these operands. */
static int
read_fleet(const struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *to = rh_fleet_database(a, settings->database, &err), *arguments[MOST_ARGUMENTS];
    size_t n = 0;

    if (to && rh_store_url_has_password(to)) {
        rh_error_set(&err, RH_EINPUT, "the URL of a database must not have a password");
        rh_discard(rh_error_suggest(&err, NULL,
                                    "use a password file (PGPASSFILE), a service file or a certificate"));
    } else if (to) {
        arguments[n++] = rh_arena_printf(a, "--to=%s", to);
        if (settings->output)
            arguments[n++] = rh_arena_printf(a, "--output=%s", settings->output);
        if (settings->format == RH_FORMAT_JSON)
            arguments[n++] = "--json";
        arguments[n++] = "--";
        arguments[n++] = argv[0];
        for (int i = 1; i < argc; i++)
            arguments[n++] = argv[i];
        arguments[n] = NULL;
        rh_program_become("rhost-collect", arguments, &err);
    }
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "";
    static const char *const words[] = { "status",    "query", "diff",   "report",   "metrics", "run",
                                         "resume",    "stop",  "show",   "rollback", "noop",    "hint",
                                         "authority", "enrol", "revoke", "receive",  NULL };

    if (argc > 0 && !rh_usage_word(&rh_command_fleet, words, what))
        return RH_EXIT_REFUSED;
    if (rh_rollout_is_verb(what))
        return rh_rollout_become(settings, argc, argv);
    if (rh_rollout_has_options(settings))
        return rh_usage_error(&rh_command_fleet,
                              "that option is not for status, query, diff, report and metrics");
    if (settings->format == RH_FORMAT_JSON && (strcmp(what, "report") == 0 || strcmp(what, "metrics") == 0))
        return rh_usage_error(&rh_command_fleet, "--format is not for 'rhost fleet %s'", what);
    if ((argc == 1
         && (strcmp(what, "status") == 0 || strcmp(what, "report") == 0 || strcmp(what, "metrics") == 0))
        || (argc == 2 && strcmp(what, "query") == 0) || (argc == 3 && strcmp(what, "diff") == 0))
        return read_fleet(settings, argc, argv);
    return rh_usage_error(
        &rh_command_fleet,
        "expected status, query VIEW, query SQL, diff HOST HOST, report, metrics, run DIR, resume DIR, "
        "stop DIR, rollback DIR, show DIR, noop DIR, authority DIR, enrol HOST, "
        "revoke HOST, hint URL or receive URL DIR");
}

const struct rh_command rh_command_fleet = {
    .name = "fleet",
    .arguments = "status | query | ...",
    .summary = "show what the reports of a fleet say; roll revisions out",
    .text =
        "'status' prints each host and its last run; 'query VIEW' a view, such as 'drift', and 'query SQL'\n"
        "what a statement selects; 'diff HOST HOST' in what two hosts differ; 'report' a page for browsers; "
        "'metrics' metrics for Prometheus. The\n"
        "database is that of 'rhost collect'; nothing in it is changed.\n"
        "'run DIR' brings a revision to the hosts in stages, by the channel in DIR, and stops when too many\n"
        "fail; 'resume DIR' has it go on, 'stop DIR' ends it where it is, 'rollback DIR' gives all hosts "
        "the\n"
        "revision from before, and 'show DIR' shows it. 'noop DIR' has hosts make a dry run of a revision, "
        "or\n"
        "shows what it would change.\n"
        "'authority DIR' makes an authority for the certificates of hosts, 'enrol HOST' issues one, and\n"
        "'revoke HOST' revokes those of a host. 'hint URL' has agents look at the channel, by a broker of "
        "NATS,\n"
        "and 'receive URL DIR' takes their reports from it.\n",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_FLEET | RH_OPT_ROLLOUT,
    .run = run,
};
