/* SPDX-License-Identifier: Apache-2.0 */
/* files - finding the data files: those that are there, and a note of those that are not. */
#include "config.h"

#include "manifest/data/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/source.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/load/paths.h"
#include "manifest/load/root.h"
#include "manifest/text/scalar.h"
#include "script/script.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct finding {
    struct rh_load *load;
    struct rh_data *data;
    const struct rh_value *template;
};

static void
complain(const struct finding *f, const char *hint, const struct rh_error *err)
{
    rh_complain_error(f->load->complaints, rh_value_place(f->template), hint, err);
}

/* For those who explain a value. */
static void
note(const struct finding *f, const char *name, bool found)
{
    struct rh_catalog *c = f->load->catalog;
    struct rh_value *v = rh_value_hash(c->arena, 3), *location = rh_value_hash(c->arena, 3);
    struct rh_place place = rh_value_place(f->template);
    const char *manifest = rh_sources_name(c->sources, place.file);

    if (!c->data_files)
        c->data_files = rh_value_new(c->arena, RH_ARRAY);
    rh_value_put(v, "file", rh_value_string(c->arena, name));
    rh_value_put(v, "found", rh_value_boolean(c->arena, found));
    rh_value_put(location, "file", rh_value_string(c->arena, manifest ? manifest : ""));
    rh_value_put(location, "line", rh_value_integer(c->arena, place.line));
    rh_value_put(location, "column", rh_value_integer(c->arena, place.column));
    rh_value_put(v, "location", location);
    rh_value_append(c->data_files, v);
}

/* What is not there, or below what is no directory. A link that leads nowhere is there. */
static bool
is_missing(const char *name)
{
    struct stat st;

    return lstat(name, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

static bool
check_kind(const struct finding *f, const struct rh_file *file)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *what = NULL;

    if (file->kind == RH_FILE_DATA)
        return true;
    if (file->kind == RH_FILE_RECIPE)
        what = "a recipe";
    else if (file->kind == RH_FILE_COMPILED)
        what = "a compiled catalog";
    else if (file->kind == RH_FILE_ROLE)
        what = "a role";
    else if (file->kind == RH_FILE_ENVIRONMENT)
        what = "an environment";
    else if (file->is_argument || file->gathered)
        what = "a manifest";
    if (!what)
        return true;
    rh_error_set(&err, RH_EINPUT, "'%s' is %s and cannot be a data file", file->name, what);
    complain(f, "a data file has attributes only, in a directory of its own such as 'data'", &err);
    return false;
}

static bool
check_tree(const struct finding *f, const struct rh_file *file)
{
    if (!file->tree || file->tree->kind == RH_UNKNOWN || rh_scalar_is_null(file->tree))
        return false;
    if (file->tree->kind == RH_HASH)
        return true;
    rh_complain(f->load->complaints, rh_value_place(file->tree), "for example: web: {port: 8080}",
                "a data file must be a hash of attributes, not %s", rh_kind_name(file->tree->kind));
    return false;
}

static void
add_file(const struct finding *f, const char *path)
{
    const unsigned from = rh_value_place(f->template).file;
    struct rh_data *data = f->data;
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *hint = NULL;
    rh_autofree char *name = rh_roots_name(&f->load->roots, path, from, &err);
    struct rh_file *file;
    bool known = false;

    if (!name) {
        complain(f, NULL, &err);
        return;
    }
    if (is_missing(name)) {
        note(f, name, false);
        return;
    }
    file = rh_file_named(f->load, path, from, &err, &hint);
    if (!file) {
        complain(f, NULL, &err);
        return;
    }
    for (size_t i = 0; i < data->n_files; i++)
        known |= data->files[i] == file;
    if (known || !check_kind(f, file))
        return; /* it counts where it is named first */
    file->kind = RH_FILE_DATA;
    note(f, file->name, true);
    if (!check_tree(f, file))
        return;
    data->files = rh_xgrow((void *)data->files, &data->cap_files, data->n_files, sizeof file);
    data->files[data->n_files++] = file;
}

/* Whether the template is a pattern as it was written. */
static bool
is_pattern(const struct rh_value *v)
{
    const char *s = v->u.string, *from;

    while ((from = strstr(s, "${"))) {
        size_t n = rh_script_expression_end(from + 2, strlen(from + 2));
        rh_autofree char *before = rh_xstrndup(s, (size_t)(from - s));

        if (rh_paths_is_pattern(before))
            return true;
        if (n == SIZE_MAX)
            return false;
        s = from + 2 + n + 1;
    }
    return rh_paths_is_pattern(s);
}

static void
add_matching(const struct finding *f, const char *path)
{
    const unsigned from = rh_value_place(f->template).file;
    const char *slash = strrchr(path, '/');
    rh_autofree char *folder = slash ? rh_xstrndup(path, (size_t)(slash - path)) : rh_xstrdup(".");
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = rh_roots_name(&f->load->roots, *folder ? folder : "/", from, &err);
    rh_autofree char *shown = name ? rh_roots_name(&f->load->roots, path, from, NULL) : NULL;
    rh_autopaths struct rh_paths paths = { 0 };

    if (!name) {
        complain(f, NULL, &err);
        return;
    }
    if (!rh_paths_is_pattern(name) && is_missing(*name ? name : ".")) {
        note(f, shown ? shown : path, false);
        return;
    }
    if (rh_paths_expand(f->load, path, from, &paths, &err) < 0)
        complain(f, NULL, &err);
    else if (!paths.n)
        note(f, shown ? shown : path, false);
    for (size_t i = 0; i < paths.n; i++)
        add_file(f, paths.v[i]);
}

static void
read_template(struct rh_load *load, struct rh_data *data, struct rh_value *v)
{
    struct finding f = { load, data, v };
    bool pattern;

    if (v->kind == RH_UNKNOWN)
        return; /* was complained about */
    if (!rh_value_is(v, RH_STRING) || !v->count || strlen(v->u.string) != v->count) {
        rh_complain(load->complaints, rh_value_place(v), "for example: data/hosts/${node.fqdn}.yaml",
                    "expected the path of a data file, or a list of paths");
        return;
    }
    pattern = is_pattern(v);
    if (rh_substitute(load, v) < 0 || v->kind == RH_UNKNOWN)
        return; /* what is not asked for now names no file */
    if (!rh_value_is(v, RH_STRING) || !v->count || strlen(v->u.string) != v->count)
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    "the path of a data file must be a text, not %s",
                    rh_value_is(v, RH_STRING) ? "an empty one" : rh_kind_name(v->kind));
    else if (pattern)
        add_matching(&f, v->u.string);
    else
        add_file(&f, v->u.string);
}

void
rh_data_find(struct rh_load *load, struct rh_data *data, const struct rh_value *templates)
{
    struct rh_value *all = rh_value_copy(load->catalog->arena, templates);

    if (all->kind != RH_ARRAY)
        read_template(load, data, all);
    for (uint32_t i = 0; all->kind == RH_ARRAY && i < all->count; i++)
        read_template(load, data, rh_draft_part(all, i));
}
