/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line's words. One table says them all (options.h); getopt_long reads
 * them. */
#include "config.h"

#include "cli/options.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/provider-policy.h"
#include "cli/refusal.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
rh_settings_clear(struct rh_settings *s)
{
    rh_provider_policy_clear(s);
    free(s->pushed);
    free(s->bundled);
    free(s->secret_files.v);
    free(s->force.v);
    free(s->plugin_dirs.v);
    free(s->facts_dirs.v);
    free(s->only.v);
    free(s->tags.v);
    free(s->skip_tags.v);
    free(s->hosts.v);
    free(s->canaries.v);
    free(s->roles.v);
    free(s->attributes.v);
    free(s->attribute_files.v);
    free(s->drop.v);
    free(s->files.v);
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
    rh_refuse_usage(command ? command->name : NULL, NULL, rh_message_code_of(0, fmt, text), text);
    return RH_EXIT_REFUSED;
}

int
rh_usage_unknown(const struct rh_command *command, const char *best, const char *otherwise, const char *fmt,
                 ...)
{
    rh_autofree char *text = NULL, *hint = rh_did_you_mean(best, otherwise);
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_refuse_usage(command ? command->name : NULL, hint, rh_message_code_of(0, fmt, text), text);
    return RH_EXIT_REFUSED;
}

bool
rh_usage_word(const struct rh_command *command, const char *const *words, const char *word)
{
    struct rh_suggest nearest;

    rh_suggest_init(&nearest, word);
    for (; *words; words++) {
        if (strcmp(*words, word) == 0)
            return true;
        rh_suggest_try(&nearest, *words);
    }
    rh_discard(rh_usage_unknown(command, nearest.best, NULL, "unknown command '%s'", word));
    return false;
}

int
rh_usage_error_of(const struct rh_command *command, const struct rh_error *err)
{
    rh_refuse_usage(command ? command->name : NULL, err->hint, rh_error_code(err), err->message);
    return RH_EXIT_REFUSED;
}

/* An option that is known: it was given a value, and takes none. */
static bool
is_known(uint64_t groups, const char *word)
{
    for (int i = 0; i < RH_OPTIONS; i++)
        if (rh_option_table[i].groups & groups && strcmp(rh_option_table[i].name, word) == 0)
            return true;
    return false;
}

static int
refuse_unknown(const struct rh_command *command, uint64_t groups, const char *unknown)
{
    struct rh_suggest s;
    rh_autofree char *word_only = rh_xstrdup(unknown);

    word_only[strcspn(word_only, "=")] = '\0';
    if (strncmp(word_only, "--", 2) == 0 && is_known(groups, word_only + 2)) {
        (void)rh_usage_error(command, "the option '%s' takes no value", word_only);
        return -1;
    }
    rh_suggest_init(&s, word_only + strspn(word_only, "-"));
    for (int i = 0; i < RH_OPTIONS; i++)
        if (rh_option_table[i].groups & groups)
            rh_suggest_try(&s, rh_option_table[i].name);
    if (s.best || strcmp(word_only, "-V") == 0) {
        rh_autofree char *best = rh_printf("--%s", s.best ? s.best : "version");

        (void)rh_usage_unknown(command, best, NULL, "unknown option '%s'", word_only);
    } else if (command == &rh_command_resource && strchr(unknown, '=')) {
        (void)rh_usage_error(command, "unknown option '%s': an attribute is written %s", word_only,
                             unknown + strspn(unknown, "-"));
    } else {
        (void)rh_usage_error(command, "unknown option '%s'", word_only);
    }
    return -1;
}

/* For a command that hands them on. */
static void
note_pushed(struct rh_settings *s, const struct rh_option *option, const char *value)
{
    s->pushed = rh_xgrow(s->pushed, &s->cap_pushed, s->n_pushed, sizeof *s->pushed);
    s->pushed[s->n_pushed++] = (struct rh_pushed_option){ option, value };
}

int
rh_options_read(struct rh_settings *s, const struct rh_command *command, int argc, char **argv, int *first)
{
    uint64_t groups = command ? command->options : RH_OPT_COMMON | RH_OPT_FRONT;
    struct option longs[RH_OPTIONS + 1] = { 0 };
    char letters[2 * RH_OPTIONS + 3]; /* each may have a ':' */
    size_t n_letters = 0, n = 0;
    int c, at = 0;

    /* In front of the command, the first word that is no option ends them. */
    letters[n_letters++] = command ? ':' : '+';
    if (!command)
        letters[n_letters++] = ':';
    for (int i = 0; i < RH_OPTIONS; i++) {
        if (!(rh_option_table[i].groups & groups))
            continue;
        longs[n++] = (struct option){
            .name = rh_option_table[i].name,
            .has_arg = rh_option_table[i].argument ? required_argument : no_argument,
            .val = 256 + i,
        };
        if (rh_option_table[i].letter)
            letters[n_letters++] = rh_option_table[i].letter;
        if (rh_option_table[i].letter && rh_option_table[i].argument)
            letters[n_letters++] = ':';
    }
    letters[n_letters] = '\0';
    opterr = 0;
    optind = 0;
    while ((c = getopt_long(argc, argv, letters, longs, &at)) != -1) {
        const struct rh_option *e = NULL;

        for (int i = 0; i < RH_OPTIONS && !e; i++)
            if (rh_option_table[i].groups & groups
                && (c == 256 + i || (c < 256 && c && c == rh_option_table[i].letter)))
                e = &rh_option_table[i];
        if (c == ':') {
            (void)rh_usage_error(command, "the option '%s' needs a value", argv[optind - 1]);
            return -1;
        }
        if (!e) {
            char letter[] = { '-', (char)optopt, '\0' };

            return refuse_unknown(command, groups, optopt > 0 && optopt < 256 ? letter : argv[optind - 1]);
        }
        if (e->take(e, s, optarg) < 0) {
            (void)rh_usage_error(command, "invalid value '%s' for --%s: expected %s", optarg, e->name,
                                 e->expected);
            return -1;
        }
        if (groups & RH_OPT_PUSHED && e->groups & RH_OPT_PUSHED)
            note_pushed(s, e, optarg);
    }
    *first = optind;
    return 0;
}

void
rh_options_help(FILE *to, uint64_t groups)
{
    for (int i = 0; i < RH_OPTIONS; i++) {
        const struct rh_option *e = &rh_option_table[i];
        rh_autofree char *left = NULL;

        if (!(e->groups & groups))
            continue;
        left =
            rh_printf("%c%c%s --%s%s%s", e->letter ? '-' : ' ', e->letter ? e->letter : ' ',
                      e->letter ? "," : " ", e->name, e->argument ? "=" : "", e->argument ? e->argument : "");
        (void)fprintf(to, "  %-28s %s\n", left, e->help);
    }
}
