/* SPDX-License-Identifier: Apache-2.0 */
/* command - a subcommand: one file each, one entry in the table of main.c. */
#ifndef RH_CLI_COMMAND_H
#define RH_CLI_COMMAND_H

#include "cli/options.h"

struct rh_command {
    const char *name;
    const char *arguments;                                    /* "FILE..." */
    const char *summary;                                      /* one line, for the list of commands */
    const char *text;                                         /* the rest of its help */
    uint64_t options;                                         /* enum rh_option_group bits that it takes */
    int (*run)(struct rh_settings *s, int argc, char **argv); /* operands only; the exit status */
    bool inner;         /* another command of rhost starts it: it is not listed */
    bool takes_command; /* what stands after "--" is a command line of its own: settings->command */
};

/* Exit statuses, for all commands. */
enum { RH_EXIT_OK = 0, RH_EXIT_REFUSED = 1, RH_EXIT_CHANGED = 2, RH_EXIT_FAILED = 4 };

extern const struct rh_command rh_command_apply, rh_command_validate, rh_command_compile, rh_command_graph,
    rh_command_resource, rh_command_types, rh_command_describe, rh_command_schema, rh_command_data_type,
    rh_command_device, rh_command_runs, rh_command_show, rh_command_history, rh_command_pending,
    rh_command_facts, rh_command_node, rh_command_new, rh_command_check, rh_command_explain, rh_command_why,
    rh_command_capture, rh_command_complete, rh_command_plan, rh_command_undo, rh_command_confirm,
    rh_command_kit, rh_command_collect, rh_command_fleet, rh_command_push, rh_command_receive,
    rh_command_bundle, rh_command_agent, rh_command_examples, rh_command_init, rh_command_module;

/* NULL-terminated. */
extern const struct rh_command *const rh_commands[];

#endif
