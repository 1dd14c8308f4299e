/* SPDX-License-Identifier: Apache-2.0 */
/* main - picks a subcommand. */
#include "config.h"

#include "base/alloc.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/standard.h"
#include "base/start.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/manual-text.h"
#include "cli/provider-policy.h"
#include "cli/refusal.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rh_command *const rh_commands[] = {
    &rh_command_apply,    &rh_command_plan,    &rh_command_undo,      &rh_command_validate,
    &rh_command_compile,  &rh_command_graph,   &rh_command_resource,  &rh_command_capture,
    &rh_command_device,   &rh_command_push,    &rh_command_receive,   &rh_command_types,
    &rh_command_describe, &rh_command_schema,  &rh_command_data_type, &rh_command_runs,
    &rh_command_show,     &rh_command_history, &rh_command_pending,   &rh_command_confirm,
    &rh_command_facts,    &rh_command_node,    &rh_command_new,       &rh_command_check,
    &rh_command_kit,      &rh_command_bundle,  &rh_command_agent,     &rh_command_collect,
    &rh_command_fleet,    &rh_command_why,     &rh_command_explain,   &rh_command_examples,
    &rh_command_init,     &rh_command_module,  &rh_command_complete,  NULL,
};

static void
print_help(FILE *to)
{
    (void)fputs("Usage: rhost [OPTION...] COMMAND ...\n"
                "Brings a machine to the state that a manifest describes.\n\nCommands:\n",
                to);
    for (size_t i = 0; rh_commands[i]; i++)
        if (!rh_commands[i]->inner)
            (void)fprintf(to, "  %-10s %-28s %s\n", rh_commands[i]->name, rh_commands[i]->arguments,
                          rh_commands[i]->summary);
    (void)fputs("\nOptions that every command takes:\n", to);
    rh_options_help(to, RH_OPT_COMMON);
    (void)fputs("\nInstead of a command:\n", to);
    rh_options_help(to, RH_OPT_FRONT);
    (void)fputs("\nTopics, for 'rhost help TOPIC':\n", to);
    rh_topic_list(to);
    (void)fputs("\nRun 'rhost COMMAND --help' for details.\n", to);
}

static void
print_command_help(const struct rh_command *c)
{
    char first = c->summary[0];

    (void)printf("Usage: rhost %s [OPTION...]%s%s\n%c%s.\n%s\n\nOptions:\n", c->name,
                 *c->arguments ? " " : "", c->arguments,
                 first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first, c->summary + 1, c->text);
    rh_options_help(stdout, c->options);
}

/* What it is called elsewhere. */
static const struct {
    const char *word, *meant;
} others[] = {
    { "converge", "apply" }, { "list", "types" }, { "facter", "facts" },      { "ohai", "facts" },
    { "lint", "validate" },  { "run", "apply" },  { "version", "--version" },
};

static const struct rh_command *
find_command(const char *name)
{
    struct rh_suggest s;

    rh_suggest_init(&s, name);
    for (size_t i = 0; rh_commands[i]; i++) {
        if (strcmp(rh_commands[i]->name, name) == 0)
            return rh_commands[i];
        rh_suggest_try(&s, rh_commands[i]->name);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i].word) == 0) {
            (void)rh_usage_unknown(NULL, others[i].meant, NULL, "unknown command '%s'", name);
            return NULL;
        }
    (void)rh_usage_unknown(NULL, s.best, NULL, "unknown command '%s'", name);
    return NULL;
}

/* 'rhost help WORD': a command or a topic. */
static int
help(const char *word)
{
    struct rh_suggest s;

    rh_suggest_init(&s, word);
    for (size_t i = 0; rh_commands[i]; i++) {
        if (strcmp(rh_commands[i]->name, word) == 0) {
            print_command_help(rh_commands[i]);
            return RH_EXIT_OK;
        }
        rh_suggest_try(&s, rh_commands[i]->name);
    }
    if (rh_topic_print(word, &s))
        return RH_EXIT_OK;
    return rh_usage_unknown(NULL, s.best, "'rhost describe TYPE' shows a resource type",
                            "unknown command or topic '%s'", word);
}

/* What stands after "--" is a command line of its own; returns how many words are left. */
static int
cut_command(struct rh_settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            s->command = argv + i + 1;
            s->n_command = (size_t)(argc - i - 1);
            return i;
        }
    return argc;
}

static void
set_level(const struct rh_settings *s)
{
    rh_log_set_level(s->verbose >= 2   ? RH_DEBUG
                     : s->verbose == 1 ? RH_INFO
                     : s->quiet        ? RH_WARNING
                                       : RH_NOTICE);
}

/* The start script of a kit says where the kit is. */
static int
use_kit(const struct rh_settings *s)
{
    if (!s->from_kit != !s->kit_loader) {
        (void)rh_usage_error(NULL, "--from-kit and --kit-loader belong together");
        return -1;
    }
    if (!s->from_kit)
        return 0;
    if (!rh_installation_is_kit_path(s->from_kit)) {
        (void)rh_usage_error(
            NULL,
            "cannot use the kit in '%s': its path must be absolute, without blanks and without ':', "
            "';' and '$'",
            s->from_kit);
        return -1;
    }
    rh_installation_use_kit(s->from_kit, s->kit_loader, "rhost");
    return 0;
}

static int
run(struct rh_settings *s, int argc, char **argv)
{
    const struct rh_command *command;
    int first, status;

    if (rh_options_read(s, NULL, argc, argv, &first) < 0)
        return RH_EXIT_REFUSED;
    argc -= first;
    argv += first;
    if (use_kit(s) < 0)
        return RH_EXIT_REFUSED;
    if (s->version) {
        (void)puts("rhost " PACKAGE_VERSION);
        return RH_EXIT_OK;
    }
    if (s->help || (argc > 0 && strcmp(argv[0], "help") == 0 && argc == 1)) {
        print_help(stdout);
        return RH_EXIT_OK;
    }
    if (argc > 1 && strcmp(argv[0], "help") == 0)
        return help(argv[1]);
    if (argc < 1) {
        print_help(stderr);
        return RH_EXIT_REFUSED;
    }
    command = find_command(argv[0]);
    if (command && command->takes_command)
        argc = cut_command(s, argc, argv);
    if (!command || rh_options_read(s, command, argc, argv, &first) < 0)
        return RH_EXIT_REFUSED;
    if (s->help) {
        print_command_help(command);
        return RH_EXIT_OK;
    }
    set_level(s);
    rh_refused_watch(s);
    if (command->options & (RH_OPT_PROVIDER | RH_OPT_POLICY)
        && rh_provider_policy_read(s, command == &rh_command_undo) < 0) {
        rh_refused_end(s, command->options & RH_OPT_RUN);
        return RH_EXIT_REFUSED;
    }
    for (int i = first; i < argc; i++)
        rh_refused_source(argv[i]);
    status = command->run(s, argc - first, argv + first);
    rh_refused_end(s, status == RH_EXIT_REFUSED && command->options & RH_OPT_RUN);
    return status;
}

/* The exit status, now that all output is written, or is known to be lost. */
static int
end_output(int status)
{
    if (rh_standard_close() == 0)
        return status;
    if (errno != EPIPE) /* whoever reads has seen enough, as "head" has */
        rh_log(RH_ERR, "cannot write to standard output%s%s", errno ? ": " : "",
               errno ? strerror(errno) : "");
    return status == RH_EXIT_OK || status == RH_EXIT_CHANGED ? status | RH_EXIT_FAILED : status;
}

int
main(int argc, char **argv)
{
    struct rh_settings settings = { .colour = -1 };
    int status;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return RH_EXIT_REFUSED;
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    rh_signs_read_locale();
    (void)signal(SIGPIPE, SIG_IGN);
    rh_refusal_start(argc, argv);
    status = run(&settings, argc, argv);
    rh_refusals_end();
    rh_settings_clear(&settings);
    return end_output(status);
}
