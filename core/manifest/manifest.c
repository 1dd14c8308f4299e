/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - files to a catalog. */
#include "config.h"

#include "manifest/manifest.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/compiled.h"
#include "manifest/define.h"
#include "manifest/entry-parts.h"
#include "manifest/entry.h"
#include "manifest/keyword.h"
#include "manifest/load.h"
#include "manifest/missing.h"
#include "manifest/scalar.h"
#include "manifest/schedules.h"
#include "manifest/yaml.h"

#include <string.h>

/* The keys of a manifest itself. */
static const struct word {
    const char *word;
    bool works;
} words[] = {
    { "resources", true },
    { "schedules", true },
    { "attributes", false },
    { "roles", false },
    { "environment", false },
};

/* What `rhost resource --format=json` notes beside the resources that it prints. */
static bool
is_note(const char *key)
{
    return strcmp(key, "read_only") == 0 || strcmp(key, "left_out") == 0;
}

static void
refuse_word(struct rh_load *load, const struct rh_value *v, size_t i)
{
    const char *key = rh_value_entry(v, i)->key;
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(words[k].word, key) == 0) {
            (void)rh_refuse_reserved(load, key, rh_value_key_place(v, i));
            return;
        }
    rh_suggest_init(&near, key);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        rh_suggest_try(&near, words[k].word);
    if (rh_complaints_full(load->complaints))
        hint = NULL; /* looking for types is not for free */
    else if (rh_is_entry_word(key) || rh_load_type(load, key, NULL)->type)
        hint = rh_printf("entries go into the list under 'resources:', each as '- %s: ...'", key);
    else if (near.best)
        hint = rh_printf("did you mean '%s'?", near.best);
    rh_complain(load->complaints, rh_value_key_place(v, i), hint, "a manifest has no '%s'", key);
}

static void
read_resources(struct rh_load *load, struct rh_value *v)
{
    if (rh_scalar_is_null(v) || v->kind == RH_UNKNOWN)
        return;
    if (v->kind != RH_ARRAY) {
        rh_complain(load->complaints, rh_value_place(v), "each entry starts with '- '",
                    "'resources' is a list of entries, not %s", rh_kind_name(v->kind));
        return;
    }
    rh_define_read_all(load, v);
    for (uint32_t i = 0; i < v->count; i++)
        (void)rh_entry_read(load, v->u.items->v[i]); /* the complaints are counted */
}

static void
read_manifest(struct rh_load *load, struct rh_value *v)
{
    if (rh_scalar_is_null(v) || v->kind == RH_UNKNOWN)
        return;
    if (v->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v),
                    v->kind == RH_ARRAY ? "put 'resources:' on a line above the list"
                                        : "a manifest starts with 'resources:'",
                    "a manifest is a hash, not %s", rh_kind_name(v->kind));
        return;
    }
    if (rh_is_compiled(v)) {
        (void)rh_compiled_read(load, v); /* the complaints are counted */
        return;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries->e[i];

        if (strcmp(e->key, "resources") == 0)
            read_resources(load, e->value);
        else if (strcmp(e->key, "schedules") == 0)
            rh_schedules_read(load, e->value);
        else if (is_note(e->key))
            continue;
        else
            refuse_word(load, v, i);
    }
}

static void
read_text(struct rh_load *load, const char *name, char *text, size_t n)
{
    struct rh_catalog *c = load->catalog;
    unsigned file = rh_sources_take(c->sources, name, text, n);
    size_t before = rh_complaints_count(load->complaints);
    struct rh_value *v;

    if (!file) {
        rh_complain(load->complaints, (struct rh_place){ 0 }, NULL, "'%s': too many files", name);
        return;
    }
    rh_roots_add(&load->roots, file);
    v = rh_yaml_read(c->arena, text, n, file, load->complaints);
    if (rh_complaints_count(load->complaints) > before)
        rh_sources_doubt(c->sources, file);
    if (v)
        read_manifest(load, v);
    else
        rh_catalog_excuse(c, NULL, NULL);
}

static void
read_file(struct rh_load *load, const char *file)
{
    size_t len = strlen(file), n = 0;
    rh_autoerror struct rh_error err = { 0 };
    char *text;

    if (len > 4 && strcmp(file + len - 4, ".lua") == 0) {
        rh_complain(load->complaints, (struct rh_place){ 0 }, NULL,
                    "'%s': recipes in Lua are not supported by this version of rhost", file);
        return;
    }
    text = rh_read_file(file, RH_YAML_LARGEST, &n, &err);
    if (!text) {
        rh_autofree char *hint = rh_missing_hint(file);

        rh_complain(load->complaints, (struct rh_place){ 0 }, hint, "%s", err.message);
        rh_catalog_excuse(load->catalog, NULL, NULL);
        return;
    }
    read_text(load, strcmp(file, "-") == 0 ? "standard input" : file, text, n);
}

int
rh_manifest_load(struct rh_catalog *c, const struct rh_manifest_types *types,
                 const char *const *files, size_t n, struct rh_complaints *complaints)
{
    struct rh_load load = {
        .catalog = c,
        .types = types,
        .complaints = complaints,
        .roots = { .sources = c->sources, .outside = types->outside },
    };
    size_t before = rh_complaints_count(complaints);

    for (size_t i = 0; i < n; i++)
        read_file(&load, files[i]);
    (void)rh_entry_read_late(&load); /* the complaints are counted */
    rh_schedules_settle(&load);
    rh_load_clear(&load);
    return rh_complaints_count(complaints) > before ? -1 : 0;
}

int
rh_manifest_load_text(struct rh_catalog *c, const struct rh_manifest_types *types, const char *name,
                      const char *text, size_t n, struct rh_complaints *complaints)
{
    struct rh_load load = {
        .catalog = c,
        .types = types,
        .complaints = complaints,
        .roots = { .sources = c->sources, .outside = types->outside },
    };
    size_t before = rh_complaints_count(complaints);

    read_text(&load, name, rh_xstrndup(text, n), n);
    (void)rh_entry_read_late(&load); /* the complaints are counted */
    rh_schedules_settle(&load);
    rh_load_clear(&load);
    return rh_complaints_count(complaints) > before ? -1 : 0;
}
