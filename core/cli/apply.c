/* SPDX-License-Identifier: Apache-2.0 */
/* apply - rhost apply FILE...: bring this machine to the state that manifests describe. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/session.h"
#include "cli/undo.h"
#include "run/plan.h"

#include <stdlib.h>
#include <string.h>

/* Whether systemd takes it away with the unit. */
static bool
is_lent(const char *path)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY");

    return path && folder && *folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL); /* of a bundle's names */
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    if (argc < 1)
        return rh_usage_error(&rh_command_apply, "no manifest given: name at least one FILE");
    if (settings->confirm_within && settings->no_backup)
        return rh_usage_error(&rh_command_apply, "--confirm-within needs what --no-backup does not keep");
    if (settings->confirm_within && is_lent(settings->backup_key))
        return rh_usage_error(&rh_command_apply,
                              "--confirm-within needs a key that is still there when the unit has ended, and "
                              "'%s' is a credential of the unit",
                              settings->backup_key);
    if (settings->confirm_within && settings->rollback)
        return rh_usage_error(&rh_command_apply,
                              "--confirm-within and --rollback-on-failure exclude each other");
    if (rh_bundle_argument(a, settings, argc, argv) < 0)
        return RH_EXIT_REFUSED;
    for (int i = 0; i < argc; i++)
        if (rh_plan_is(argv[i])) {
            if (argc == 1)
                return rh_plan_apply(settings, argv[i]);
            return rh_usage_error(&rh_command_apply, "'%s' is a plan: apply it alone", argv[i]);
        }
    if (settings->rollback && settings->no_backup)
        return rh_usage_error(&rh_command_apply,
                              "--rollback-on-failure needs what --no-backup does not keep");
    if (settings->max_age)
        return rh_usage_error(&rh_command_apply, "--max-age is for a plan, and '%s' is none", argv[0]);
    settings->runs = true;
    rh_session_open(&s, settings);
    rh_undo_where_failed(&s);
    if (rh_session_load(&s, (const char *const *)argv, (size_t)argc) == 0)
        status = rh_execute(&s);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_apply = {
    .name = "apply",
    .arguments = "FILE... | BUNDLE | PLAN",
    .summary = "apply manifests to this machine",
    .text =
        "Reads all FILEs ('-': standard input) and reports all errors before it changes anything. A PLAN, "
        "of\n"
        "'rhost plan', is applied exactly as it was made, or refused. A BUNDLE, of 'rhost bundle', is\n"
        "verified first.\n"
        "Exit status: 0 success, 1 a manifest was refused and nothing was changed, 4 a resource failed or\n"
        "was skipped; with --detailed-exitcodes also 2 something was changed (or would be), 6 both.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_RUN | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_LIST
               | RH_OPT_AGE | RH_OPT_APPLY | RH_OPT_SIGNERS,
    .run = run,
};
