/* SPDX-License-Identifier: Apache-2.0 */
/* node - rhost node: attributes, where they came from, and what operations do to them. */
#include "config.h"

#include "cli/command.h"
#include "cli/node-eval.h"

#include <string.h>

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    (void)settings;
    if (argc < 1 || strcmp(argv[0], "eval") != 0)
        return rh_usage_error(&rh_command_node, "it takes eval FILE");
    if (argc != 2)
        return rh_usage_error(&rh_command_node, "eval takes one FILE; '-' is standard input");
    return rh_node_eval(argv[1]);
}

const struct rh_command rh_command_node = {
    .name = "node",
    .arguments = "eval FILE",
    .summary = "run operations on attributes, and show what comes of them",
    .text = "eval runs the list of operations in FILE (JSON or YAML; '-' is standard input) on an empty\n"
            "node, and prints as JSON what each returned, or why it was refused, and then each level\n"
            "and what is merged from them. Exit status: 0 when the list could be read, 1 when not.",
    .options = RH_OPT_COMMON,
    .run = run,
};
