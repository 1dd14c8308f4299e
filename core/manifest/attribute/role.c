/* SPDX-License-Identifier: Apache-2.0 */
/* role - roles and environments: files of a shape of their own, found by their names. */
#include "config.h"

#include "manifest/attribute/role.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/load/root.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXAMINED = 10000, MOST_LISTED = 12 };

static const char *const endings[] = { ".yaml", ".yml", ".json" };

static const char *
kind_name(enum rh_file_kind kind)
{
    return kind == RH_FILE_ROLE ? "role" : "environment";
}

static const char *
folder_name(enum rh_file_kind kind)
{
    return kind == RH_FILE_ROLE ? "roles" : "environments";
}

static bool
is_file_name(const char *name)
{
    if (!isalnum((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
            return false;
    return true;
}

/* What else there is. */

struct names {
    char **v;
    size_t n, cap;
};

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
read_names(const char *folder, struct names *out)
{
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;

    for (int i = 0; d && i < MOST_EXAMINED && (e = readdir(d)); i++)
        for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
            size_t n = strlen(e->d_name), end = strlen(endings[k]);

            if (n <= end || *e->d_name == '.' || strcmp(e->d_name + n - end, endings[k]) != 0)
                continue;
            out->v = rh_xgrow((void *)out->v, &out->cap, out->n, sizeof *out->v);
            out->v[out->n++] = rh_xstrndup(e->d_name, n - end);
        }
    if (out->n)
        qsort((void *)out->v, out->n, sizeof *out->v, by_bytes);
}

static char *
list_names(const struct names *names)
{
    rh_autobuf struct rh_buf list = { 0 };

    for (size_t i = 0; i < names->n && i < MOST_LISTED; i++)
        rh_buf_addf(&list, "%s%s", i ? ", " : "", names->v[i]);
    if (names->n > MOST_LISTED)
        rh_buf_addf(&list, " and %zu more", names->n - MOST_LISTED);
    return names->n == 1 ? rh_printf("the only one is '%s'", rh_buf_text(&list))
                         : rh_printf("known names: %s", rh_buf_text(&list));
}

static char *
hint_for(enum rh_file_kind kind, const char *name, const char *folder)
{
    struct names names = { 0 };
    struct rh_suggest near;
    char *hint;

    read_names(folder, &names);
    rh_suggest_init(&near, name);
    for (size_t i = 0; i < names.n; i++)
        rh_suggest_try(&near, names.v[i]);
    hint = near.best ? rh_did_you_mean(near.best, NULL)
           : names.n
               ? list_names(&names)
               : rh_printf("%s files belong in the directory '%s', which has none", kind_name(kind), folder);
    for (size_t i = 0; i < names.n; i++)
        free(names.v[i]);
    free(names.v);
    return hint;
}

void
rh_role_each_name(enum rh_file_kind kind, const char *beside, void (*fn)(void *data, const char *name),
                  void *data)
{
    rh_autofree char *folder = rh_printf("%s%s", beside, folder_name(kind));
    struct names names = { 0 };

    read_names(folder, &names);
    for (size_t i = 0; i < names.n; i++) {
        fn(data, names.v[i]);
        free(names.v[i]);
    }
    free(names.v);
}

/* Finding. */

static void
complain(struct rh_load *load, struct rh_place place, const char *option, const char *hint,
         const struct rh_error *err)
{
    rh_complain_code(load->complaints, place, hint, rh_error_code(err), "%s%s%s", option ? option : "",
                     option ? ": " : "", err->message);
    rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have declared is unknown */
}

/* The path of the file of this name, as it stands beside `home`; NULL when there is none. */
static char *
path_of(const struct rh_load *load, enum rh_file_kind kind, const char *name, unsigned home)
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        rh_autofree char *path = rh_printf("%s/%s%s", folder_name(kind), name, endings[i]);
        rh_autofree char *full = rh_roots_name(&load->roots, path, home, NULL);

        if (full && (rh_map_get(&load->files.by_name, full) || access(full, F_OK) == 0))
            return rh_take(&path);
    }
    return NULL;
}

bool
rh_role_exists(const struct rh_load *load, enum rh_file_kind kind, const char *name, unsigned home)
{
    rh_autofree char *path = is_file_name(name) ? path_of(load, kind, name, home) : NULL;

    return path != NULL;
}

struct rh_file *
rh_role_find(struct rh_load *load, enum rh_file_kind kind, const char *name, unsigned home,
             struct rh_place place, const char *option)
{
    rh_autofree char *hint = NULL, *folder = NULL, *path = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_file *file;

    if (!is_file_name(name)) {
        rh_error_set(&err, RH_EINPUT, "'%s' is not a valid name for %s %s", name,
                     kind == RH_FILE_ROLE ? "a" : "an", kind_name(kind));
        hint = rh_printf(strstr(name, "${") ? "names of roles and environments cannot contain expressions"
                                            : "use the name of a file in '%s' without its ending",
                         folder_name(kind));
        complain(load, place, option, hint, &err);
        return NULL;
    }
    path = path_of(load, kind, name, home);
    if (path) {
        file = rh_file_named(load, path, home, &err, &hint);
        if (!file)
            complain(load, place, option, hint, &err);
        return file;
    }
    folder = rh_roots_name(&load->roots, folder_name(kind), home, NULL);
    rh_error_set(&err, RH_EINPUT, "unknown %s '%s': looked for '%s/%s.yaml'", kind_name(kind), name,
                 folder ? folder : folder_name(kind), name);
    hint = hint_for(kind, name, folder ? folder : folder_name(kind));
    complain(load, place, option, hint, &err);
    return NULL;
}

struct rh_file *
rh_role_read_name(struct rh_load *load, enum rh_file_kind kind, const struct rh_value *v, unsigned home)
{
    rh_autoerror struct rh_error err = { 0 };

    if (v->kind == RH_UNKNOWN)
        return NULL; /* was complained about */
    if (rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count)
        return rh_role_find(load, kind, v->u.string, home, rh_value_place(v), NULL);
    rh_error_set(&err, RH_EINPUT,
                 kind == RH_FILE_ROLE ? "expected the name of a role, or a list of names"
                                      : "expected the name of an environment");
    complain(load, rh_value_place(v), NULL, NULL, &err);
    return NULL;
}

/* What they have. */

static const struct {
    const char *word;
    bool environment; /* for environments as well */
} words[] = {
    { "desc", true },   { "default", true },    { "override", true }, { "sensitive", true },
    { "roles", false }, { "resources", false }, { "include", false }, { "defaults", false },
};

static void
check_key(struct rh_load *load, const struct rh_file *file, size_t i)
{
    const char *key = rh_value_entry(file->tree, i)->key;
    struct rh_place place = rh_value_key_place(file->tree, i);
    bool environment = file->kind == RH_FILE_ENVIRONMENT;
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    if (rh_is_extension_key(key))
        return;
    rh_suggest_init(&near, key);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (environment && !words[k].environment) {
            if (strcmp(words[k].word, key) != 0)
                continue;
            rh_complain(load->complaints, place, "put them into a role, or into a manifest",
                        "'%s' cannot be used in an environment", key);
            return;
        }
        if (strcmp(words[k].word, key) == 0)
            return;
        rh_suggest_try(&near, words[k].word);
    }
    if (strcmp(key, "attributes") == 0 || rh_node_level_find(key) >= 0)
        hint = rh_printf("write its attributes under 'default:' and 'override:'");
    else if (near.best)
        hint = rh_did_you_mean(near.best, NULL);
    else
        hint = rh_printf("it has: desc, default, override, sensitive%s",
                         environment ? "" : ", roles, include, defaults, resources");
    rh_complain(load->complaints, place, hint, "unknown key '%s' in %s %s", key, environment ? "an" : "a",
                kind_name(file->kind));
}

void
rh_role_check(struct rh_load *load, const struct rh_file *file)
{
    if (!file->tree || file->tree->kind == RH_UNKNOWN || rh_scalar_is_null(file->tree))
        return;
    if (file->tree->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(file->tree),
                    "it starts with 'default:', 'override:' or 'resources:'", "%s %s must be a hash, not %s",
                    file->kind == RH_FILE_ROLE ? "a" : "an", kind_name(file->kind),
                    rh_kind_name(file->tree->kind));
        return;
    }
    for (size_t i = 0; i < file->tree->count; i++)
        check_key(load, file, i);
}

struct rh_place
rh_role_named(const struct rh_file *file, const struct rh_file *inner)
{
    const struct rh_value *names = rh_value_get(file->tree, "roles");

    for (size_t i = 0; i < rh_value_count(names); i++) {
        const struct rh_value *v = rh_value_at(names, i);
        const char *name = rh_value_str(v, "");
        const char *slash = strrchr(inner->name, '/');
        size_t n = strlen(name);

        if (slash && strncmp(slash + 1, name, n) == 0 && slash[1 + n] == '.')
            return rh_value_place(v);
    }
    return names ? rh_value_place(names) : (struct rh_place){ .file = (uint16_t)file->source };
}
