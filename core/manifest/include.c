/* SPDX-License-Identifier: Apache-2.0 */
/* include - entries of other files, read where they are named. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/defaults.h"
#include "manifest/expression/expression.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/load/paths.h"

#include <string.h>

static void
refuse_error(struct rh_load *load, const struct rh_value *v, const char *hint, const struct rh_error *err)
{
    if (!hint && strstr(err->message, "No such file"))
        hint = "the path is relative to the file that names it";
    rh_complain_error(load->complaints, rh_value_place(v), hint, err);
    rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have declared is unknown */
}

static void
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *why)
{
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", why);
    rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have declared is unknown */
}

static void
refuse_kind(struct rh_load *load, const struct rh_value *v, const struct rh_file *file)
{
    rh_autofree char *why = NULL;

    if (file->kind == RH_FILE_COMPILED) {
        why = rh_printf("'%s' is a compiled catalog and cannot be included", file->name);
        refuse(load, v, "name it on the command line, beside this manifest", why);
        return;
    }
    if (file->kind == RH_FILE_DATA) {
        why = rh_printf("'%s' is a data file and cannot be included", file->name);
        refuse(load, v, "'data' of the manifest names it already", why);
        return;
    }
    why = rh_printf("'%s' is an environment and cannot be included", file->name);
    refuse(load, v, "choose an environment with 'environment: NAME' or --environment=NAME", why);
}

static bool
has_attributes(const struct rh_file *file)
{
    return rh_value_get(file->tree, "attributes") || rh_value_get(file->tree, "default")
           || rh_value_get(file->tree, "override") || rh_value_get(file->tree, "roles");
}

int
rh_include_check_attributes(struct rh_load *load, const struct rh_file *file)
{
    if (!load->context.module || !has_attributes(file))
        return 0;
    rh_complain(load->complaints, rh_value_place(file->tree),
                "set attributes in the site, and give them to the definitions as parameters",
                "the module '%s' sets attributes", load->context.module);
    return -1;
}

static void
read_file(struct rh_load *load, struct rh_file *file, const struct rh_value *v)
{
    const struct rh_value *scope = load->context.scope;

    if (file->kind == RH_FILE_COMPILED || file->kind == RH_FILE_ENVIRONMENT || file->kind == RH_FILE_DATA) {
        refuse_kind(load, v, file);
        return;
    }
    if ((load->context.undecided.line || load->context.conditions) && !file->merged && has_attributes(file)) {
        refuse(load, v, "move the attributes to a file of their own, or write 'when' at each entry",
               "'when' is not known before the run, and the included file sets attributes");
        return;
    }
    if (rh_include_check_attributes(load, file) < 0)
        return;
    if (rh_file_enter(load, file, rh_value_place(v)) < 0) {
        refuse(load, v, NULL, "includes are nested more than 50 deep");
        return;
    }
    load->context.scope = NULL;
    rh_node_attributes_read_file(load, file);
    rh_body_read(load, file);
    load->context.scope = scope;
    rh_file_leave(load, file);
}

static void
read_path(struct rh_load *load, const struct rh_value *v, const char *path, bool pattern)
{
    struct rh_place place = rh_value_place(v);
    rh_autofree char *hint = NULL, *circle = NULL;
    rh_autoerror struct rh_error why = { 0 };
    struct rh_file *file = rh_file_named(load, path, place.file, &why, &hint);

    if (!file && why.message) {
        refuse_error(load, v, hint, &why);
    } else if (!file) {
        refuse(load, v, hint, "cannot read the file");
    } else if (file->active && !pattern) { /* among its neighbours it may be */
        circle = rh_file_circle(load, file, place);
        rh_error_set(&why, RH_EINPUT, "'%s' includes itself: %s", file->name, circle);
        refuse_error(load, v, NULL, &why);
    } else if (!file->active && !file->done) {
        read_file(load, file, v);
    }
}

static void
read_one(struct rh_load *load, const struct rh_value *v)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autopaths struct rh_paths paths = { 0 };

    if (v->kind == RH_UNKNOWN)
        return; /* was complained about */
    if (!rh_value_is(v, RH_STRING) || !v->count || strlen(v->u.string) != v->count)
        refuse(load, v, "for example: - include: roles/web.yaml",
               "expected the name of a file, or a list of names");
    else if (rh_paths_expand(load, v->u.string, rh_value_place(v).file, &paths, &err) < 0)
        refuse_error(load, v, NULL, &err);
    for (size_t i = 0; i < paths.n; i++)
        read_path(load, v, paths.v[i], paths.pattern);
}

void
rh_include_paths(struct rh_load *load, struct rh_value *paths)
{
    if (rh_substitute(load, paths) < 0)
        return;
    if (paths->kind != RH_ARRAY)
        read_one(load, paths);
    for (size_t i = 0; paths->kind == RH_ARRAY && i < paths->count; i++)
        read_one(load, rh_value_at(paths, i));
}

static bool
knows_key(const char *key)
{
    return strcmp(key, "include") == 0 || strcmp(key, "when") == 0 || strcmp(key, "for_each") == 0
           || strcmp(key, "defaults") == 0;
}

int
rh_include_read(struct rh_load *load, struct rh_value *entry, size_t at)
{
    const struct rh_defaults *around = load->context.defaults;
    unsigned groups = load->context.groups;
    size_t before = rh_complaints_count(load->complaints);

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        if (knows_key(key))
            continue;
        rh_complain(
            load->complaints, rh_value_key_place(entry, i),
            "only 'when', 'for_each' and 'defaults' are allowed beside 'include'; write the rest in the "
            "included file",
            "unknown key '%s' beside 'include'", key);
        rh_catalog_note_refused(load->catalog, NULL, NULL);
        return -1;
    }
    if (load->context.container) {
        rh_complain(load->complaints, rh_value_key_place(entry, at),
                    "include the file in the manifest, before the definition is used",
                    "'include' cannot be used in a definition");
        return -1;
    }
    /* What is a default here is none there, but for what stands beside the word. */
    load->context.defaults = NULL;
    load->context.groups = 0;
    rh_defaults_open(load, rh_draft_get(entry, "defaults"));
    rh_include_paths(load, rh_draft_part(entry, at));
    rh_defaults_close(load, NULL);
    load->context.defaults = around;
    load->context.groups = groups;
    return rh_complaints_count(load->complaints) > before ? -1 : 0;
}
