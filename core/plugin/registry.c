/* SPDX-License-Identifier: Apache-2.0 */
/* registry - the types that are installed here. */
#include "config.h"

#include "plugin/registry.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/bridge.h"
#include "plugin/data-types.h"
#include "plugin/description-cache.h"
#include "plugin/load.h"
#include "schema/type.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A provider that some plugin describes; read into a type when somebody asks for it. */
struct entry {
    const char *type, *provider, *path;
    const struct rh_value *description;
    struct rh_type *read;
    struct rh_candidate candidate;
    bool refused; /* a problem says why */
    bool sole;    /* nobody else serves the type */
};

/* A data type with a name of its own. */
struct declared {
    const char *text, *path;
};

struct rh_registry {
    struct rh_arena *arena;
    enum rh_isolation isolation;
    struct rh_description_cache cache;
    struct entry *entries;
    size_t n, cap;
    struct entry *transports;
    size_t n_transports, cap_transports;
    char **problems;
    size_t n_problems, cap_problems;
    struct rh_map files; /* names that were found already */
    struct rh_map data_types; /* names that plugins declared: struct declared */
    rh_suits_fn *suits;  /* or NULL */
    void *suits_data;
};

static void __attribute__((format(printf, 2, 3)))
add_problem(struct rh_registry *r, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    r->problems = rh_xgrow(r->problems, &r->cap_problems, r->n_problems, sizeof *r->problems);
    r->problems[r->n_problems++] = rh_safe_text(text);
}

/* Asks the plugin, or remembers what it said. */
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
    rh_debug("describing the plugin '%s'", path);
    answer = rh_worker_describe(r->arena, path, r->isolation, &err);
    if (!answer) {
        answer = rh_value_new(r->arena, RH_HASH);
        rh_value_put(answer, "error", rh_value_string(r->arena, err.message));
    }
    if (err.kind != RH_ESYSTEM) /* what may be different next time is asked for again */
        rh_description_cache_put(&r->cache, path, st, types, answer);
    return answer;
}

static struct entry *
find_entry(const struct rh_registry *r, const char *type, const char *provider)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->entries[i].type, type) == 0
            && (!provider || strcmp(r->entries[i].provider, provider) == 0))
            return &r->entries[i];
    return NULL;
}

static void
add_provider(struct rh_registry *r, const char *path, const struct rh_value *description)
{
    const char *type = rh_value_get_str(description, "type", "");
    const char *provider = rh_value_get_str(description, "provider", "");
    struct entry *other = find_entry(r, type, provider);

    if (other) {
        /* Taking either would be a guess about whom to trust. */
        add_problem(r, "the plugins '%s' and '%s' both have the provider '%s' of the type '%s'; "
                       "neither of them is used for it: remove one",
                    other->path, path, provider, type);
        other->refused = true;
        return;
    }
    r->entries = rh_xgrow(r->entries, &r->cap, r->n, sizeof *r->entries);
    r->entries[r->n++] = (struct entry){
        .type = type,
        .provider = provider,
        .path = path,
        .description = description,
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
        add_problem(r, "the plugin '%s' is not used: it declares the data type '%s' as %s, and the "
                       "plugin '%s' declares it as %s",
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

static struct entry *
find_transport(const struct rh_registry *r, const char *name)
{
    for (size_t i = 0; i < r->n_transports; i++)
        if (strcmp(r->transports[i].type, name) == 0)
            return &r->transports[i];
    return NULL;
}

static void
add_transport(struct rh_registry *r, const char *path, const struct rh_value *description)
{
    const char *name = rh_value_get_str(description, "type", "");
    struct entry *other = find_transport(r, name);

    if (other) {
        add_problem(r, "the plugins '%s' and '%s' both have the transport '%s'; neither of them is used "
                       "for it: remove one",
                    other->path, path, name);
        other->refused = true;
        return;
    }
    r->transports = rh_xgrow(r->transports, &r->cap_transports, r->n_transports, sizeof *r->transports);
    r->transports[r->n_transports++] = (struct entry){
        .type = name, .provider = name, .path = path, .description = description,
    };
}

static void
add_plugin(struct rh_registry *r, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *answer, *providers;
    const char *error;
    struct stat st;

    if (rh_plugin_check_file(path, &err) < 0) {
        add_problem(r, "the plugin '%s' is not used: %s", path, err.message);
        return;
    }
    if (stat(path, &st) < 0) {
        add_problem(r, "the plugin '%s' is not used: %s", path, strerror(errno));
        return;
    }
    answer = describe(r, path, &st);
    error = rh_value_get_str(answer, "error", NULL);
    if (error) {
        add_problem(r, "the plugin '%s' is not used: %s", path, error);
        return;
    }
    providers = rh_value_get(answer, "providers");
    if (add_data_types(r, path, rh_value_get(rh_value_at(providers, 0), "data_types")) < 0)
        return;
    for (size_t i = 0; i < rh_value_count(providers); i++)
        add_provider(r, path, rh_value_at(providers, i));
    for (size_t i = 0; i < rh_value_count(rh_value_get(answer, "transports")); i++)
        add_transport(r, path, rh_value_at(rh_value_get(answer, "transports"), i));
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
            rh_log(RH_WARNING, "cannot look for plugins in '%s': %s, going on without", folder,
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

    for (size_t i = 0; names && i < n; i++) {
        char *name = rh_arena_strdup(r->arena, names[i]);
        char *path = rh_arena_printf(r->arena, "%s/%s", real, name);
        const char *file = is_shared_object(name) ? NULL : rh_bridge_file_in(path), *first;

        if (file)
            path = rh_arena_printf(r->arena, "%s/%s", path, file);
        first = rh_map_put(&r->files, name, path);

        if (!first)
            add_plugin(r, path);
        else if (strcmp(first, path) != 0)
            rh_debug("'%s' stands in front of '%s'", first, path);
        free(names[i]);
    }
    free(names);
}

static int
by_type(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->type, y->type);

    return order ? order : strcmp(x->provider, y->provider);
}

/* The description becomes a type; one that can't be one is a problem, said once. */
static const struct rh_type *
read_entry(struct rh_registry *r, struct entry *e, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    rh_autobuf struct rh_buf text = { 0 };

    if (e->refused)
        return NULL;
    if (e->read)
        return e->read;
    e->read = rh_type_read(r->arena, e->description, &why);
    if (!e->read) {
        e->refused = true;
        add_problem(r, "the plugin '%s' is not used: %s", e->path, why.message);
        rh_error_move(err, &why);
        return NULL;
    }
    rh_value_to_json(&text, e->description, true);
    e->read->path = e->path;
    e->read->description = rh_arena_strdup(r->arena, rh_buf_text(&text));
    e->read->sole = e->sole;
    return e->read;
}

/* Providers of one type that disagree about it: taking any would be a guess about whom to trust. */
static void
compare_providers(struct rh_registry *r, struct entry *first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)read_entry(r, &first[i], NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            rh_autobuf struct rh_buf what = { 0 };

            if (!first[i].read || !first[k].read
                || !rh_choice_conflict(first[i].read, first[k].read, &what))
                continue;
            add_problem(r, "the plugins '%s' and '%s' disagree about the type '%s', of which the one "
                           "has the provider '%s' and the other '%s': %s; neither of them is used for "
                           "it: remove one",
                        first[i].path, first[k].path, first[i].type, first[i].provider,
                        first[k].provider, rh_buf_text(&what));
            first[i].refused = first[k].refused = true;
        }
}

static size_t
count_of_type(const struct rh_registry *r, size_t first)
{
    size_t n = 1;

    while (first + n < r->n && strcmp(r->entries[first + n].type, r->entries[first].type) == 0)
        n++;
    return n;
}

static void
group_by_type(struct rh_registry *r)
{
    for (size_t i = 0, n; i < r->n; i += n) {
        struct entry *left = NULL;
        size_t usable = 0;

        n = count_of_type(r, i);
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
    rh_description_cache_open(&r->cache, r->arena, options->cache);
    for (size_t i = 0; i < options->n_folders; i++)
        add_folder(r, options->folders[i]);
    rh_description_cache_save(&r->cache);
    if (r->n)
        qsort(r->entries, r->n, sizeof *r->entries, by_type);
    group_by_type(r);
    return r;
}

void
rh_registry_free(struct rh_registry *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_problems; i++)
        free(r->problems[i]);
    free(r->problems);
    free(r->entries);
    free(r->transports);
    rh_map_clear(&r->files);
    rh_map_clear(&r->data_types);
    rh_arena_free(r->arena);
    free(r);
}

void
rh_registry_ask(struct rh_registry *r, rh_suits_fn *suits, void *data)
{
    r->suits = suits;
    r->suits_data = data;
}

static const struct rh_candidate *
ask(struct rh_registry *r, struct entry *e)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_candidate *c = &e->candidate;

    if (c->asked)
        return c;
    *c = (struct rh_candidate){ .type = e->read, .how_well = 1, .asked = true };
    if (r->suits && e->read->slots & RH_HAS_SUITS)
        c->how_well = r->suits(r->suits_data, e->read, &why);
    if (!c->how_well && why.message)
        c->why = rh_arena_strdup(r->arena, why.message);
    return c;
}

/* The usable one of a group, or of several the one that suits best. */
static const struct rh_type *
choose(struct rh_registry *r, struct entry *first, struct rh_error *err)
{
    size_t n = count_of_type(r, (size_t)(first - r->entries)), usable = 0;
    rh_autofree const struct rh_candidate **list = rh_xalloc(rh_xmul(n, sizeof(void *)));
    const struct rh_candidate *best;
    struct entry *one = NULL;

    for (size_t i = 0; i < n; i++)
        if (read_entry(r, &first[i], err) && !first[i].refused) {
            one = &first[i];
            usable++;
        }
    if (usable)
        rh_error_clear(err); /* one that can't be used leaves the others */
    if (usable == 1)
        return one->read;
    usable = 0;
    for (size_t i = 0; i < n; i++)
        if (!first[i].refused)
            list[usable++] = ask(r, &first[i]);
    best = usable ? rh_choice_make(list, usable, err) : NULL;
    return best ? best->type : NULL;
}

/* A provider that is not there, and those that are. */
static void
refuse_provider(const struct rh_registry *r, const struct entry *first, const char *provider,
                struct rh_error *err)
{
    rh_autobuf struct rh_buf names = { 0 };
    struct rh_suggest near;
    size_t n = count_of_type(r, (size_t)(first - r->entries));

    rh_suggest_init(&near, provider);
    for (size_t i = 0; i < n; i++) {
        rh_suggest_try(&near, first[i].provider);
        rh_buf_addf(&names, "%s%s", i ? ", " : "", first[i].provider);
    }
    rh_error_set(err, RH_EINPUT, "the type '%s' has no provider '%s' (it has %s)%s%s%s", first->type,
                 provider, rh_buf_text(&names), near.best ? ": did you mean '" : "",
                 near.best ? near.best : "", near.best ? "'?" : "");
}

const struct rh_type *
rh_registry_find(struct rh_registry *r, const char *type, const char *provider, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct entry *first = find_entry(r, type, NULL), *e = first;
    const struct rh_type *t = NULL;

    if (!first)
        return NULL;
    if (provider && !(e = find_entry(r, type, provider))) {
        refuse_provider(r, first, provider, err);
        return NULL;
    }
    if (!provider)
        t = choose(r, first, &why);
    else if (!e->refused)
        t = read_entry(r, e, &why);
    if (t)
        return t;
    if (provider)
        rh_error_set(&why, RH_EINPUT, "the provider '%s' of the type '%s' can't be used: its plugin "
                                      "was refused", provider, type);
    else
        rh_error_set(&why, RH_EINPUT, "the type '%s' can't be used: its plugin was refused", type);
    rh_error_move(err, &why);
    return NULL;
}

const struct rh_type *
rh_registry_next(struct rh_registry *r, const char *type, const struct rh_type *before)
{
    const struct entry *first = find_entry(r, type, NULL);
    size_t n = first ? count_of_type(r, (size_t)(first - r->entries)) : 0;
    bool passed = !before;

    for (size_t i = 0; i < n; i++) {
        struct entry *e = &r->entries[(size_t)(first - r->entries) + i];

        if (passed && !e->refused && read_entry(r, e, NULL))
            return e->read;
        passed |= e->read && e->read == before;
    }
    return NULL;
}

const struct rh_candidate *
rh_registry_suits(struct rh_registry *r, const struct rh_type *t)
{
    return ask(r, find_entry(r, t->type, t->provider));
}

const struct rh_type *
rh_registry_owner(struct rh_registry *r, const char *type, const char *attr)
{
    const struct rh_type *t = NULL;

    while ((t = rh_registry_next(r, type, t)))
        if (rh_type_attr(t, attr))
            return t;
    return NULL;
}

const struct rh_type *
rh_registry_transport(struct rh_registry *r, const char *name, struct rh_error *err)
{
    struct entry *e = find_transport(r, name);
    const struct rh_type *t = e ? read_entry(r, e, err) : NULL;

    if (e && !t)
        rh_error_set(err, RH_EINPUT, "the transport '%s' can't be used: its plugin was refused", name);
    return t;
}

void
rh_registry_suggest_transport(const struct rh_registry *r, struct rh_suggest *s)
{
    for (size_t i = 0; i < r->n_transports; i++)
        rh_suggest_try(s, r->transports[i].type);
}

void
rh_registry_suggest(const struct rh_registry *r, struct rh_suggest *s)
{
    for (size_t i = 0; i < r->n; i++)
        rh_suggest_try(s, r->entries[i].type);
}

void
rh_registry_each(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t), void *data)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct rh_type *t = read_entry(r, &r->entries[i], NULL);

        if (t)
            fn(data, t);
    }
}

size_t
rh_registry_problems(const struct rh_registry *r)
{
    return r->n_problems;
}

const char *
rh_registry_problem(const struct rh_registry *r, size_t i)
{
    return i < r->n_problems ? r->problems[i] : NULL;
}
