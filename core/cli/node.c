/* SPDX-License-Identifier: Apache-2.0 */
/* node - rhost node: attributes, where they came from, and what operations do to them. */
#include "config.h"

#include "cli/command.h"
#include "cli/node-show.h"

#include <string.h>

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "explain") == 0) {
        if (argc < 2)
            return rh_usage_error(&rh_command_node, "no attribute given: name its PATH");
        if (settings->level)
            return rh_usage_error(&rh_command_node, "'explain' shows all levels: remove --level");
        return rh_node_show_origin(settings, argc - 1, argv + 1);
    }
    if (argc < 1 || strcmp(argv[0], "eval") != 0)
        return rh_node_show(settings, argc, argv);
    if (argc != 2)
        return rh_usage_error(&rh_command_node, "expected one FILE; '-' is standard input");
    return rh_node_eval(argv[1]);
}

const struct rh_command rh_command_node = {
    .name = "node",
    .arguments = "[PATH [FILE...]]",
    .summary = "show attributes, and where they come from",
    .text = "Prints the attributes that the manifests make, merged with the facts; with a PATH, as in\n"
            "web.port, only the value there ('.' is everything).\n\n"
            "  rhost node explain PATH [FILE...]\n"
            "shows each level, operation and place that touched the value, which won, and what was\n"
            "removed by whom.\n\n"
            "  rhost node eval FILE\n"
            "runs the list of operations in FILE (JSON or YAML; '-' is standard input) on an empty node,\n"
            "and prints as JSON what each returned, or why it was refused, and then each level and what\n"
            "is merged from them. Exit status: 0 when the list could be read, 1 when not.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_YAML | RH_OPT_PROVIDER | RH_OPT_LEVEL,
    .run = run,
};
