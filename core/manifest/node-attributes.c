/* SPDX-License-Identifier: Apache-2.0 */
/* node-attributes - the attributes, before any resource is looked at. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "manifest/attribute/attributes.h"
#include "manifest/attribute/command-line.h"
#include "manifest/attribute/role.h"
#include "manifest/data/data.h"
#include "manifest/entry/entry.h"
#include "manifest/load/file.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

/* Gathering: finding the files, and what in them is secret. */

struct gathering {
    struct rh_load *load;
    struct rh_file *file;
};

static void gather(struct rh_load *load, struct rh_file *file);

static void
gather_inside(struct rh_load *load, struct rh_file *inner, struct rh_place named)
{
    if (inner->gathered || rh_file_enter(load, inner, named) < 0)
        return; /* too deep: who reads it complains */
    gather(load, inner);
    rh_file_leave(load, inner);
}

static void
gather_include(void *to, struct rh_file *included, const struct rh_value *path)
{
    const struct gathering *g = to;
    struct rh_file *file = g->file;

    if (included->active)
        return; /* who reads it complains */
    file->includes = rh_xgrow((void *)file->includes, &file->cap_includes, file->n_includes, sizeof included);
    file->includes[file->n_includes++] = included;
    gather_inside(g->load, included, rh_value_place(path));
}

static void
gather_entries(struct rh_load *load, struct rh_file *file, const struct rh_value *entries)
{
    struct gathering g = { load, file };

    for (size_t i = 0; rh_value_is(entries, RH_ARRAY) && i < entries->count; i++) {
        const struct rh_value *entry = rh_value_at(entries, i);
        size_t at = rh_value_is(entry, RH_HASH) ? rh_entry_word(entry) : SIZE_MAX;

        if (at != SIZE_MAX && strcmp(rh_value_entry(entry, at)->key, "include") == 0
            && !rh_value_get(entry, "when") && !rh_value_get(entry, "for_each"))
            rh_include_fixed(load, file, rh_value_entry(entry, at)->value, gather_include, &g);
    }
}

static void
add_role(struct rh_load *load, struct rh_file *file, const struct rh_value *name)
{
    struct rh_file *role = rh_role_read_name(load, RH_FILE_ROLE, name, file->home);

    if (role && role->active) {
        rh_autofree char *circle = rh_file_circle(load, role, rh_value_place(name));

        rh_complain(load->complaints, rh_value_place(name), NULL, "role '%s' includes itself: %s",
                    rh_value_str(name, ""), circle);
        return;
    }
    if (!role)
        return;
    file->roles = rh_xgrow((void *)file->roles, &file->cap_roles, file->n_roles, sizeof role);
    file->roles[file->n_roles++] = role;
    gather_inside(load, role, rh_value_place(name));
}

static void
gather_roles(struct rh_load *load, struct rh_file *file)
{
    const struct rh_value *names = rh_value_get(file->tree, "roles");

    if (!names || rh_scalar_is_null(names))
        return;
    if (names->kind != RH_ARRAY)
        add_role(load, file, names);
    else
        for (size_t i = 0; i < names->count; i++)
            add_role(load, file, rh_value_at(names, i));
}

static void
gather(struct rh_load *load, struct rh_file *file)
{
    struct gathering g = { load, file };
    const struct rh_value *v = file->tree;

    if (file->gathered)
        return;
    file->gathered = true;
    if (file->kind == RH_FILE_ROLE || file->kind == RH_FILE_ENVIRONMENT)
        rh_role_check(load, file);
    if (!rh_value_is(v, RH_HASH) || file->kind == RH_FILE_COMPILED)
        return;
    if (file->kind == RH_FILE_MANIFEST)
        rh_attributes_note_secrets(load, rh_value_get(v, "attributes"));
    else
        rh_attributes_note_secret_list(load, rh_value_get(v, "sensitive"));
    if (file->kind == RH_FILE_ENVIRONMENT)
        return;
    if (file->is_argument || file->kind == RH_FILE_ROLE)
        gather_roles(load, file);
    if (file->kind == RH_FILE_ROLE && rh_value_get(v, "include"))
        rh_include_fixed(load, file, rh_value_get(v, "include"), gather_include, &g);
    gather_entries(load, file, rh_value_get(v, "resources"));
}

/* Settling. */

static void
lay(struct rh_load *load, const struct rh_file *file, const char *key, enum rh_node_level level)
{
    struct rh_value *v = rh_draft_get(file->tree, key);

    if (v)
        rh_attributes_lay(load, level, v, key, file->kind == RH_FILE_ROLE);
}

static void
merge(struct rh_load *load, struct rh_file *file)
{
    struct rh_value *v;

    if (file->merged)
        return;
    file->merged = true;
    if (file->kind == RH_FILE_ROLE)
        for (size_t i = 0; i < file->n_roles; i++)
            merge(load, file->roles[i]);
    for (size_t i = 0; i < file->n_includes; i++)
        merge(load, file->includes[i]);
    if (!rh_value_is(file->tree, RH_HASH))
        return;
    switch (file->kind) {
    case RH_FILE_ROLE:
        lay(load, file, "default", RH_LEVEL_ROLE_DEFAULT);
        lay(load, file, "override", RH_LEVEL_ROLE_OVERRIDE);
        break;
    case RH_FILE_ENVIRONMENT:
        lay(load, file, "default", RH_LEVEL_ENV_DEFAULT);
        lay(load, file, "override", RH_LEVEL_ENV_OVERRIDE);
        break;
    case RH_FILE_MANIFEST:
        v = rh_draft_get(file->tree, "attributes");
        if (v)
            rh_attributes_read(load, v);
        break;
    default:
        break;
    }
}

void
rh_node_attributes_read_file(struct rh_load *load, struct rh_file *file)
{
    gather(load, file);
    merge(load, file);
}

/* The environment: that of the command line, or the one that the manifests agree on. */

static struct rh_file *
environment_of_manifests(struct rh_load *load, struct rh_file *const *arguments, size_t n)
{
    const struct rh_value *first = NULL;
    struct rh_file *found = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *v =
            arguments[i] && arguments[i]->kind == RH_FILE_MANIFEST && rh_value_is(arguments[i]->tree, RH_HASH)
                ? rh_value_get(arguments[i]->tree, "environment")
                : NULL;

        if (!v || rh_scalar_is_null(v))
            continue;
        if (!first) {
            first = v;
            found = rh_role_read_name(load, RH_FILE_ENVIRONMENT, v, arguments[i]->home);
            continue;
        }
        if (strcmp(rh_value_str(v, ""), rh_value_str(first, "")) == 0)
            continue;
        rh_complain(load->complaints, rh_value_place(v), "choose one of them with --environment=NAME",
                    "two environments are set: a machine can have only one");
        rh_complain_also(load->complaints, rh_value_place(first), "the other environment");
    }
    return found;
}

static unsigned
home_of(const struct rh_load *load, struct rh_file *const *arguments, size_t n, enum rh_file_kind kind,
        const char *name)
{
    unsigned first = 0;

    for (size_t i = 0; i < n; i++) {
        if (!arguments[i])
            continue;
        first = first ? first : arguments[i]->home;
        if (rh_role_exists(load, kind, name, arguments[i]->home))
            return arguments[i]->home;
    }
    return first;
}

static struct rh_file *
environment(struct rh_load *load, struct rh_file *const *arguments, size_t n)
{
    const struct rh_command_line *command_line = load->types->command_line;
    const char *name = command_line ? command_line->environment : NULL;

    if (!name)
        return environment_of_manifests(load, arguments, n);
    return rh_role_find(load, RH_FILE_ENVIRONMENT, name,
                        home_of(load, arguments, n, RH_FILE_ENVIRONMENT, name), (struct rh_place){ 0 },
                        "--environment");
}

struct roles {
    struct rh_file **v;
    size_t n, cap;
};

static void
add(struct roles *roles, struct rh_file *role)
{
    if (!role)
        return;
    roles->v = rh_xgrow((void *)roles->v, &roles->cap, roles->n, sizeof role);
    roles->v[roles->n++] = role;
}

static void
add_named_roles(struct rh_load *load, struct rh_file *const *arguments, size_t n, struct roles *roles)
{
    const struct rh_command_line *command_line = load->types->command_line;

    for (size_t i = 0; command_line && i < command_line->n_roles; i++) {
        const char *name = command_line->roles[i];
        unsigned home = home_of(load, arguments, n, RH_FILE_ROLE, name);
        struct rh_file *role = rh_role_find(load, RH_FILE_ROLE, name, home, (struct rh_place){ 0 }, "--role");

        if (role)
            gather_inside(load, role, (struct rh_place){ 0 });
        add(roles, role);
    }
}

/* "web" of "roles/web.yaml". */
static struct rh_value *
name_of(struct rh_arena *a, const struct rh_file *file)
{
    const char *slash = strrchr(file->name, '/'), *name = slash ? slash + 1 : file->name;
    const char *dot = strrchr(name, '.');

    return rh_value_stringn(a, name, dot ? (size_t)(dot - name) : strlen(name));
}

/* In the order in which they count: what a role names stands before it. */
static void
add_names(struct rh_arena *a, struct rh_value *names, struct rh_file *role)
{
    struct rh_value *name = name_of(a, role);

    if (role->listed)
        return;
    role->listed = true;
    for (size_t i = 0; i < names->count; i++)
        if (rh_value_equal(rh_value_at(names, i), name))
            return;
    for (size_t i = 0; i < role->n_roles; i++)
        add_names(a, names, role->roles[i]);
    rh_value_append(names, name);
}

/* The automatic attributes 'environment' and 'roles'. */
static void
set_names(struct rh_load *load, const struct rh_file *env, const struct roles *roles)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *names = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < roles->n; i++)
        add_names(a, names, roles->v[i]);
    rh_node_set_fact(load->attributes.node, "environment", env ? name_of(a, env) : rh_value_new(a, RH_UNDEF));
    rh_node_set_fact(load->attributes.node, "roles", names);
}

struct rh_file **
rh_node_attributes_read(struct rh_load *load, struct rh_file *const *arguments, size_t n_arguments, size_t *n)
{
    struct rh_file *env = environment(load, arguments, n_arguments);
    struct roles roles = { 0 };

    if (env)
        gather(load, env);
    for (size_t i = 0; i < n_arguments; i++) {
        if (!arguments[i])
            continue;
        gather_inside(load, arguments[i], (struct rh_place){ .file = (uint16_t)arguments[i]->source });
        for (size_t k = 0; k < arguments[i]->n_roles; k++)
            add(&roles, arguments[i]->roles[k]);
    }
    add_named_roles(load, arguments, n_arguments, &roles);
    rh_command_line_note_secrets(load);
    set_names(load, env, &roles);
    rh_data_read(load, arguments, n_arguments);
    if (env)
        merge(load, env);
    for (size_t i = 0; i < roles.n; i++)
        merge(load, roles.v[i]);
    for (size_t i = 0; i < n_arguments; i++)
        if (arguments[i])
            merge(load, arguments[i]);
    rh_command_line_apply(load);
    *n = roles.n;
    return roles.v;
}
