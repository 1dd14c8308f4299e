/* SPDX-License-Identifier: Apache-2.0 */
/* body - what stands in a file, read when its turn comes: entries above all. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/attribute/role.h"
#include "manifest/entry/defaults.h"
#include "manifest/entry/define.h"
#include "manifest/entry/entry.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/schedule.h"
#include "manifest/load/file.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/recipe/recipe.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <string.h>

/* The keys of a manifest itself. */
static const char *const words[] = { "resources",   "schedules", "attributes", "roles",
                                     "environment", "defaults",  "data" };

/* What `rhost resource --format=json` notes beside the resources that it prints. */
static bool
is_note(const char *key)
{
    return strcmp(key, "read_only") == 0 || strcmp(key, "omitted") == 0;
}

static void
refuse_word(struct rh_load *load, const struct rh_value *v, size_t i)
{
    const char *key = rh_value_entry(v, i)->key;
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    rh_suggest_init(&near, key);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        rh_suggest_try(&near, words[k]);
    if (rh_complaints_full(load->complaints))
        hint = NULL; /* looking for types is not for free */
    else if (rh_node_level_find(key) >= 0)
        hint =
            rh_printf("write levels under 'attributes:'; only roles and environments have them at the top");
    else if (rh_load_type(load, key, NULL)->type)
        hint = rh_printf("write entries in the list under 'resources:', each as '- %s: ...'", key);
    else if (rh_foreign_top(key))
        hint = rh_xstrdup(rh_foreign_top(key));
    else if (near.best)
        hint = rh_did_you_mean(near.best, NULL);
    rh_complain(load->complaints, rh_value_key_place(v, i), hint,
                "unknown key '%s' at the top level of a manifest", key);
}

static void
read_resources(struct rh_load *load, struct rh_value *v)
{
    if (rh_scalar_is_null(v) || v->kind == RH_UNKNOWN)
        return;
    if (v->kind != RH_ARRAY) {
        rh_complain(load->complaints, rh_value_place(v), "each entry starts with '- '",
                    "'resources' must be a list of entries, not %s", rh_kind_name(v->kind));
        return;
    }
    rh_define_read_all(load, v);
    for (uint32_t i = 0; i < v->count; i++)
        (void)rh_entry_read(load, rh_draft_part(v, i)); /* the complaints are counted */
}

/* What only a manifest of the command line may say. */
static void
refuse_included(struct rh_load *load, const struct rh_value *v, size_t i)
{
    const char *key = rh_value_entry(v, i)->key;

    rh_complain(load->complaints, rh_value_key_place(v, i),
                strcmp(key, "roles") == 0 ? "write '- include: roles/NAME.yaml' into 'resources'"
                                          : "put it into the manifest that includes this one",
                "'%s' cannot be used in an included manifest", key);
}

static void
read_manifest(struct rh_load *load, const struct rh_file *file)
{
    const struct rh_defaults *around = load->context.defaults;
    struct rh_value *v = file->tree;

    if (v->kind == RH_UNKNOWN)
        return;
    if (rh_scalar_is_null(v)) {
        rh_log(RH_WARNING, "'%s' is empty: it declares nothing", file->name);
        return;
    }
    if (v->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v),
                    v->kind == RH_ARRAY ? "put 'resources:' on a line above the list"
                                        : "a manifest starts with 'resources:'",
                    "a manifest must be a hash, not %s", rh_kind_name(v->kind));
        return;
    }
    rh_defaults_open(load, rh_draft_get(v, "defaults"));
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];

        if (strcmp(e->key, "resources") == 0)
            read_resources(load, rh_draft_part(v, i));
        else if (strcmp(e->key, "schedules") == 0)
            rh_schedules_read(load, rh_draft_part(v, i));
        else if (strcmp(e->key, "roles") == 0 || strcmp(e->key, "environment") == 0
                 || strcmp(e->key, "data") == 0) {
            if (!file->is_argument)
                refuse_included(load, v, i);
        } else if (strcmp(e->key, "attributes") != 0 && strcmp(e->key, "defaults") != 0 && !is_note(e->key)
                   && !rh_is_extension_key(e->key))
            refuse_word(load, v, i);
    }
    rh_defaults_close(load, around);
}

/* Other files have defaults of their own. */
static void
read_other_files(struct rh_load *load, const struct rh_file *file)
{
    const struct rh_defaults *around = load->context.defaults;

    load->context.defaults = NULL;
    for (size_t i = 0; i < file->n_roles; i++) {
        struct rh_file *inner = file->roles[i];

        if (inner->active || inner->done)
            continue;
        /* What was too deep to be gathered is not known in full. */
        if (!inner->gathered || rh_file_enter(load, inner, rh_role_named(file, inner)) < 0) {
            rh_complain(load->complaints, rh_role_named(file, inner), NULL,
                        "roles are nested more than %d deep", RH_FILES_DEEPEST);
            rh_catalog_note_refused(load->catalog, NULL, NULL);
            continue;
        }
        rh_body_read(load, inner);
        rh_file_leave(load, inner);
    }
    for (uint32_t i = 0; rh_value_is(file->tree, RH_HASH) && i < file->tree->count; i++)
        if (strcmp(file->tree->u.entries[i].key, "include") == 0)
            rh_include_paths(load, rh_draft_part(file->tree, i));
    load->context.defaults = around;
}

static void
read_role(struct rh_load *load, const struct rh_file *file)
{
    const struct rh_defaults *around = load->context.defaults;

    read_other_files(load, file);
    if (!rh_value_is(file->tree, RH_HASH))
        return;
    rh_defaults_open(load, rh_draft_get(file->tree, "defaults"));
    for (uint32_t i = 0; i < file->tree->count; i++)
        if (strcmp(file->tree->u.entries[i].key, "resources") == 0)
            read_resources(load, rh_draft_part(file->tree, i));
    rh_defaults_close(load, around);
}

void
rh_body_read(struct rh_load *load, struct rh_file *file)
{
    if (file->done)
        return;
    file->done = true;
    if (file->kind == RH_FILE_RECIPE) {
        rh_recipe_read(load, file->text, file->n, file->source);
        return;
    }
    if (!file->tree)
        return;
    if (file->kind == RH_FILE_COMPILED)
        rh_compiled_read(load, file->tree);
    else if (file->kind == RH_FILE_ROLE)
        read_role(load, file);
    else if (file->kind == RH_FILE_MANIFEST)
        read_manifest(load, file);
}
