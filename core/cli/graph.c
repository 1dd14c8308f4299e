/* SPDX-License-Identifier: Apache-2.0 */
/* graph - rhost graph FILE...: the action list and its relations as DOT. */
#include "config.h"

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
        return rh_usage_error(&rh_command_graph, "no manifest given: name at least one FILE");
    rh_session_open(&s, settings);
    if (rh_session_load(&s, (const char *const *)argv, (size_t)argc) == 0) {
        rh_catalog_to_dot(&s.catalog, &s.order, stdout);
        status = RH_EXIT_OK;
    }
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_graph = {
    .name = "graph",
    .arguments = "FILE...",
    .summary = "print the dependency graph in DOT format",
    .text = "'rhost graph site.yaml | dot -Tsvg' draws it. Automatic relations of types are dashed.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_PROVIDER | RH_OPT_LIST,
    .run = run,
};
