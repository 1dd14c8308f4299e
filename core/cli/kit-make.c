/* SPDX-License-Identifier: Apache-2.0 */
/* kit-make - rhost kit make: what is installed here, or is in packages, as a kit. */
#include "config.h"

#include "cli/kit.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "plugin/registry.h"
#include "reach/kit.h"
#include "schema/type.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The arguments of the program that makes kits. */
struct arguments {
    struct rh_arena *arena;
    const char **v;
    size_t n, cap;
};

static void
add(struct arguments *a, const char *argument)
{
    a->v = rh_xgrow(a->v, &a->cap, a->n, sizeof *a->v);
    a->v[a->n++] = argument;
}

/* The providers of one plugin. */
struct describing {
    const char *path;
    struct rh_buf text;
};

static void
describe_type(void *data, const struct rh_type *t)
{
    struct describing *d = data;

    if (!t->path || strcmp(t->path, d->path) != 0)
        return;
    rh_json_element(&d->text);
    rh_buf_addc(&d->text, '{');
    rh_json_text(&d->text, "type", t->type);
    rh_json_text(&d->text, "provider", t->provider);
    rh_json_text(&d->text, "version", t->version);
    rh_buf_addc(&d->text, '}');
}

static const char *
describe(struct arguments *a, struct rh_session *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct describing d = { .path = path };
    rh_autobuf struct rh_buf b = { 0 };
    const char *described;

    rh_buf_addc(&d.text, '[');
    rh_registry_each(s->registry, describe_type, &d);
    rh_buf_addc(&b, '{');
    rh_json_text(&b, "file", slash ? slash + 1 : path);
    rh_json_key(&b, "types");
    rh_buf_addf(&b, "%s]}", rh_buf_text(&d.text));
    rh_buf_clear(&d.text);
    described = rh_arena_strdup(a->arena, rh_buf_text(&b));
    return described;
}

static int
is_plugin(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 3 && e->d_name[0] != '.' && strcmp(e->d_name + n - 3, ".so") == 0;
}

/* Each with what it says of itself. */
static void
add_plugins(struct arguments *a, struct rh_session *s, const char *directory)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, is_plugin, alphasort);

    for (int i = 0; i < n; i++) {
        const char *path = rh_arena_printf(a->arena, "%s/%s", directory, entries[i]->d_name);

        add(a, path);
        add(a, describe(a, s, path));
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void
add_installed(struct arguments *a, struct rh_settings *settings)
{
    struct rh_session session;

    rh_session_open(&session, settings);
    for (size_t i = 0; i < settings->plugin_dirs.n; i++)
        add_plugins(a, &session, settings->plugin_dirs.v[i]);
    if (!settings->no_installed_plugins)
        add_plugins(a, &session, rh_installation_plugins());
    rh_session_close(&session);
}

static bool
is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
add_place(struct arguments *a, const struct rh_settings *settings)
{
    rh_autofree char *store = rh_kit_store();

    if (settings->output && !is_directory(settings->output))
        add(a, rh_arena_printf(a->arena, "--output=%s", settings->output));
    if (settings->output && is_directory(settings->output))
        add(a, rh_arena_printf(a->arena, "--directory=%s", settings->output));
    else if (store)
        add(a, rh_arena_printf(a->arena, "--directory=%s", store));
    else
        return -1;
    return 0;
}

int
rh_kit_command_make(struct rh_settings *settings)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct arguments a = { .arena = arena };
    rh_autofree char *self = rh_own_file(), *worker = rh_installation_program("rhost-worker");
    rh_autofree char *program = realpath(self, NULL);
    const char *printed = NULL;

    if (add_place(&a, settings) < 0)
        rh_refuse("cannot determine the directory of kits: HOME is not set; use --output=FILE");
    else if (!settings->packages && !program)
        rh_refuse("cannot find this program: /proc is not mounted; use --from=DIR");
    else {
        if (settings->packages)
            add(&a, rh_arena_printf(arena, "--packages=%s", settings->packages));
        else
            add(&a, rh_arena_printf(arena, "--program=%s", program));
        if (!settings->packages) {
            add(&a, rh_arena_printf(arena, "--worker=%s", worker));
            add(&a, "--version=" PACKAGE_VERSION);
        }
        if (settings->arch || !settings->packages)
            add(&a, rh_arena_printf(arena, "--arch=%s",
                                    settings->arch ? rh_kit_arch(settings->arch) : rh_kit_own_arch()));
        if (settings->chosen_plugins)
            add(&a, rh_arena_printf(arena, "--plugins=%s", settings->chosen_plugins));
        if (settings->format == RH_FORMAT_JSON)
            add(&a, "--json");
        add(&a, "--");
        add(&a, "make");
        if (!settings->packages)
            add_installed(&a, settings);
        add(&a, NULL);
        printed = rh_program_output(arena, "rhost-kit", a.v, &err);
        if (!printed)
            rh_refuse_error(NULL, &err);
    }
    free(a.v);
    if (!printed)
        return RH_EXIT_REFUSED;
    (void)fputs(printed, stdout);
    return RH_EXIT_OK;
}
