/* SPDX-License-Identifier: Apache-2.0 */
/* rollout - the verbs of rhost fleet that change something. */
#include "config.h"

#include "cli/rollout.h"

#include "base/arena.h"
#include "base/error.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/fleet-database.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "collect/store.h"

#include <string.h>

enum { MOST_ARGUMENTS = 30 };

/* What a verb takes, and what it needs. */
enum {
    KEY = 1,
    TO = 2,
    NEEDS_TO = 4,
    RULES = 8,
    CANARY = 16,
    DATABASE = 32,
    EXPIRES = 64,
    FORMAT = 128,
    NEEDS_KEY = 256,
    CHOICE = 512,
    AUTHORITY = 1024,
    OUTPUT = 2048,
    HINT = 4096,
    TLS = 8192,
    FOLDER = 16384, /* a second operand */
};

static const struct verb {
    const char *name, *operand;
    unsigned takes;
} verbs[] = {
    { "run", "the directory of the channel",
      KEY | NEEDS_KEY | TO | NEEDS_TO | RULES | CANARY | DATABASE | EXPIRES | HINT | TLS },
    { "resume", "the directory of the channel", KEY | NEEDS_KEY | RULES | DATABASE | EXPIRES | HINT | TLS },
    { "stop", "the directory of the channel", KEY | NEEDS_KEY | DATABASE | HINT | TLS },
    { "rollback", "the directory of the channel", KEY | NEEDS_KEY | TO | EXPIRES | HINT | TLS },
    { "show", "the directory of the channel", DATABASE | FORMAT },
    { "noop", "the directory of the channel", KEY | TO | CHOICE | DATABASE | FORMAT | EXPIRES },
    { "authority", "a directory", EXPIRES },
    { "enrol", "the name of a host", AUTHORITY | OUTPUT | EXPIRES },
    { "revoke", "the name of a host", AUTHORITY },
    { "hint", "the URL of a broker", TLS },
    { "receive", "the URL of a broker, and the folder of the collector", TLS | FOLDER },
};

static const struct verb *
find(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

bool
rh_rollout_is_verb(const char *verb)
{
    return find(verb);
}

static bool
has_rules(const struct rh_settings *s)
{
    return s->batch_share || s->stage_wait || s->soak || s->max_failures || s->max_silent;
}

bool
rh_rollout_has_options(const struct rh_settings *s)
{
    return has_rules(s) || s->want || s->signing_key || s->signers || s->canaries.n || s->expires
           || s->hosts.n || s->percent || s->authority || s->request;
}

/* The option that the verb does not take; NULL: it takes all. */
static const char *
wrong_option(const struct verb *v, const struct rh_settings *s)
{
    if (s->output && !(v->takes & OUTPUT))
        return "--output";
    if ((s->hosts.n || s->percent) && !(v->takes & CHOICE))
        return "--host or --percent";
    if (s->authority && !(v->takes & AUTHORITY))
        return "--ca";
    if (s->request && !(v->takes & OUTPUT))
        return "--request";
    if (s->signers && (v->takes & (AUTHORITY | TLS)) && !(v->takes & HINT))
        return "--signers";
    if (s->hint && !(v->takes & HINT))
        return "--hint";
    if ((s->tls_ca || s->tls_certificate || s->tls_key) && !(v->takes & TLS))
        return "the options of a broker";
    if (s->database && !(v->takes & DATABASE))
        return "--db";
    if (s->signing_key && !(v->takes & KEY))
        return "--key";
    if (s->want && !(v->takes & TO))
        return "--to";
    if (has_rules(s) && !(v->takes & RULES))
        return "a rule of a rollout";
    if (s->canaries.n && !(v->takes & CANARY))
        return "--canary";
    if (s->expires && !(v->takes & EXPIRES))
        return "--expires";
    if (s->format == RH_FORMAT_JSON && !(v->takes & FORMAT))
        return "--format";
    return NULL;
}

struct arguments {
    struct rh_arena *a;
    const char **v;
    size_t n;
};

static void
add(struct arguments *to, const char *option, const char *value)
{
    if (value)
        to->v[to->n++] = rh_arena_printf(to->a, "%s=%s", option, value);
}

static void
add_seconds(struct arguments *to, const char *option, unsigned seconds)
{
    if (seconds)
        to->v[to->n++] = rh_arena_printf(to->a, "%s=%u", option, seconds);
}

static int
find_database(const struct verb *v, const struct rh_settings *s, struct arguments *to)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *url = (v->takes & DATABASE) && !((v->takes & CHOICE) && s->want)
                          ? rh_fleet_database(to->a, s->database, &err)
                          : NULL;

    if (url && rh_store_url_has_password(url)) {
        rh_error_set(&err, RH_EINPUT, "the URL of a database must not have a password");
        rh_discard(rh_error_suggest(&err, NULL,
                                    "use a password file (PGPASSFILE), a service file or a certificate"));
    }
    if (err.message) {
        rh_refuse_error(NULL, &err);
        return -1;
    }
    add(to, "--db", url);
    return 0;
}

/* -1 after the error was printed. */
static int
check(const struct verb *v, const struct rh_settings *s, int argc)
{
    const char *wrong = wrong_option(v, s);

    if (argc != (v->takes & FOLDER ? 3 : 2))
        (void)rh_usage_error(&rh_command_fleet, "'rhost fleet %s' expects %s", v->name, v->operand);
    else if (wrong)
        (void)rh_usage_error(&rh_command_fleet, "'rhost fleet %s' does not take %s", v->name, wrong);
    else if ((v->takes & NEEDS_TO) && !s->want)
        (void)rh_usage_error(&rh_command_fleet, "'rhost fleet %s' needs --to=REVISION", v->name);
    else if (((v->takes & NEEDS_KEY) || ((v->takes & CHOICE) && s->want)) && !s->signing_key)
        (void)rh_usage_error(&rh_command_fleet, "'rhost fleet %s' needs --key=FILE", v->name);
    else if ((v->takes & CHOICE) && !s->want && (s->signing_key || s->hosts.n || s->percent || s->expires))
        (void)rh_usage_error(&rh_command_fleet, "dry runs are asked for with --to=REVISION");
    else if ((v->takes & AUTHORITY) && !s->authority)
        (void)rh_usage_error(&rh_command_fleet, "'rhost fleet %s' needs --ca=DIR", v->name);
    else if (!s->tls_certificate != !s->tls_key)
        (void)rh_usage_error(&rh_command_fleet, "--tls-certificate and --tls-key belong together");
    else
        return 0;
    return -1;
}

static void
add_options(struct arguments *to, const struct rh_settings *s)
{
    add(to, "--signers", s->signers ? s->signers : RH_BUNDLE_SIGNERS);
    add(to, "--key", s->signing_key);
    add(to, "--to", s->want);
    for (size_t i = 0; i < s->canaries.n; i++)
        add(to, "--canary", s->canaries.v[i]);
    for (size_t i = 0; i < s->hosts.n; i++)
        add(to, "--host", s->hosts.v[i]);
    add(to, "--percent", s->percent);
    add(to, "--batch", s->batch_share);
    add_seconds(to, "--wait", s->stage_wait);
    add_seconds(to, "--soak", s->soak);
    add_seconds(to, "--expires", s->expires);
    add(to, "--max-failures", s->max_failures);
    add(to, "--max-silent", s->max_silent);
    add(to, "--ca", s->authority);
    add(to, "--hint", s->hint);
    add(to, "--tls-ca", s->tls_ca);
    add(to, "--tls-certificate", s->tls_certificate);
    add(to, "--tls-key", s->tls_key);
    add(to, "--request", s->request);
    add(to, "--output", s->output);
    if (s->format == RH_FORMAT_JSON)
        to->v[to->n++] = "--json";
    if (s->quiet)
        to->v[to->n++] = "--quiet";
}

/* For the program that speaks to the broker itself. */
static void
add_broker_options(struct arguments *to, const struct rh_settings *s)
{
    add(to, "--ca", s->tls_ca);
    add(to, "--certificate", s->tls_certificate);
    add(to, "--key", s->tls_key);
}

int
rh_rollout_become(const struct rh_settings *s, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct verb *v = find(argv[0]);
    bool speaks = (v->takes & TLS) && !(v->takes & HINT);
    struct arguments to = { .a = a };

    to.v = rh_arena_alloc(a, (MOST_ARGUMENTS + s->canaries.n + s->hosts.n) * sizeof *to.v);
    if (check(v, s, argc) < 0 || find_database(v, s, &to) < 0)
        return RH_EXIT_REFUSED;
    if (speaks)
        add_broker_options(&to, s);
    else
        add_options(&to, s);
    to.v[to.n++] = "--";
    for (int i = 0; i < argc; i++)
        to.v[to.n++] = argv[i];
    to.v[to.n] = NULL;
    rh_program_become(speaks ? "rhost-nats" : "rhost-fleet", to.v, &err);
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}
