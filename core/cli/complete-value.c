/* SPDX-License-Identifier: Apache-2.0 */
/* complete-value - the values of operands and options, by the word that the help has for them. */
#include "config.h"

#include "cli/complete.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "check/check.h"
#include "cli/command.h"
#include "cli/message-text.h"
#include "manifest/attribute/role.h"
#include "node/node.h"

#include <string.h>

static void
offer(void *data, const char *name)
{
    rh_completion_offer(data, name, NULL);
}

static void
complete_codes(struct rh_completion *c)
{
    for (const char *at = rh_message_texts; *at;) {
        const char *wordings = at + strlen(at) + 1, *explanation = wordings + strlen(wordings) + 1;

        rh_completion_offer(c, at, wordings);
        at = explanation + strlen(explanation) + 1;
    }
}

static void
complete_levels(struct rh_completion *c)
{
    for (int i = 0; i < RH_LEVELS; i++)
        rh_completion_offer(c, rh_node_level_name((enum rh_node_level)i), NULL);
    rh_completion_offer_list(c, "merged, combined_default, combined_override");
}

/* Roles and environments are beside the first manifest. */
static void
complete_beside(struct rh_completion *c, enum rh_file_kind kind)
{
    const char *file = c->n_operands ? c->operands[0] : "", *slash = strrchr(file, '/');
    const char *folder = slash ? rh_arena_strndup(c->arena, file, (size_t)(slash + 1 - file)) : "./";

    rh_role_each_name(kind, folder, offer, c);
}

static void
complete_name(struct rh_completion *c, const char *option)
{
    if (strcmp(option, "role") == 0)
        complete_beside(c, RH_FILE_ROLE);
    else if (strcmp(option, "environment") == 0)
        complete_beside(c, RH_FILE_ENVIRONMENT);
    else if (strcmp(option, "level") == 0)
        complete_levels(c);
    else if (strcmp(option, "provider") == 0 && c->n_operands)
        rh_complete_providers(c, c->operands[0]);
    else if (strcmp(option, "canary") == 0)
        rh_complete_selection(c);
    else if (strcmp(option, "target") == 0 && c->settings->targets)
        rh_complete_targets(c, c->settings->targets);
}

/* "ensure=" or, where the attribute is there, its value. */
static void
complete_attribute(struct rh_completion *c)
{
    if (c->n_operands)
        rh_complete_attributes(c, c->operands[0]);
}

static void
complete_title(struct rh_completion *c)
{
    if (c->n_operands)
        rh_complete_titles(c, c->operands[0]);
}

static void
complete_reference(struct rh_completion *c, const char *option)
{
    if (option && strcmp(option, "drop") == 0)
        rh_complete_pending(c);
    else
        rh_complete_resources(c);
}

/* Types that do not exist yet, and data types, have no names that could be offered. */
static bool
has_types(const struct rh_completion *c)
{
    return c->command != &rh_command_new && c->command != &rh_command_data_type;
}

void
rh_complete_value(struct rh_completion *c, const char *what, const char *option)
{
    if (strcmp(what, "FILE") == 0 || strcmp(what, "PLUGIN") == 0 || (strcmp(what, "TARGETS") == 0 && !option)
        || strcmp(what, "PLAN") == 0)
        c->files = true;
    else if (strcmp(what, "DIR") == 0)
        c->directories = true;
    else if (strcmp(what, "RUN") == 0)
        rh_complete_runs(c);
    else if (strcmp(what, "REF") == 0)
        complete_reference(c, option);
    else if (strcmp(what, "CODE") == 0)
        complete_codes(c);
    else if (strcmp(what, "TYPE") == 0 && has_types(c))
        rh_complete_types(c);
    else if (strcmp(what, "TITLE") == 0)
        complete_title(c);
    else if (strcmp(what, "ATTR=VALUE") == 0)
        complete_attribute(c);
    else if (strcmp(what, "TAGS") == 0)
        rh_complete_tags(c);
    else if (strcmp(what, "CHECK") == 0)
        rh_check_each_name(offer, c);
    else if (strcmp(what, "SETTING") == 0)
        rh_complete_paths(c, "=");
    else if (strcmp(what, "PATH") == 0 && c->command == &rh_command_facts)
        rh_complete_facts(c);
    else if (strcmp(what, "PATH") == 0)
        rh_complete_paths(c, "");
    else if (strcmp(what, "TARGET") == 0 && c->n_operands)
        rh_complete_targets(c, c->operands[0]);
    else if (option)
        complete_name(c, option);
}
