/* SPDX-License-Identifier: Apache-2.0 */
/* fleet - rhost fleet: what the reports of many machines say. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fleet-database.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "collect/store.h"

#include <string.h>

enum { MOST_ARGUMENTS = 8 };

/* Becomes the program, with these operands. */
static int
read_fleet(const struct rh_settings *settings, char **argv)
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
        arguments[n++] = argv[1]; /* or NULL */
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

    if (settings->format == RH_FORMAT_JSON && (strcmp(what, "report") == 0 || strcmp(what, "metrics") == 0))
        return rh_usage_error(&rh_command_fleet,
                              "--format is for 'rhost fleet status' and 'rhost fleet query'");
    if ((argc == 1
         && (strcmp(what, "status") == 0 || strcmp(what, "report") == 0 || strcmp(what, "metrics") == 0))
        || (argc == 2 && strcmp(what, "query") == 0))
        return read_fleet(settings, argv);
    return rh_usage_error(&rh_command_fleet, "expected status, query VIEW, query SQL, report or metrics");
}

const struct rh_command rh_command_fleet = {
    .name = "fleet",
    .arguments = "status | query | ...",
    .summary = "show what the reports of many machines say",
    .text =
        "'status' prints each host and its last run; 'query VIEW' a view, such as 'drift', and 'query SQL'\n"
        "what a statement selects; 'report' a page for browsers; 'metrics' metrics for Prometheus. The\n"
        "database is that of 'rhost collect'; nothing in it is changed.\n",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_FLEET,
    .run = run,
};
