/* SPDX-License-Identifier: Apache-2.0 */
/* validate - rhost validate FILE...: everything up to, and without, touching the machine. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "cli/target.h"
#include "manifest/manifest.h"

#include <stdio.h>

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    struct rh_reach reach = { 0 };
    size_t n;
    int rc = 0;

    if (settings->target && !settings->targets)
        return rh_usage_error(&rh_command_validate, "--target needs --targets, the file that it is in");
    if (argc < 1 && !settings->targets)
        return rh_usage_error(&rh_command_validate, "no manifest given: name at least one FILE");
    rh_session_open(&s, settings);
    s.validates = true;
    if (settings->targets)
        rc = rh_reach_open(&reach, &s, settings->targets, settings->target);
    if (rc == 0 && argc > 0)
        rc = rh_session_load(&s, (const char *const *)argv, (size_t)argc);
    n = rc == 0 ? s.order.n : s.catalog.n_resources; /* as a run counts them */
    if (rh_refusals_are_answer()) {
        /* printed at the end, with what is wrong with the command line */
    } else if (settings->format == RH_FORMAT_JSON) {
        rh_autobuf struct rh_buf text = { 0 };
        struct rh_value *v = rh_value_new(s.arena, RH_HASH), *list = rh_value_new(s.arena, RH_ARRAY);

        rh_refusals_take(list);
        rh_value_put(v, "valid", rh_value_boolean(s.arena, rc == 0));
        rh_value_put(v, "resources", rh_value_integer(s.arena, (int64_t)n));
        rh_value_put(v, "errors", list);
        rh_value_to_json_pretty(&text, v, false);
        (void)puts(rh_buf_text(&text));
    } else if (rc == 0 && !settings->quiet) {
        if (settings->targets)
            (void)printf("%zu target%s, ", reach.targets.n_resources,
                         reach.targets.n_resources == 1 ? "" : "s");
        (void)printf("%zu resource%s, no errors\n", n, n == 1 ? "" : "s");
    }
    rh_reach_close(&reach);
    rh_session_close(&s);
    return rc == 0 ? RH_EXIT_OK : RH_EXIT_REFUSED;
}

const struct rh_command rh_command_validate = {
    .name = "validate",
    .arguments = "[FILE...]",
    .summary = "validate manifests without changing anything",
    .text =
        "With --targets also a file of devices, and manifests for them: expressions read the facts of the\n"
        "one of --target. Exits with 0 on success, and with 1 otherwise.",
    .options =
        RH_OPT_TARGET | RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_VALIDATE | RH_OPT_SARIF | RH_OPT_PROVIDER,
    .run = run,
};
