/* SPDX-License-Identifier: Apache-2.0 */
/* rhost module - modules of a site: definitions, templates and recipes that others maintain. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/print-value.h"
#include "cli/refusal.h"
#include "module/module.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_COMMIT = 12 };

/* What one verb does: -1 with the reason. The rest is the same for all. */
struct verb {
    const char *name;
    int least, most; /* arguments; -1: any number */
    int (*run)(struct rh_module_site *site, const struct rh_settings *settings, const char *const *arguments,
               size_t n, struct rh_error *err);
};

static int
add(struct rh_module_site *site, const struct rh_settings *settings, const char *const *arguments, size_t n,
    struct rh_error *err)
{
    (void)settings;
    (void)n;
    return rh_module_add(site, arguments[0], err);
}

static int
update(struct rh_module_site *site, const struct rh_settings *settings, const char *const *arguments,
       size_t n, struct rh_error *err)
{
    (void)settings;
    return rh_module_update(site, arguments, n, err);
}

static int
install(struct rh_module_site *site, const struct rh_settings *settings, const char *const *arguments,
        size_t n, struct rh_error *err)
{
    (void)arguments;
    (void)n;
    return rh_module_install(site, settings->module_force, err);
}

static int
discard(struct rh_module_site *site, const struct rh_settings *settings, const char *const *arguments,
        size_t n, struct rh_error *err)
{
    return rh_module_remove(site, arguments, n, settings->module_force, err);
}

static const struct verb verbs[] = {
    { "add", 1, 1, add },         { "update", 0, -1, update }, { "install", 0, 0, install },
    { "remove", 1, -1, discard }, { "list", 0, 0, NULL },
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static void
print_change(const struct rh_value *v)
{
    const char *change = rh_value_get_str(v, "change", ""), *before = rh_value_get_str(v, "before", NULL),
               *version = rh_value_get_str(v, "version", ""), *by = rh_value_get_str(v, "required_by", NULL);

    (void)printf("%s %s%s%s: %s (commit %.*s%s%s)\n", rh_value_get_str(v, "name", ""), before ? before : "",
                 before && strcmp(before, version) != 0 ? " -> " : "",
                 !before || strcmp(before, version) != 0 ? version : "", change, SHOWN_COMMIT,
                 rh_value_get_str(v, "commit", ""), by ? ", required by " : "", by ? by : "");
}

static void
print_json(const struct rh_settings *settings, const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json_pretty(&text, v, false);
    rh_buf_addc(&text, '\n');
    rh_print_json(settings->format, &text);
}

static int
print_changes(const struct rh_settings *settings, const struct rh_value *changes)
{
    if (settings->format == RH_FORMAT_JSON) {
        print_json(settings, changes);
        return RH_EXIT_OK;
    }
    for (size_t i = 0; i < rh_value_count(changes); i++)
        print_change(rh_value_at(changes, i));
    if (!rh_value_count(changes))
        (void)printf("nothing to do\n");
    return RH_EXIT_OK;
}

/* Its status says whether all are as the lock has them. */
static int
list(struct rh_module_site *site, const struct rh_settings *settings)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *all = NULL;
    int status = RH_EXIT_OK;

    if (rh_module_list(site, &all, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    for (size_t i = 0; i < rh_value_count(all); i++) {
        const struct rh_value *v = rh_value_at(all, i);
        const char *state = rh_value_get_str(v, "state", "");

        if (strcmp(state, "ok") != 0)
            status = RH_EXIT_REFUSED;
        if (settings->format != RH_FORMAT_JSON)
            (void)printf("%-20s %-12s %-10s %.*s  %s\n", rh_value_get_str(v, "name", ""),
                         rh_value_get_str(v, "version", ""), state, SHOWN_COMMIT,
                         rh_value_get_str(v, "commit", ""), rh_value_get_str(v, "source", ""));
    }
    if (settings->format == RH_FORMAT_JSON)
        print_json(settings, all);
    else if (!rh_value_count(all))
        (void)printf("no modules\n");
    return status;
}

static int
work(const struct rh_settings *settings, const struct verb *verb, const char *const *arguments, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_module_site *site = rh_module_site_open(a, settings->module_site, &err);
    int status = RH_EXIT_REFUSED;

    if (!site) {
        rh_refuse_error(NULL, &err);
        return status;
    }
    if (!verb->run)
        status = list(site, settings);
    else if (verb->run(site, settings, arguments, n, &err) < 0)
        rh_refuse_error(NULL, &err);
    else
        status = print_changes(settings, rh_module_site_changes(site));
    rh_module_site_close(site);
    return status;
}

static int
refuse_verb(const char *word)
{
    rh_autofree char *shown = rh_safe_text(word);
    struct rh_suggest near;

    rh_suggest_init(&near, word);
    for (size_t i = 0; i < VERBS; i++)
        rh_suggest_try(&near, verbs[i].name);
    rh_refuse_unknown(near.best, "it has: add, update, install, remove, list",
                      "unknown command 'rhost module %s'", shown);
    return RH_EXIT_REFUSED;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    const struct verb *verb = NULL;

    if (!argc)
        return rh_usage_error(&rh_command_module, "missing command: add, update, install, remove or list");
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(argv[0], verbs[i].name) == 0)
            verb = &verbs[i];
    if (!verb)
        return refuse_verb(argv[0]);
    if (argc - 1 < verb->least)
        return rh_usage_error(&rh_command_module, "missing %s after 'rhost module %s'",
                              strcmp(verb->name, "add") == 0 ? "SOURCE" : "NAME", verb->name);
    if (verb->most >= 0 && argc - 1 > verb->most)
        return rh_usage_error(&rh_command_module, "unexpected argument '%s'", argv[1 + verb->most]);
    return work(settings, verb, (const char *const *)argv + 1, (size_t)argc - 1);
}

const struct rh_command rh_command_module = {
    .name = "module",
    .arguments = "add | update | list | ...",
    .summary = "use definitions that others maintain",
    .text =
        "A module is a directory of definitions, templates and recipes in a repository of git. 'add' "
        "fetches\n"
        "it into modules/NAME of the site, with what it requires, and records its commit and a digest of "
        "its\n"
        "files in modules.lock. A manifest then uses its types, as '- acme::site: example.org', without the\n"
        "network. Files that differ from modules.lock are refused.\n"
        "\n"
        "SOURCE is git+https://..., git+ssh://... or git+file:///..., then '@' and a tag, a branch or a\n"
        "commit, then '#' and the directory in the repository where it is not the top. 'update' fetches the\n"
        "same sources again. 'install' fetches what modules.lock has and modules/ has not. 'list' exits "
        "with\n"
        "1 when the files of a module are missing or different.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_MODULE,
    .run = run,
};
