/* SPDX-License-Identifier: Apache-2.0 */
/* collect - rhost collect: reports of many machines, from a folder to a database. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fleet-database.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "collect/store.h"

#include <stdlib.h>

enum { MOST_ARGUMENTS = 13 };

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const char *arguments[MOST_ARGUMENTS], *to;
    size_t n = 0;

    (void)argv;
    if (argc)
        return rh_usage_error(&rh_command_collect, "expected options only");
    if (!settings->collect_from)
        return rh_usage_error(&rh_command_collect,
                              "--from=dir:DIRECTORY is needed: it says where reports are");
    if (settings->once && settings->watch)
        return rh_usage_error(&rh_command_collect, "--once and --watch exclude each other");
    to = rh_fleet_database(a, settings->database, &err);
    if (to && rh_store_url_has_password(to)) {
        rh_error_set(&err, RH_EINPUT, "the URL of a database must not have a password");
        rh_discard(rh_error_suggest(&err, NULL,
                                    "use a password file (PGPASSFILE), a service file or a certificate"));
        to = NULL;
    }
    if (!to) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    arguments[n++] = rh_arena_printf(a, "--from=%s", settings->collect_from);
    arguments[n++] = rh_arena_printf(a, "--to=%s", to);
    if (settings->quarantine)
        arguments[n++] = rh_arena_printf(a, "--quarantine=%s", settings->quarantine);
    if (settings->revoked)
        arguments[n++] = rh_arena_printf(a, "--revoked=%s", settings->revoked);
    if (settings->watch)
        arguments[n++] = "--watch";
    if (settings->retention)
        arguments[n++] = rh_arena_printf(a, "--retention=%u", settings->retention);
    if (settings->silent_after)
        arguments[n++] = rh_arena_printf(a, "--silent-after=%u", settings->silent_after);
    if (settings->quiet)
        arguments[n++] = "--quiet";
    else if (settings->verbose)
        arguments[n++] = settings->verbose > 1 ? "--verbose=2" : "--verbose=1";
    arguments[n++] = "--";
    arguments[n++] = "collect";
    arguments[n] = NULL;
    rh_program_become("rhost-collect", arguments, &err);
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

const struct rh_command rh_command_collect = {
    .name = "collect",
    .arguments = "",
    .summary = "store reports of many machines in a database",
    .text =
        "Takes the reports that machines have sent to a folder, DIRECTORY/HOST/RUN.json, and stores them in\n"
        "SQLite or PostgreSQL. A report leaves the folder when it is stored; one that cannot be stored goes\n"
        "to a quarantine. The URL of a database has no password: see docs/guides/collect.md.\n",
    .options = RH_OPT_COMMON | RH_OPT_COLLECT,
    .run = run,
};
