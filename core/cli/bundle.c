/* SPDX-License-Identifier: Apache-2.0 */
/* bundle - rhost bundle: revisions of a site as signed files. */
#include "config.h"

#include "cli/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "schema/type.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 20 };

/* Arguments for the program. */
struct arguments {
    const char **v;
    size_t n;
};

static struct arguments
arguments_new(struct rh_arena *a, size_t more)
{
    return (struct arguments){ .v = rh_arena_alloc(a, (MOST_ARGUMENTS + more) * sizeof(const char *)) };
}

static void
add(struct rh_arena *a, struct arguments *to, const char *option, const char *value)
{
    if (value)
        to->v[to->n++] = rh_arena_printf(a, "%s=%s", option, value);
}

static int
become(const struct arguments *arguments)
{
    rh_autoerror struct rh_error err = { 0 };

    rh_program_become("rhost-bundle", arguments->v, &err);
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

/* What a bundle is validated for: its manifest as it is, and with each role. */
struct checking {
    const struct rh_settings *settings;
    struct rh_arena *arena;
    const char *manifest;
    struct rh_map types; /* names that were added to the text */
    struct rh_buf names;
};

/* -1 after the errors were printed. */
static int
validate(struct checking *c, const char *role)
{
    struct rh_settings settings = *c->settings;
    struct rh_session s;
    int rc;

    settings.placeholder_secrets = true;
    if (role)
        settings.roles = (struct rh_words){ .v = &role, .n = 1 };
    rh_session_open(&s, &settings);
    s.validates = true;
    rc = rh_session_load(&s, &c->manifest, 1);
    for (size_t i = 0; rc == 0 && i < s.catalog.n_resources; i++) {
        const char *name = rh_arena_strdup(c->arena, s.catalog.resources[i]->type->type);

        if (rh_map_get_const(&c->types, name))
            continue;
        (void)rh_map_put_const(&c->types, name, name);
        rh_buf_addf(&c->names, "%s%s", c->names.n ? "," : "", name);
    }
    rh_session_close(&s);
    if (rc < 0 && role)
        rh_refuse("the site is not valid with the role '%s'", role);
    return rc;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the roles beside the manifest, sorted; the arena's. */
static int
find_roles(struct checking *c, struct rh_words *roles)
{
    const char *slash = strrchr(c->manifest, '/');
    const char *path =
        rh_arena_printf(c->arena, "%.*sroles", (int)(slash ? slash + 1 - c->manifest : 0), c->manifest);
    rh_autoclosedir DIR *d = opendir(path);
    const struct dirent *e;

    if (!d && errno != ENOENT) {
        rh_refuse("cannot read the directory '%s': %s", path, strerror(errno));
        return -1;
    }
    while (d && (e = readdir(d))) {
        const char *dot = strrchr(e->d_name, '.');

        if (!dot || dot == e->d_name || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".lua") != 0))
            continue;
        roles->v = rh_xgrow(roles->v, &roles->cap, roles->n, sizeof *roles->v);
        roles->v[roles->n++] = rh_arena_strndup(c->arena, e->d_name, (size_t)(dot - e->d_name));
    }
    if (roles->n)
        qsort(roles->v, roles->n, sizeof *roles->v, by_name);
    return 0;
}

static int
check_site(struct checking *c)
{
    struct rh_words roles = { 0 };
    int rc = find_roles(c, &roles);

    if (rc == 0)
        rc = validate(c, NULL);
    for (size_t i = 0; rc == 0 && i < roles.n; i++)
        rc = validate(c, roles.v[i]);
    free(roles.v);
    return rc;
}

static int
make(const struct rh_settings *settings, const char *directory)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *manifest = settings->bundle_manifest ? settings->bundle_manifest : "site.yaml";
    struct checking c = { .settings = settings, .arena = a };
    struct arguments arguments = arguments_new(a, 0);
    int status = RH_EXIT_REFUSED;

    c.manifest = rh_arena_printf(a, "%s/%s", directory, manifest);
    if (check_site(&c) == 0) {
        add(a, &arguments, "--output", settings->output);
        add(a, &arguments, "--manifest", manifest);
        add(a, &arguments, "--revision", settings->bundle_revision);
        add(a, &arguments, "--parent", settings->parent);
        add(a, &arguments, "--commit", settings->commit);
        add(a, &arguments, "--min-rhost", settings->min_rhost);
        add(a, &arguments, "--types", rh_buf_text(&c.names));
        arguments.v[arguments.n++] = "--";
        arguments.v[arguments.n++] = "make";
        arguments.v[arguments.n++] = directory;
        status = become(&arguments);
    }
    rh_map_clear(&c.types);
    rh_buf_clear(&c.names);
    return status;
}

/* ssh-keygen asks for the passphrase on the terminal, or has the agent sign. */
static int
sign(const struct rh_settings *settings, const char *path)
{
    const char *const arguments[] = { "-q", "-Y", "sign", "-n", "rhost-bundle", "-f", settings->signing_key,
                                      "--", path, NULL };
    rh_autoerror struct rh_error err = { 0 };

    if (!settings->signing_key) {
        rh_refuse("'rhost bundle sign' needs --key=FILE");
        return RH_EXIT_REFUSED;
    }
    rh_program_exec("ssh-keygen", arguments, &err);
    rh_refuse_error("install the package openssh-client", &err);
    return RH_EXIT_REFUSED;
}

static int
read_bundles(const struct rh_settings *settings, const char *what, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const char *signers = settings->signers ? settings->signers : RH_BUNDLE_SIGNERS;
    struct arguments arguments = arguments_new(a, 0);

    /* What is only looked at needs no signature: it is verified where there is a file of signers. */
    if (!settings->insecure
        && (strcmp(what, "verify") == 0 || strcmp(what, "publish") == 0 || settings->signers
            || access(signers, F_OK) == 0 || errno != ENOENT))
        add(a, &arguments, "--signers", signers);
    else
        rh_log(RH_WARNING, "the signature is not verified");
    if (settings->format == RH_FORMAT_JSON)
        arguments.v[arguments.n++] = "--json";
    arguments.v[arguments.n++] = "--";
    arguments.v[arguments.n++] = what;
    for (int i = 0; i < argc; i++)
        arguments.v[arguments.n++] = argv[i];
    return become(&arguments);
}

/* Without --to it is shown. */
static int
channel(const struct rh_settings *settings, const char *directory)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct arguments arguments = arguments_new(a, settings->hosts.n);

    if (settings->want && !settings->signing_key) {
        rh_refuse("'rhost bundle channel' needs --key=FILE");
        return RH_EXIT_REFUSED;
    }
    if (settings->insecure)
        rh_log(RH_WARNING, "the signature is not verified");
    else
        add(a, &arguments, "--signers", settings->signers ? settings->signers : RH_BUNDLE_SIGNERS);
    if (settings->format == RH_FORMAT_JSON)
        arguments.v[arguments.n++] = "--json";
    add(a, &arguments, "--to", settings->want);
    add(a, &arguments, "--else", settings->other);
    add(a, &arguments, "--percent", settings->percent);
    add(a, &arguments, "--serial", settings->serial);
    add(a, &arguments, "--min-revision", settings->min_revision);
    add(a, &arguments, "--key", settings->signing_key);
    if (settings->expires)
        arguments.v[arguments.n++] = rh_arena_printf(a, "--expires=%u", settings->expires);
    for (size_t i = 0; i < settings->hosts.n; i++)
        add(a, &arguments, "--host", settings->hosts.v[i]);
    arguments.v[arguments.n++] = "--";
    arguments.v[arguments.n++] = "channel";
    arguments.v[arguments.n++] = directory;
    return become(&arguments);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    static const char *const words[] = {
        "make", "sign", "verify", "show", "diff", "publish", "channel", NULL
    };
    const char *what = argc > 0 ? argv[0] : "";
    bool makes = strcmp(what, "make") == 0, signs = strcmp(what, "sign") == 0,
         channels = strcmp(what, "channel") == 0;

    if (argc > 0 && !rh_usage_word(&rh_command_bundle, words, what))
        return RH_EXIT_REFUSED;
    if (!makes
        && (settings->bundle_revision || settings->parent || settings->commit || settings->min_rhost
            || settings->bundle_manifest || settings->output))
        return rh_usage_error(&rh_command_bundle,
                              "--commit, --manifest, --min-rhost, --output, --parent and --revision are for "
                              "'rhost bundle make'");
    if (!channels
        && (settings->want || settings->other || settings->percent || settings->serial
            || settings->min_revision || settings->expires || settings->hosts.n))
        return rh_usage_error(&rh_command_bundle,
                              "--else, --expires, --host, --min-revision, --percent, --serial and --to are "
                              "for 'rhost bundle channel'");
    if (channels && !settings->want
        && (settings->other || settings->percent || settings->serial || settings->min_revision
            || settings->expires || settings->hosts.n || settings->signing_key))
        return rh_usage_error(&rh_command_bundle, "a channel is made with --to=REVISION");
    if (!signs && !channels && settings->signing_key)
        return rh_usage_error(&rh_command_bundle,
                              "--key is for 'rhost bundle sign' and 'rhost bundle channel'");
    if ((makes || signs) && (settings->signers || settings->insecure))
        return rh_usage_error(&rh_command_bundle, "'rhost bundle %s' verifies no signature", what);
    if (makes && argc == 2)
        return make(settings, argv[1]);
    if (signs && argc == 2)
        return sign(settings, argv[1]);
    if (channels && argc == 2)
        return channel(settings, argv[1]);
    if ((argc == 2 && (strcmp(what, "verify") == 0 || strcmp(what, "show") == 0))
        || (argc == 3 && (strcmp(what, "diff") == 0 || strcmp(what, "publish") == 0)))
        return read_bundles(settings, what, argc - 1, argv + 1);
    return rh_usage_error(&rh_command_bundle, "expected make DIR, sign FILE, verify FILE, show FILE, "
                                              "diff FILE FILE, publish FILE DIR or channel DIR");
}

const struct rh_command rh_command_bundle = {
    .name = "bundle",
    .arguments = "make | sign | verify | ...",
    .summary = "make revisions of a site as signed files",
    .text = "'make DIR' validates the site in DIR, and writes it as one archive with its description,\n"
            "rN.json; 'sign FILE' signs a description by a key of SSH; 'verify FILE' checks the signature\n"
            "and the archive; 'show FILE' prints what is in it; 'diff FILE FILE' how two revisions differ;\n"
            "'publish FILE DIR' copies a bundle; 'channel DIR' says which machines get which revision.\n"
            "'rhost apply FILE' applies one.\n",
    .options =
        RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_BUNDLE | RH_OPT_SIGNERS | RH_OPT_CHANNEL | RH_OPT_POLICY,
    .run = run,
};
