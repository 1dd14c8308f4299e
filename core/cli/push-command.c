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

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT ".push-report.json"
#define PLAN "plan"

/* The commands that can be run on targets. */
static const struct allowed {
    const char *name;
    bool files;      /* its operands can be manifests */
    bool reports;    /* --report, --report-detail and --events */
    bool changes;    /* it may change the target */
    bool attributes; /* --attributes */
} commands[] = {
    { "apply", true, true, true, true },        { PLAN, true, true, false, true },
    { "undo", false, true, true, false },       { "resource", false, false, true, false },
    { "confirm", false, false, true, false },   { "validate", true, false, false, true },
    { "node", true, false, false, true },       { "why", true, false, false, true },
    { "facts", false, false, false, false },    { "runs", false, false, false, false },
    { "show", false, false, false, false },     { "history", false, false, false, false },
    { "pending", false, false, true, false },   { "types", false, false, false, false },
    { "describe", false, false, false, false },
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
    for (size_t i = 0; i < s->n_pushed; i++) {
        const struct rh_pushed_option *g = &s->pushed[i];

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

/* Files of --secret, whose names are below `base`, beside the last manifest (NULL: there is none). They come
 * before all manifests, so that one replaces a file of the site with its name. */
static int
add_secrets(struct rh_arena *a, struct rh_site *site, const struct rh_settings *s, const char *base,
            const char *manifest, struct rh_error *err)
{
    for (size_t i = 0; i < s->secret_files.n; i++) {
        const char *word = s->secret_files.v[i], *equals = strchr(word, '='), *path = equals + 1;

        if (base && *path != '/')
            path = rh_arena_printf(a, "%s/%s", base, path);
        if (rh_site_add_secret(site, manifest, rh_arena_strndup(a, word, (size_t)(equals - word)), path, err)
            < 0)
            return rh_error_prefix(err, "--secret");
    }
    return 0;
}

static int
add_manifest(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site, const char *path,
             struct rh_error *err)
{
    rh_autofree char *there = rh_site_add_manifest(site, path, err);

    if (!there)
        return -1;
    add(c, a, there);
    return 0;
}

/* Sends what the plans of this directory were made of, as it is now: the targets compare it. The targets'
 * own names for their plans are added to the command of each. */
static int
send_planned(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site, const struct rh_settings *s,
             const char *dir, struct rh_error *err)
{
    struct rh_push_command unused = { .n = 0 };
    rh_autoclose int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    rh_autofree char *path = getcwd(NULL, 0);
    int rc;

    if (c->applies_plans || c->makes_plans)
        return rh_error_set(err, RH_EINPUT, "'%s' has plans: apply it alone", dir);
    if (here < 0 || !path)
        return rh_error_system(err, errno, "cannot open the working directory");
    if (rh_plans_read(&c->plans, a, dir, err) < 0)
        return -1;
    if (chdir(c->plans.base) < 0)
        return rh_error_system(err, errno, "cannot enter '%s', where the plans were made", c->plans.base);
    rc = add_secrets(a, site, s, path, c->plans.manifests[c->plans.n_manifests - 1], err);
    for (size_t i = 0; i < c->plans.n_manifests && rc == 0; i++)
        rc = add_manifest(&unused, a, site, c->plans.manifests[i], err);
    if (fchdir(here) < 0)
        return rh_error_system(err, errno, "cannot return to the working directory");
    c->applies_plans = true;
    return rc;
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
        for (size_t i = 0; i < s->n_pushed; i++)
            detailed |= strcmp(s->pushed[i].option->name, "report-detail") == 0;
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
    if (hand_on(c, a, site, s, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (rh_plans_are(files[i]))
            return n == 1 ? send_planned(c, a, site, s, files[i], err)
                          : rh_error_set(err, RH_EINPUT, "'%s' has plans: apply it alone", files[i]);
    if (add_secrets(a, site, s, NULL, n ? files[n - 1] : NULL, err) < 0)
        return -1;
    add(c, a, "--");
    for (size_t i = 0; i < n; i++)
        if (add_manifest(c, a, site, files[i], err) < 0)
            return -1;
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

/* The directory of plans that the word at `*i` of the command names, with -o or --output; NULL: it is another
 * word. */
static const char *
output_of(const struct rh_settings *s, const struct allowed *command, size_t *i)
{
    static const char option[] = "--output";
    const char *word = s->command[*i];
    bool is_long = strncmp(word, option, sizeof option - 1) == 0;

    if (strcmp(command->name, PLAN) != 0)
        return NULL;
    if (is_long && word[sizeof option - 1] == '=')
        return word + sizeof option;
    if (strncmp(word, "-o", 2) == 0 && word[2])
        return word + 2;
    if (strcmp(word, "-o") != 0 && strcmp(word, option) != 0)
        return NULL;
    return *i + 1 < s->n_command ? s->command[++*i] : "";
}

/* "plan -o DIR FILE...": each target writes its plan to a file of its own. */
static int
make_plans(struct rh_push_command *c, struct rh_arena *a, const char *const *manifests, size_t n,
           struct rh_error *err)
{
    rh_autofree char *here = getcwd(NULL, 0);

    if (!c->plans.dir || !*c->plans.dir) {
        (void)rh_error_set(err, RH_EINPUT, "no directory given for the plans");
        return rh_error_suggest(err, NULL, "-- plan -o DIR FILE");
    }
    if (!n)
        return rh_error_set(err, RH_EINPUT, "no manifest given to be planned");
    if (!here)
        return rh_error_system(err, errno, "cannot find the working directory");
    c->makes_plans = true;
    c->plans.base = rh_arena_strdup(a, here);
    c->plans.manifests = manifests;
    c->plans.n_manifests = n;
    return 0;
}

static int
add_words(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site, const struct rh_settings *s,
          const struct allowed *command, struct rh_error *err)
{
    const char **manifests = rh_arena_alloc(a, (s->n_command + 1) * sizeof *manifests);
    bool plans = strcmp(command->name, PLAN) == 0, applies = strcmp(command->name, "apply") == 0;
    size_t n = 0;

    for (size_t i = 1; i < s->n_command; i++) {
        const char *word = s->command[i], *output = output_of(s, command, &i);
        int rc = 0;

        if (output) {
            c->plans.dir = output;
        } else if (applies && *word != '-' && rh_plans_are(word)) {
            rc = send_planned(c, a, site, s, word, err);
        } else if (is_manifest(command, word)) {
            manifests[n++] = word;
            rc = add_manifest(c, a, site, word, err);
        } else {
            add(c, a, word);
        }
        if (rc < 0)
            return -1;
    }
    if (c->applies_plans && n)
        return rh_error_set(err, RH_EINPUT, "'%s' has plans: apply it alone", c->plans.dir);
    return plans ? make_plans(c, a, manifests, n, err) : 0;
}

int
rh_push_command_parse(struct rh_push_command *c, struct rh_arena *a, struct rh_site *site,
                      const struct rh_settings *s, struct rh_error *err)
{
    const struct allowed *command = s->n_command ? find_command(s->command[0], err) : NULL;
    const char *last = NULL;

    if (!s->n_command)
        return rh_error_set(err, RH_EINPUT, "no command after '--'");
    if (!command)
        return -1;
    if (s->n_pushed)
        return rh_error_set(err, RH_EINPUT, "options of '%s' stand after it: -- %s --%s", command->name,
                            command->name, s->pushed[0].option->name);
    begin(c, a, command, s);
    for (size_t i = 1; i < s->n_command; i++)
        if (!output_of(s, command, &i) && is_manifest(command, s->command[i]))
            last = s->command[i];
    if (last && add_secrets(a, site, s, NULL, last, err) < 0)
        return -1;
    if (add_words(c, a, site, s, command, err) < 0)
        return -1;
    return last || c->applies_plans ? 0 : add_secrets(a, site, s, NULL, NULL, err);
}
