/* SPDX-License-Identifier: Apache-2.0 */
/* include - entries of other files, read where they are named. */
#include "config.h"

#include "manifest/include.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "base/value-parts.h"
#include "catalog/catalog.h"
#include "manifest/body.h"
#include "manifest/expression/substitute.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/load/root.h"
#include "manifest/node-attributes.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The paths that one path stands for. */
struct paths {
    char **v;
    size_t n, cap;
    bool pattern;
};

static void
clear_paths(struct paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i]);
    free(p->v);
}

#define AUTO_PATHS __attribute__((cleanup(clear_paths))) struct paths

static void
add_path(struct paths *p, char *path)
{
    p->v = rh_xgrow((void *)p->v, &p->cap, p->n, sizeof *p->v);
    p->v[p->n++] = path;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_pattern(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

/* Fills in what matches; -1 with the reason. */
static int
expand(struct rh_load *load, const char *path, unsigned from, struct paths *out,
       struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    rh_autofree char *folder = slash ? rh_xstrndup(path, (size_t)(slash - path) + 1) : rh_xstrdup("");
    rh_autofree char *name = NULL;
    rh_autoclosedir DIR *d = NULL;
    const struct dirent *e;

    if (!is_pattern(path)) {
        add_path(out, rh_xstrdup(path));
        return 0;
    }
    out->pattern = true;
    if (is_pattern(folder))
        return rh_error_set(err, RH_EINPUT, "'%s': only behind the last '/' a name may have '*', '?' "
                            "or '['", path);
    name = rh_roots_name(&load->roots, *folder ? folder : ".", from, err);
    if (!name)
        return -1;
    d = opendir(*name ? name : ".");
    if (!d)
        return rh_error_system(err, errno, "cannot open the folder '%s'", *name ? name : ".");
    while ((errno = 0, e = readdir(d)))
        if (fnmatch(last, e->d_name, FNM_PERIOD) == 0)
            add_path(out, rh_printf("%s%s", folder, e->d_name));
    if (errno)
        return rh_error_system(err, errno, "cannot read the folder '%s'", *name ? name : ".");
    if (out->n)
        qsort((void *)out->v, out->n, sizeof *out->v, by_bytes);
    return 0;
}

/* Reading. */

static int
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *why)
{
    if (!hint && strstr(why, "No such file"))
        hint = "it is looked for beside the file that names it";
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", why);
    rh_catalog_excuse(load->catalog, NULL, NULL); /* nobody knows what it would have declared */
    return -1;
}

static int
refuse_kind(struct rh_load *load, const struct rh_value *v, const struct rh_file *file)
{
    rh_autofree char *why = NULL;

    if (file->kind == RH_FILE_COMPILED) {
        why = rh_printf("'%s' is a compiled catalog, whose order is settled: it can't become part of "
                        "another list", file->name);
        return refuse(load, v, "name it on the command line, beside this manifest", why);
    }
    why = rh_printf("'%s' is an environment, and those have no entries", file->name);
    return refuse(load, v, "choose one by 'environment: NAME' or --environment=NAME", why);
}

static bool
has_attributes(const struct rh_file *file)
{
    return rh_value_get(file->tree, "attributes") || rh_value_get(file->tree, "default")
           || rh_value_get(file->tree, "override") || rh_value_get(file->tree, "roles");
}

static int
read_file(struct rh_load *load, struct rh_file *file, const struct rh_value *v)
{
    const struct rh_value *scope = load->scope;
    size_t before = rh_complaints_count(load->complaints);

    if (file->kind == RH_FILE_COMPILED || file->kind == RH_FILE_ENVIRONMENT)
        return refuse_kind(load, v, file);
    if (load->doubt.line && !file->settled && has_attributes(file))
        return refuse(load, v, "put the attributes into a file of their own, or the condition at the "
                      "entries", "whether the file is included is not known before something has run, "
                      "and it has attributes");
    if (rh_file_enter(load, file, rh_value_place(v)) < 0)
        return refuse(load, v, NULL, "files are included in each other more than 50 deep");
    load->scope = NULL;
    rh_settle_file(load, file);
    rh_body_read(load, file);
    load->scope = scope;
    rh_file_leave(load, file);
    return rh_complaints_count(load->complaints) > before ? -1 : 0;
}

static int
read_path(struct rh_load *load, const struct rh_value *v, const char *path, bool pattern)
{
    struct rh_place place = rh_value_place(v);
    rh_autofree char *why = NULL, *hint = NULL, *circle = NULL;
    struct rh_file *file = rh_file_named(load, path, place.file, &why, &hint);

    if (!file)
        return refuse(load, v, hint, why ? why : "it can't be read");
    if (file->active) {
        if (pattern)
            return 0; /* among its neighbours */
        circle = rh_file_circle(load, file, place);
        why = rh_printf("'%s' includes itself: %s", file->name, circle);
        return refuse(load, v, NULL, why);
    }
    return file->done ? 0 : read_file(load, file, v);
}

static int
read_one(struct rh_load *load, const struct rh_value *v)
{
    rh_autoerror struct rh_error err = { 0 };
    AUTO_PATHS paths = { 0 };
    int rc = 0;

    if (v->kind == RH_UNKNOWN)
        return -1; /* was complained about */
    if (!rh_value_is(v, RH_STRING) || !v->count || strlen(v->u.string) != v->count)
        return refuse(load, v, "for example: - include: roles/web.yaml",
                      "expected the name of a file, or a list of names");
    if (expand(load, v->u.string, rh_value_place(v).file, &paths, &err) < 0)
        return refuse(load, v, NULL, err.message);
    for (size_t i = 0; i < paths.n; i++)
        if (read_path(load, v, paths.v[i], paths.pattern) < 0)
            rc = -1;
    return rc;
}

int
rh_include_paths(struct rh_load *load, struct rh_value *paths)
{
    int rc = 0;

    if (rh_substitute(load, paths) < 0)
        return -1;
    if (paths->kind != RH_ARRAY)
        return read_one(load, paths);
    for (size_t i = 0; i < paths->count; i++)
        if (read_one(load, rh_value_at(paths, i)) < 0)
            rc = -1;
    return rc;
}

static bool
knows_key(const char *key)
{
    return strcmp(key, "include") == 0 || strcmp(key, "when") == 0 || strcmp(key, "for_each") == 0;
}

int
rh_include_read(struct rh_load *load, struct rh_value *entry, size_t at)
{
    const struct rh_entry *e = rh_value_entry(entry, at);

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        if (knows_key(key))
            continue;
        rh_complain(load->complaints, rh_value_key_place(entry, i),
                    "what the entries of the file say stands in the file; beside 'include' goes "
                    "'when'",
                    "'include' has no '%s'", key);
        rh_catalog_excuse(load->catalog, NULL, NULL);
        return -1;
    }
    if (load->container) {
        rh_complain(load->complaints, rh_value_key_place(entry, at),
                    "include the file before the definition is used",
                    "a definition can't include files");
        return -1;
    }
    return rh_include_paths(load, e->value);
}

/* Before anything is read. */

static void
fixed_path(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
           void (*one)(void *, struct rh_file *, const struct rh_value *), void *to)
{
    rh_autoerror struct rh_error err = { 0 };
    AUTO_PATHS paths = { 0 };

    if (!rh_value_is(v, RH_STRING) || strlen(v->u.string) != v->count || strstr(v->u.string, "${"))
        return;
    if (expand(load, v->u.string, file->source, &paths, &err) < 0)
        return;
    for (size_t i = 0; i < paths.n; i++) {
        struct rh_file *included = rh_file_named(load, paths.v[i], file->source, NULL, NULL);

        if (included)
            one(to, included, v);
    }
}

void
rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                 void (*one)(void *to, struct rh_file *included, const struct rh_value *path),
                 void *to)
{
    if (!rh_value_is(v, RH_ARRAY))
        fixed_path(load, file, v, one, to);
    else
        for (size_t i = 0; i < v->count; i++)
            fixed_path(load, file, rh_value_at(v, i), one, to);
}
