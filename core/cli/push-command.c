/* SPDX-License-Identifier: Apache-2.0 */
/* push-command - what a push runs on its targets. */
#include "config.h"

#include "cli/push-command.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/options.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT ".push-report.json"

/* The commands that can be run on targets. */
static const struct allowed {
    const char *name;
    bool files;      /* its operands can be manifests */
    bool reports;    /* --report, --report-detail and --events */
    bool changes;    /* it may change the target */
    bool attributes; /* --attributes */
} commands[] = {
    { "apply", true, true, true, true },       { "undo", false, true, true, false },
    { "resource", false, false, true, false }, { "confirm", false, false, true, false },
    { "validate", true, false, false, true },  { "node", true, false, false, true },
    { "why", true, false, false, true },       { "facts", false, false, false, false },
    { "runs", false, false, false, false },    { "show", false, false, false, false },
    { "history", false, false, false, false }, { "pending", false, false, true, false },
    { "types", false, false, false, false },   { "describe", false, false, false, false },
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

bool
rh_push_is_file(const char *word)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json", ".lua" };
    size_t n = strlen(word);

    if (rh_endpoint_is_uri(word) || strchr(word, '='))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (n > strlen(endings[i]) && strcmp(word + n - strlen(endings[i]), endings[i]) == 0)
            return true;
    return strchr(word, '/') != NULL;
}

static void
add(struct rh_push_command *c, struct rh_arena *a, const char *word)
{
    const char **more = rh_arena_alloc(a, (c->n + 2) * sizeof *more);

    if (c->n)
        memcpy(more, c->words, c->n * sizeof *more);
    more[c->n++] = rh_arena_strdup(a, word);
    c->words = more;
}

/* A file of attributes is sent under a name of its own. */
static int
add_attributes(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site, const char *path,
               struct rh_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = rh_arena_printf(a, "attributes/%zu/%s", c->n, slash ? slash + 1 : path);

    if (rh_site_add_file(site, path, name, err) < 0)
        return -1;
    add(c, a, rh_arena_printf(a, "--attributes=%s", name));
    return 0;
}

/* Options of the push that are those of the command. */
static int
hand_on(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site, const struct rh_settings *s,
        struct rh_error *err)
{
    for (size_t i = 0; i < s->n_given; i++) {
        const struct rh_given *g = &s->given[i];

        if (strcmp(g->option->name, "attributes") == 0) {
            if (add_attributes(c, a, site, g->value, err) < 0)
                return -1;
        } else if (g->value) {
            add(c, a, rh_arena_printf(a, "--%s=%s", g->option->name, g->value));
        } else {
            add(c, a, rh_arena_printf(a, "--%s", g->option->name));
        }
    }
    for (int i = 0; i < s->verbose; i++)
        add(c, a, "--verbose");
    if (s->quiet)
        add(c, a, "--quiet");
    return 0;
}

/* Files of --secret, beside the last manifest (NULL: there is none). They come before all manifests, so that
 * one replaces a file of the site with its name. */
static int
add_secrets(struct rh_arena *a, struct rh_site *site, const struct rh_settings *s, const char *manifest,
            struct rh_error *err)
{
    for (size_t i = 0; i < s->secret_files.n; i++) {
        const char *word = s->secret_files.v[i], *equals = strchr(word, '=');

        if (rh_site_add_secret(site, manifest, rh_arena_strndup(a, word, (size_t)(equals - word)), equals + 1,
                               err)
            < 0)
            return rh_error_prefix(err, "--secret");
    }
    return 0;
}

static void
begin(struct rh_push_command *c, struct rh_arena *a, const struct allowed *command,
      const struct rh_settings *s)
{
    bool detailed = false;
    bool colour = s->colour >= 0 ? s->colour : isatty(STDOUT_FILENO) && s->format == RH_FORMAT_TEXT;

    add(c, a, command->name);
    add(c, a, colour ? "--color=always" : "--color=never");
    if (command->reports) {
        c->report = REPORT;
        add(c, a, "--report=" REPORT);
        add(c, a, "--events=fd:3");
        for (size_t i = 0; i < s->n_given; i++)
            detailed |= strcmp(s->given[i].option->name, "report-detail") == 0;
        for (size_t i = 1; i < s->n_command; i++)
            detailed |= strncmp(s->command[i], "--report-detail", strlen("--report-detail")) == 0;
        if (!detailed) /* what is in sync is only counted: it would be most of the bytes */
            add(c, a, "--report-detail=changes");
    }
    c->changes = command->changes;
    c->attributes = command->attributes;
}

int
rh_push_command_apply(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site,
                      const struct rh_settings *s, char *const *files, size_t n, struct rh_error *err)
{
    begin(c, a, &commands[0], s);
    if (hand_on(c, a, site, s, err) < 0 || add_secrets(a, site, s, n ? files[n - 1] : NULL, err) < 0)
        return -1;
    add(c, a, "--");
    for (size_t i = 0; i < n; i++) {
        rh_autofree char *there = rh_site_add_manifest(site, files[i], err);

        if (!there)
            return -1;
        add(c, a, there);
    }
    return 0;
}

void
rh_push_each_command(void (*take)(void *data, const char *name, const char *summary), void *data)
{
    for (size_t i = 0; rh_commands[i]; i++)
        for (size_t k = 0; k < N_COMMANDS; k++)
            if (strcmp(rh_commands[i]->name, commands[k].name) == 0)
                take(data, commands[k].name, rh_commands[i]->summary);
}

static const struct allowed *
find_command(const char *name, struct rh_error *err)
{
    struct rh_suggest near;

    rh_suggest_init(&near, name);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        rh_suggest_try(&near, commands[i].name);
    }
    for (size_t i = 0; rh_commands[i]; i++)
        if (strcmp(rh_commands[i]->name, name) == 0) {
            (void)rh_error_set(err, RH_EINPUT, "'%s' cannot be run on targets", name);
            return NULL;
        }
    (void)rh_error_set(err, RH_EINPUT, "unknown command '%s' after '--'", name);
    (void)rh_error_suggest(err, near.best, NULL);
    return NULL;
}

static bool
is_manifest(const struct allowed *command, const char *word)
{
    struct stat st;

    return command->files && *word != '-' && rh_push_is_file(word) && stat(word, &st) == 0;
}

int
rh_push_command_given(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site,
                      const struct rh_settings *s, struct rh_error *err)
{
    const struct allowed *command = s->n_command ? find_command(s->command[0], err) : NULL;
    const char *last = NULL;

    if (!s->n_command)
        return rh_error_set(err, RH_EINPUT, "no command after '--'");
    if (!command)
        return -1;
    if (s->n_given)
        return rh_error_set(err, RH_EINPUT, "options of '%s' stand after it: -- %s --%s", command->name,
                            command->name, s->given[0].option->name);
    begin(c, a, command, s);
    for (size_t i = 1; i < s->n_command; i++)
        if (is_manifest(command, s->command[i]))
            last = s->command[i];
    if (add_secrets(a, site, s, last, err) < 0)
        return -1;
    for (size_t i = 1; i < s->n_command; i++) {
        const char *word = s->command[i];

        if (is_manifest(command, word)) {
            rh_autofree char *there = rh_site_add_manifest(site, word, err);

            if (!there)
                return -1;
            add(c, a, there);
        } else {
            add(c, a, word);
        }
    }
    return 0;
}
