/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line's words. One table says them all; getopt_long reads them. */
#include "config.h"

#include "cli/options.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/select.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct option_entry {
    const char *name, *argument, *help;
    const char *expected; /* of the argument; NULL when anything goes */
    unsigned groups;
    char letter;
    int (*take)(struct rh_settings *s, const char *value); /* -1: the value is no good */
};

static int
take_plugin_dir(struct rh_settings *s, const char *value)
{
    s->plugin_dirs =
        rh_xgrow(s->plugin_dirs, &s->cap_plugin_dirs, s->n_plugin_dirs, sizeof *s->plugin_dirs);
    s->plugin_dirs[s->n_plugin_dirs++] = value;
    return 0;
}

static int
take_facts_dir(struct rh_settings *s, const char *value)
{
    s->facts_dirs =
        rh_xgrow(s->facts_dirs, &s->cap_facts_dirs, s->n_facts_dirs, sizeof *s->facts_dirs);
    s->facts_dirs[s->n_facts_dirs++] = value;
    return *value ? 0 : -1;
}

static int
take_state_dir(struct rh_settings *s, const char *value)
{
    s->state_dir = value;
    return *value ? 0 : -1;
}

static int
take_verbose(struct rh_settings *s, const char *value)
{
    (void)value;
    s->verbose++;
    return 0;
}

static int
take_debug(struct rh_settings *s, const char *value)
{
    (void)value;
    s->verbose = 2;
    return 0;
}

static int
take_quiet(struct rh_settings *s, const char *value)
{
    (void)value;
    s->quiet = true;
    return 0;
}

static int
take_help(struct rh_settings *s, const char *value)
{
    (void)value;
    s->help = true;
    return 0;
}

static int
take_version(struct rh_settings *s, const char *value)
{
    (void)value;
    s->version = true;
    return 0;
}

static int
take_noop(struct rh_settings *s, const char *value)
{
    (void)value;
    s->noop = true;
    return 0;
}

static int
take_diff(struct rh_settings *s, const char *value)
{
    (void)value;
    s->diff = true;
    return 0;
}

static int
take_detailed(struct rh_settings *s, const char *value)
{
    (void)value;
    s->detailed = true;
    return 0;
}

static int
take_only(struct rh_settings *s, const char *value)
{
    s->only = rh_xgrow(s->only, &s->cap_only, s->n_only, sizeof *s->only);
    s->only[s->n_only++] = value;
    return 0;
}

static int
take_tags(struct rh_settings *s, const char *value)
{
    s->tags = rh_xgrow(s->tags, &s->cap_tags, s->n_tags, sizeof *s->tags);
    s->tags[s->n_tags++] = value;
    return rh_is_tag_list(value) ? 0 : -1;
}

static int
take_skip_tags(struct rh_settings *s, const char *value)
{
    s->skip_tags = rh_xgrow(s->skip_tags, &s->cap_skip_tags, s->n_skip_tags, sizeof *s->skip_tags);
    s->skip_tags[s->n_skip_tags++] = value;
    return rh_is_tag_list(value) ? 0 : -1;
}

static int
take_drop(struct rh_settings *s, const char *value)
{
    s->drop = rh_xgrow(s->drop, &s->cap_drop, s->n_drop, sizeof *s->drop);
    s->drop[s->n_drop++] = value;
    return 0;
}

static int
take_drop_all(struct rh_settings *s, const char *value)
{
    (void)value;
    s->drop_all = true;
    return 0;
}

static int
take_report(struct rh_settings *s, const char *value)
{
    s->report = value;
    return *value ? 0 : -1;
}

static int
take_aliases(struct rh_settings *s, const char *value)
{
    s->aliases = value;
    return *value ? 0 : -1;
}

static int
take_provider(struct rh_settings *s, const char *value)
{
    s->provider = value;
    return *value ? 0 : -1;
}

static int
take_batch(struct rh_settings *s, const char *value)
{
    (void)value;
    s->batch = true;
    return 0;
}

static int
take_suits(struct rh_settings *s, const char *value)
{
    (void)value;
    s->suits = true;
    return 0;
}

static int
take_text(struct rh_settings *s, const char *value)
{
    s->text = value;
    return 0;
}

/* One of some words, by its number; -1 when it is none of them. */
static int
word(const char *value, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(value, words[i]) == 0)
            return i;
    return -1;
}

static int
take_duplicates(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "refuse", "clone", NULL });

    s->clone = i == 1;
    return i < 0 ? -1 : 0;
}

static int
take_outside(struct rh_settings *s, const char *value)
{
    (void)value;
    s->outside = true;
    return 0;
}

static int
take_level(struct rh_settings *s, const char *value)
{
    s->level = value;
    return *value ? 0 : -1;
}

static int
take_environment(struct rh_settings *s, const char *value)
{
    s->environment = value;
    return *value ? 0 : -1;
}

static int
take_role(struct rh_settings *s, const char *value)
{
    s->roles = rh_xgrow(s->roles, &s->cap_roles, s->n_roles, sizeof *s->roles);
    s->roles[s->n_roles++] = value;
    return *value ? 0 : -1;
}

static int
take_attribute(struct rh_settings *s, const char *value)
{
    s->attributes = rh_xgrow(s->attributes, &s->cap_attributes, s->n_attributes, sizeof *s->attributes);
    s->attributes[s->n_attributes++] = value;
    return 0;
}

static int
take_attribute_file(struct rh_settings *s, const char *value)
{
    s->attribute_files = rh_xgrow(s->attribute_files, &s->cap_attribute_files, s->n_attribute_files,
                                  sizeof *s->attribute_files);
    s->attribute_files[s->n_attribute_files++] = value;
    return *value ? 0 : -1;
}

static int
take_strict(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "error", "warning", "off", NULL });

    s->strict = (enum rh_strict)i;
    return i < 0 ? -1 : 0;
}

static int
take_isolation(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "worker", "none", NULL });

    s->isolation = (enum rh_isolation)i;
    return i < 0 ? -1 : 0;
}

static int
take_format(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", NULL });

    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

static int
take_yaml_format(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "text", "json", "yaml", NULL });

    s->format = (enum rh_format)i;
    return i < 0 ? -1 : 0;
}

static int
take_style(struct rh_settings *s, const char *value)
{
    s->style = value;
    return word(value, (const char *const[]){ "load", "get-set", "simple", "converge", NULL }) < 0 ? -1 : 0;
}

static int
take_build(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "make", "meson", NULL });

    s->meson = i == 1;
    return i < 0 ? -1 : 0;
}

static int
take_templates(struct rh_settings *s, const char *value)
{
    s->templates = value;
    return *value ? 0 : -1;
}

static int
take_page_format(struct rh_settings *s, const char *value)
{
    static const enum rh_format formats[] = { RH_FORMAT_TEXT, RH_FORMAT_JSON, RH_FORMAT_MARKDOWN,
                                              RH_FORMAT_MAN };
    int i = word(value, (const char *const[]){ "text", "json", "markdown", "man", NULL });

    if (i >= 0)
        s->format = formats[i];
    return i < 0 ? -1 : 0;
}

static int
take_colour(struct rh_settings *s, const char *value)
{
    int i = word(value, (const char *const[]){ "never", "always", "auto", NULL });

    s->colour = i == 2 ? -1 : i;
    return i < 0 ? -1 : 0;
}

static int
take_number(const char *value, unsigned least, unsigned *to)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(value, &end, 10);
    if (errno || *end || end == value || n < (long)least || n > INT_MAX / 1000)
        return -1;
    *to = (unsigned)n;
    return 0;
}

static int
take_wait_lock(struct rh_settings *s, const char *value)
{
    return take_number(value, 0, &s->wait_lock);
}

static int
take_time_limit(struct rh_settings *s, const char *value)
{
    return take_number(value, 1, &s->time_limit);
}

static int
take_count(struct rh_settings *s, const char *value)
{
    return take_number(value, 1, &s->count);
}

static int
take_fixture(struct rh_settings *s, const char *value)
{
    s->fixture = value;
    return *value ? 0 : -1;
}

static int
take_seed(struct rh_settings *s, const char *value)
{
    char *end;

    errno = 0;
    s->seed = strtoull(value, &end, 10);
    return errno || *end || *value < '0' || *value > '9' || !s->seed ? -1 : 0;
}

static const struct option_entry entries[] = {
    { "noop", NULL, "show what would change, and change nothing", NULL, RH_OPT_RUN | RH_OPT_NOOP, 'n',
      take_noop },
    { "diff", NULL, "show how texts change, line by line", NULL,
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_DIFF, 0, take_diff },
    { "count", "COUNT", "only the last so many", "a whole number, 1 or more", RH_OPT_COUNT, 'n',
      take_count },
    { "drop", "REF", "drop what is owed to this resource, type[title]; repeatable", NULL,
      RH_OPT_DROP, 0, take_drop },
    { "drop-all", NULL, "drop all that is owed", NULL, RH_OPT_DROP, 0, take_drop_all },
    { "duplicates", "MODE",
      "refuse what is declared twice (default), or clone the first",
      "refuse or clone", RH_OPT_MANIFEST, 0, take_duplicates },
    { "level", "NAME", "only what this level has, or combined_default, combined_override",
      "the name of a level", RH_OPT_LEVEL, 0, take_level },
    { "environment", "NAME", "this environment, whatever the manifests say", "the name of an environment",
      RH_OPT_MANIFEST, 0, take_environment },
    { "role", "NAME", "this role besides those of the manifests; repeatable",
      "the name of a role", RH_OPT_MANIFEST, 0, take_role },
    { "attribute", "SETTING", "set an attribute: web.port=80, default.web.port=80; repeatable", NULL,
      RH_OPT_MANIFEST, 0, take_attribute },
    { "attributes", "FILE", "attributes by level, or operations on them; repeatable",
      "the name of a file", RH_OPT_MANIFEST, 0, take_attribute_file },
    { "allow-outside", NULL, "manifests may name files that are not below their own folder", NULL,
      RH_OPT_MANIFEST, 0, take_outside },
    { "only", "REF", "only this resource, type[title]; may be given several times", NULL,
      RH_OPT_LIST, 0, take_only },
    { "tags", "TAGS", "only what has one of these, as in a,b; may be given several times",
      "tags with commas between", RH_OPT_LIST, 0, take_tags },
    { "skip-tags", "TAGS", "nothing that has one of these; may be given several times",
      "tags with commas between", RH_OPT_LIST, 0, take_skip_tags },
    { "fixture", "FILE", "states to try the provider with", "the name of a file", RH_OPT_CHECK, 0,
      take_fixture },
    { "only", "CHECK", "only this check, or group of checks; repeatable", NULL, RH_OPT_CHECK, 0,
      take_only },
    { "seed", "NUMBER", "what random input is made of; the last run said its own",
      "a whole number, 1 or more", RH_OPT_CHECK, 0, take_seed },
    { "report", "FILE", "write a report of the run, as JSON", "the name of a file", RH_OPT_RUN, 0,
      take_report },
    { "detailed-exitcodes", NULL, "exit with 2 when something changed, 6 when also something failed",
      NULL, RH_OPT_RUN, 0, take_detailed },
    { "wait-lock", "SECONDS", "wait so long for another run to end (0)", "a whole number of seconds",
      RH_OPT_RUN | RH_OPT_NOOP | RH_OPT_LOCK, 0, take_wait_lock },
    { "format", "FORMAT", "text or json", "text or json", RH_OPT_FORMAT, 0, take_format },
    { "format", "FORMAT", "text, json or yaml", "text, json or yaml", RH_OPT_YAML, 0,
      take_yaml_format },
    { "format", "FORMAT", "text, json, markdown or man", "text, json, markdown or man", RH_OPT_PAGE, 0,
      take_page_format },
    { "style", "STYLE", "load (default), get-set, simple or converge: its callbacks",
      "load, get-set, simple or converge", RH_OPT_NEW, 0, take_style },
    { "build", "TOOL", "make (default) or meson", "make or meson", RH_OPT_NEW, 0, take_build },
    { "templates", "DIR", "take the files from here", "the name of a directory", RH_OPT_NEW, 0,
      take_templates },
    { "aliases", "FILE", "data types with names of their own, as beside a plugin",
      "the name of a file", RH_OPT_DATA_TYPE, 0, take_aliases },
    { "batch", NULL, "answer lines of JSON from standard input, a line each", NULL, RH_OPT_DATA_TYPE,
      0, take_batch },
    { "text", "VALUE", "a value as text, to be read by the type", NULL, RH_OPT_DATA_TYPE, 0,
      take_text },
    { "provider", "NAME", "this provider of the type, where it has several", "the name of a provider",
      RH_OPT_WHICH, 0, take_provider },
    { "suits", NULL, "ask the providers how well they suit this machine", NULL, RH_OPT_SUITS, 0,
      take_suits },
    { "strict", "MODE", "error, warning or off: when a provider breaks its own rules (error)",
      "error, warning or off", RH_OPT_PROVIDER, 0, take_strict },
    { "isolation", "MODE", "worker or none: where providers run (worker)", "worker or none",
      RH_OPT_PROVIDER, 0, take_isolation },
    { "time-limit", "SECONDS", "end a provider that gives no sign of life for so long (600)",
      "a whole number of seconds, 1 or more", RH_OPT_PROVIDER, 0, take_time_limit },
    { "time-limit", "SECONDS", "for each check (20)", "a whole number of seconds, 1 or more",
      RH_OPT_CHECK, 0, take_time_limit },
    { "facts-dir", "DIR", "facts of one's own are here as well; may be given several times",
      "the name of a directory", RH_OPT_FACTS | RH_OPT_MANIFEST, 0, take_facts_dir },
    { "plugin-dir", "DIR", "look here for plugins first; may be given several times", NULL,
      RH_OPT_COMMON, 0, take_plugin_dir },
    { "state-dir", "DIR", "where the lock, journals, debts and descriptions are kept",
      "the name of a directory", RH_OPT_COMMON, 0, take_state_dir },
    { "color", "WHEN", "always, never or auto", "always, never or auto", RH_OPT_COMMON, 0,
      take_colour },
    { "verbose", NULL, "say more; twice: everything", NULL, RH_OPT_COMMON, 'v', take_verbose },
    { "debug", NULL, "say everything", NULL, RH_OPT_COMMON, 0, take_debug },
    { "quiet", NULL, "say nothing but what failed", NULL, RH_OPT_COMMON, 'q', take_quiet },
    { "help", NULL, "show this", NULL, RH_OPT_COMMON, 'h', take_help },
    { "version", NULL, "show the version", NULL, RH_OPT_FRONT, 0, take_version },
};

enum { N_ENTRIES = sizeof entries / sizeof entries[0] };

void
rh_settings_clear(struct rh_settings *s)
{
    free(s->plugin_dirs);
    free(s->facts_dirs);
    free(s->only);
    free(s->tags);
    free(s->skip_tags);
    free(s->roles);
    free(s->attributes);
    free(s->attribute_files);
    free(s->drop);
    *s = (struct rh_settings){ 0 };
}

int
rh_usage_error(const struct rh_command *command, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_refuse_usage(command ? command->name : NULL, text);
    return RH_EXIT_REFUSED;
}

/* An option that is known: it was given a value, and takes none. */
static bool
is_known(unsigned groups, const char *word)
{
    for (int i = 0; i < N_ENTRIES; i++)
        if (entries[i].groups & groups && strcmp(entries[i].name, word) == 0)
            return true;
    return false;
}

static int
refuse_unknown(const struct rh_command *command, unsigned groups, const char *given)
{
    struct rh_suggest s;
    rh_autofree char *word_only = rh_xstrdup(given);

    word_only[strcspn(word_only, "=")] = '\0';
    if (strncmp(word_only, "--", 2) == 0 && is_known(groups, word_only + 2)) {
        (void)rh_usage_error(command, "the option '%s' takes no value", word_only);
        return -1;
    }
    rh_suggest_init(&s, word_only + strspn(word_only, "-"));
    for (int i = 0; i < N_ENTRIES; i++)
        if (entries[i].groups & groups)
            rh_suggest_try(&s, entries[i].name);
    if (s.best)
        (void)rh_usage_error(command, "unknown option '%s': did you mean '--%s'?", word_only, s.best);
    else if (command == &rh_command_resource && strchr(given, '='))
        (void)rh_usage_error(command, "unknown option '%s': an attribute is written %s", word_only,
                             given + strspn(given, "-"));
    else if (strcmp(word_only, "-V") == 0)
        (void)rh_usage_error(command, "unknown option '-V': did you mean '--version'?");
    else
        (void)rh_usage_error(command, "unknown option '%s'", word_only);
    return -1;
}

int
rh_options_read(struct rh_settings *s, const struct rh_command *command, int argc, char **argv,
                int *first)
{
    unsigned groups = command ? command->options : RH_OPT_COMMON | RH_OPT_FRONT;
    struct option longs[N_ENTRIES + 1] = { 0 };
    char letters[2 * N_ENTRIES + 3]; /* each may have a ':' */
    size_t n_letters = 0, n = 0;
    int c, at = 0;

    /* In front of the command, the first word that is no option ends them. */
    letters[n_letters++] = command ? ':' : '+';
    if (!command)
        letters[n_letters++] = ':';
    for (int i = 0; i < N_ENTRIES; i++) {
        if (!(entries[i].groups & groups))
            continue;
        longs[n++] = (struct option){
            .name = entries[i].name,
            .has_arg = entries[i].argument ? required_argument : no_argument,
            .val = 256 + i,
        };
        if (entries[i].letter)
            letters[n_letters++] = entries[i].letter;
        if (entries[i].letter && entries[i].argument)
            letters[n_letters++] = ':';
    }
    letters[n_letters] = '\0';
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, letters, longs, &at)) != -1) {
        const struct option_entry *e = NULL;

        for (int i = 0; i < N_ENTRIES && !e; i++)
            if (entries[i].groups & groups && (c == 256 + i || (c < 256 && c && c == entries[i].letter)))
                e = &entries[i];
        if (c == ':') {
            (void)rh_usage_error(command, "the option '%s' needs a value", argv[optind - 1]);
            return -1;
        }
        if (!e) {
            char letter[] = { '-', (char)optopt, '\0' };

            return refuse_unknown(command, groups,
                                  optopt > 0 && optopt < 256 ? letter : argv[optind - 1]);
        }
        if (e->take(s, optarg) < 0) {
            (void)rh_usage_error(command, "'%s' is no value for --%s: expected %s", optarg, e->name,
                                 e->expected);
            return -1;
        }
    }
    *first = optind;
    return 0;
}

void
rh_options_help(FILE *to, unsigned groups)
{
    for (int i = 0; i < N_ENTRIES; i++) {
        const struct option_entry *e = &entries[i];
        rh_autofree char *left = NULL;

        if (!(e->groups & groups))
            continue;
        left = rh_printf("%c%c%s --%s%s%s", e->letter ? '-' : ' ', e->letter ? e->letter : ' ',
                         e->letter ? "," : " ", e->name, e->argument ? "=" : "",
                         e->argument ? e->argument : "");
        (void)fprintf(to, "  %-28s %s\n", left, e->help);
    }
}
