/* SPDX-License-Identifier: Apache-2.0 */
/* registry-open - finds the plugins that are installed, and what each says of itself. */
#include "config.h"

#include "plugin/registry-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "plugin/data-types.h"
#include "plugin/load.h"
#include "plugin/policy.h"
#include "schema/type.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A data type with a name of its own. */
struct declared {
    const char *text, *path;
};

/* Asks the plugin, or remembers what it said. NULL: it is not remembered, and must not be asked. */
static const struct rh_value *
describe(struct rh_registry *r, const char *path, const struct stat *st)
{
    struct stat beside;
    const struct stat *types = rh_plugin_types_stat(path, &beside) ? &beside : NULL;
    const struct rh_value *known = rh_description_cache_get(&r->cache, path, st, types);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *answer;

    if (known)
        return known;
    if (r->passive)
        return NULL;
    rh_debug("describing the plugin '%s'", path);
    answer = rh_worker_describe(r->arena, path, r->isolation, r->confined, &err);
    if (!answer) {
        answer = rh_value_new(r->arena, RH_HASH);
        rh_value_put(answer, "error", rh_value_string(r->arena, err.message));
    }
    if (!err.message || err.kind == RH_EINPUT) /* what may be different next time is asked for again */
        return rh_description_cache_put(&r->cache, path, st, types, answer);
    return answer;
}

/* Another plugin has the same: the first one in the order of the search is used, as with commands in PATH,
 * so that no plugin can disable one that is installed. In one folder the order is by file name. */
static void
ignore_second(struct rh_registry *r, const struct rh_registry_entry *first, const char *path,
              const char *what)
{
    if (first->folder != r->folder)
        rh_registry_add_problem(
            r, "ignoring %s of plugin '%s': plugin '%s' in an earlier directory contains it too", what, path,
            first->path);
    else
        rh_registry_add_problem(
            r, "ignoring %s of plugin '%s': plugin '%s' in the same directory contains it too; remove one",
            what, path, first->path);
}

static void
add_provider(struct rh_registry *r, const char *path, const struct rh_value *description)
{
    const char *type = rh_value_get_str(description, "type", "");
    const char *provider = rh_value_get_str(description, "provider", "");
    struct rh_registry_entry *other = rh_registry_entry(r, type, provider);

    if (other && rh_registry_read(r, other, NULL)) {
        rh_autofree char *what = rh_printf("the provider '%s' of the type '%s'", provider, type);

        ignore_second(r, other, path, what);
        return;
    }
    if (!other) { /* else one that can't be used gives way */
        r->entries = rh_xgrow(r->entries, &r->cap, r->n, sizeof *r->entries);
        other = &r->entries[r->n++];
    }
    *other = (struct rh_registry_entry){
        .type = type,
        .provider = provider,
        .path = path,
        .folder = r->folder,
        .description = rh_value_get_str(description, "text", ""),
    };
}

/* One name means one thing, whoever uses it: two plugins may declare it alike. */
static int
add_data_types(struct rh_registry *r, const char *path, const struct rh_value *types)
{
    for (size_t i = 0; i < rh_value_count(types); i++) {
        const struct rh_entry *e = rh_value_entry(types, i);
        const struct declared *other = e ? rh_map_get(&r->data_types, e->key) : NULL;
        const char *text = e ? rh_value_str(e->value, "") : "";

        if (!other || strcmp(other->text, text) == 0)
            continue;
        rh_registry_add_problem(r,
                                "the plugin '%s' is not used: it declares the data type '%s' as %s, "
                                "and the plugin '%s' declares it as %s",
                                path, e->key, text, other->path, other->text);
        return -1;
    }
    for (size_t i = 0; i < rh_value_count(types); i++) {
        const struct rh_entry *e = rh_value_entry(types, i);
        struct declared *own = rh_arena_alloc(r->arena, sizeof *own);

        *own = (struct declared){ .text = rh_value_str(e->value, ""), .path = path };
        (void)rh_map_put(&r->data_types, e->key, own);
    }
    return 0;
}

static void
add_transport(struct rh_registry *r, const char *path, const struct rh_value *description)
{
    const char *name = rh_value_get_str(description, "type", "");
    struct rh_registry_entry *other = rh_registry_transport_entry(r, name);

    if (other && rh_registry_read(r, other, NULL)) {
        rh_autofree char *what = rh_printf("the transport '%s'", name);

        ignore_second(r, other, path, what);
        return;
    }
    if (!other) {
        r->transports = rh_xgrow(r->transports, &r->cap_transports, r->n_transports, sizeof *r->transports);
        other = &r->transports[r->n_transports++];
    }
    *other = (struct rh_registry_entry){
        .type = name,
        .provider = name,
        .path = path,
        .folder = r->folder,
        .description = rh_value_get_str(description, "text", ""),
        .transport = true,
    };
}

/* Directories are looked at once for all plugins in `folder`, which is a real path: `*good` is set then. */
static int
check_file(const char *path, const char *folder, bool *good, struct rh_error *err)
{
    size_t n = strlen(folder);
    bool directly = strncmp(path, folder, n) == 0 && path[n] == '/' && !strchr(path + n + 1, '/');

    if (directly && *good)
        return rh_plugin_check_neighbour(path, err);
    if (rh_plugin_check_file(path, err) < 0)
        return -1;
    *good |= directly;
    return 0;
}

static void
add_plugin(struct rh_registry *r, const char *path, const char *folder, bool *good)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *answer, *providers;
    const char *error;
    struct stat st;

    if (check_file(path, folder, good, &err) < 0) {
        rh_registry_add_problem(r, "the plugin '%s' is not used: %s", path, err.message);
        return;
    }
    if (stat(path, &st) < 0) {
        rh_registry_add_problem(r, "the plugin '%s' is not used: %s", path, strerror(errno));
        return;
    }
    if (!rh_policy_has_plugin(r->policy, path)) { /* not even loaded, to be described */
        rh_registry_add_problem(r, "the plugin '%s' is not used: it is not one of the 'plugins' in '%s'",
                                path, r->policy->path);
        return;
    }
    answer = describe(r, path, &st);
    if (!answer)
        return;
    error = rh_value_get_str(answer, "error", NULL);
    if (error) {
        rh_registry_add_problem(r, "the plugin '%s' is not used: %s", path, error);
        return;
    }
    providers = rh_value_get(answer, "providers");
    if (add_data_types(r, path, rh_value_get(rh_value_at(providers, 0), "data_types")) < 0)
        return;
    for (size_t i = 0; i < rh_value_count(providers); i++)
        add_provider(r, path, rh_value_at(providers, i));
    for (size_t i = 0; i < rh_value_count(rh_value_get(answer, "transports")); i++)
        add_transport(r, path, rh_value_at(rh_value_get(answer, "transports"), i));
    rh_registry_add_source(r, path, rh_value_get_str(rh_value_get(answer, "source"), "text", NULL));
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_shared_object(const char *name)
{
    size_t n = strlen(name);

    return n > 3 && strcmp(name + n - 3, ".so") == 0;
}

/* Of a plugin that is a program: the folder in this one with the file that describes it. */
static const char *
file_of_program(const char *folder, const struct dirent *e)
{
    rh_autofree char *path = NULL;

    if (e->d_type == DT_REG)
        return NULL;
    path = rh_printf("%s/%s", folder, e->d_name);
    return rh_bridge_file_in(path);
}

/* The names of plugins in a folder, sorted: those of shared objects, and those of folders. */
static char **
list_folder(const char *folder, size_t *n)
{
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;
    char **names = NULL;
    size_t cap = 0;

    *n = 0;
    if (!d) {
        if (errno != ENOENT)
            rh_log(RH_WARNING, "cannot search for plugins in '%s': %s; ignoring this directory", folder,
                   strerror(errno));
        return NULL;
    }
    while ((e = readdir(d))) {
        if (e->d_name[0] == '.' || (!is_shared_object(e->d_name) && !file_of_program(folder, e)))
            continue;
        names = rh_xgrow(names, &cap, *n, sizeof *names);
        names[(*n)++] = rh_xstrdup(e->d_name);
    }
    if (*n)
        qsort(names, *n, sizeof *names, by_name);
    return names;
}

static void
add_folder(struct rh_registry *r, const char *folder)
{
    char real[PATH_MAX];
    size_t n;
    char **names = realpath(folder, real) ? list_folder(real, &n) : NULL;
    bool good = false;

    for (size_t i = 0; names && i < n; i++) {
        char *name = rh_arena_strdup(r->arena, names[i]);
        char *path = rh_arena_printf(r->arena, "%s/%s", real, name);
        const char *file = is_shared_object(name) ? NULL : rh_bridge_file_in(path), *first;

        if (file)
            path = rh_arena_printf(r->arena, "%s/%s", path, file);
        first = rh_map_put(&r->files, name, path);

        if (!first)
            add_plugin(r, path, real, &good);
        else if (strcmp(first, path) != 0)
            rh_debug("'%s' stands in front of '%s'", first, path);
        free(names[i]);
    }
    free(names);
}

static int
by_type(const void *a, const void *b)
{
    const struct rh_registry_entry *x = a, *y = b;
    int order = strcmp(x->type, y->type);

    return order ? order : strcmp(x->provider, y->provider);
}

static int
by_search(const void *a, const void *b)
{
    const struct rh_registry_entry *x = *(struct rh_registry_entry *const *)a;
    const struct rh_registry_entry *y = *(struct rh_registry_entry *const *)b;

    if (x->folder != y->folder)
        return x->folder < y->folder ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Of providers of one type that disagree about it, the first in the order of the search is used. */
static void
compare_providers(struct rh_registry *r, struct rh_registry_entry *first, size_t n)
{
    rh_autofree struct rh_registry_entry **list = rh_xalloc(rh_xmul(n, sizeof(void *)));

    for (size_t i = 0; i < n; i++) {
        list[i] = &first[i];
        rh_discard(rh_registry_read(r, list[i], NULL) != NULL);
    }
    qsort(list, n, sizeof *list, by_search);
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i && !list[i]->refused; k++) {
            rh_autobuf struct rh_buf what = { 0 };

            if (list[k]->refused || !rh_choice_conflict(list[k]->read, list[i]->read, &what))
                continue;
            rh_registry_add_problem(
                r,
                "ignoring the provider '%s' of the type '%s' of plugin '%s': its provider "
                "'%s' of plugin '%s' is found first and defines the type differently: %s",
                list[i]->provider, list[i]->type, list[i]->path, list[k]->provider, list[k]->path,
                rh_buf_text(&what));
            list[i]->refused = true;
        }
}

static void
group_by_type(struct rh_registry *r)
{
    for (size_t i = 0, n; i < r->n; i += n) {
        struct rh_registry_entry *left = NULL;
        size_t usable = 0;

        n = rh_registry_count(r, i);
        if (n > 1)
            compare_providers(r, &r->entries[i], n);
        for (size_t k = i; k < i + n; k++)
            if (!r->entries[k].refused) {
                left = &r->entries[k];
                usable++;
            }
        if (usable != 1)
            continue;
        left->sole = true;
        if (left->read)
            left->read->sole = true;
    }
}

struct rh_registry *
rh_registry_open(const struct rh_registry_options *options)
{
    struct rh_registry *r = rh_xalloc(sizeof *r);

    r->arena = rh_arena_new(NULL);
    r->isolation = options->isolation;
    r->passive = options->passive;
    r->policy = options->policy;
    r->confined = options->confined;
    rh_description_cache_open(&r->cache, r->arena, options->cache);
    for (; r->folder < options->n_folders; r->folder++)
        add_folder(r, options->folders[r->folder]);
    if (!r->passive)
        rh_description_cache_save(&r->cache);
    if (r->n)
        qsort(r->entries, r->n, sizeof *r->entries, by_type);
    group_by_type(r);
    return r;
}
