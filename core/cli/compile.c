/* SPDX-License-Identifier: Apache-2.0 */
/* compile - rhost compile FILE...: the catalog as JSON. */
#include "config.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/export.h"
#include "cli/command.h"
#include "cli/session.h"

#include <stdio.h>

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    if (argc < 1)
        return rh_usage_error(&rh_command_compile, "no manifest given: name at least one FILE");
    rh_session_open(&s, settings);
    if (rh_session_load(&s, (const char *const *)argv, (size_t)argc) == 0
        && rh_session_refuse_unknown(&s, false) == 0) {
        rh_autobuf struct rh_buf text = { 0 };

        rh_value_to_json_pretty(&text, rh_catalog_to_value(&s.catalog, &s.order, s.arena), false);
        (void)puts(rh_buf_text(&text));
        status = RH_EXIT_OK;
    }
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_compile = {
    .name = "compile",
    .arguments = "FILE...",
    .summary = "compile manifests to a catalog in JSON",
    .text =
        "The output can be applied, but for resources with sensitive values, which are not part of it, or\n"
        "with values that are known only after another resource was applied. With --format=json errors\n"
        "are printed as JSON as well.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_FORMAT | RH_OPT_PROVIDER,
    .run = run,
};
