/* SPDX-License-Identifier: Apache-2.0 */
/* options - `attribute_options` of data files: how attributes are merged, and which are secrets.
 *
 *   attribute_options:
 *     web.aliases: {merge: unique}
 *     users: {merge: {strategy: deep, knockout_prefix: "--"}}
 *     db.password: {sensitive: true} */
#include "config.h"

#include "manifest/data/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/attribute/attributes.h"
#include "manifest/load/file.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <string.h>

const char rh_data_options_key[] = "attribute_options";

/* In the order of enum rh_data_merge. */
static const char *const names[] = { "merge", "first", "unique", "hash", "deep" };

enum { NAMES = sizeof names / sizeof names[0] };

const char *
rh_data_merge_name(enum rh_data_merge merge)
{
    return names[merge];
}

/* A scalar as YAML's core schema reads it. */
static struct rh_value *
scalar(struct rh_load *load, const struct rh_value *v)
{
    struct rh_arena *a = load->catalog->arena;

    return rh_scalar_read(a, NULL, rh_value_copy(a, v));
}

static bool
read_strategy(struct rh_load *load, const struct rh_value *v, struct rh_data_option *o)
{
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    if (!rh_value_is(v, RH_STRING)) {
        rh_complain(load->complaints, rh_value_place(v), "it is first, unique, hash or deep",
                    "expected the name of a merge strategy, not %s", rh_kind_name(v->kind));
        return false;
    }
    rh_suggest_init(&near, v->u.string);
    for (int i = RH_DATA_FIRST; i < NAMES; i++) {
        if (strcmp(names[i], v->u.string) == 0) {
            o->merge = (enum rh_data_merge)i;
            return true;
        }
        rh_suggest_try(&near, names[i]);
    }
    hint = rh_did_you_mean(near.best, "it is first, unique, hash or deep");
    rh_complain(load->complaints, rh_value_place(v), hint, "unknown merge strategy '%s'", v->u.string);
    return false;
}

static bool
read_merge(struct rh_load *load, const struct rh_value *v, struct rh_data_option *o)
{
    static const char *const words[] = { "strategy", "knockout_prefix", NULL };
    const struct rh_value *strategy, *prefix;
    bool good = true;

    if (v->kind != RH_HASH)
        return read_strategy(load, v, o);
    for (size_t i = 0; i < v->count; i++)
        good &= rh_known_key(load->complaints, v, i, words, "'merge'");
    strategy = rh_value_get(v, "strategy");
    prefix = rh_value_get(v, "knockout_prefix");
    if (good && !strategy) {
        rh_complain(load->complaints, rh_value_place(v),
                    "for example: {strategy: deep, knockout_prefix: \"--\"}",
                    "missing key 'strategy' in 'merge'");
        return false;
    }
    if (!good || !read_strategy(load, strategy, o))
        return false;
    if (!prefix)
        return true;
    if (o->merge != RH_DATA_DEEP) {
        rh_complain(load->complaints, rh_value_place(prefix), NULL,
                    "'knockout_prefix' is for the strategy 'deep', not for '%s'", strategy->u.string);
        return false;
    }
    if (!rh_value_is(prefix, RH_STRING) || !prefix->count) {
        rh_complain(load->complaints, rh_value_place(prefix), "for example: \"--\"",
                    "'knockout_prefix' must be a text that is not empty");
        return false;
    }
    o->knockout = prefix;
    return true;
}

static struct rh_value *
read_path(struct rh_load *load, const struct rh_value *options, size_t i)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_place place = rh_value_key_place(options, i);
    const char *key = rh_value_entry(options, i)->key;
    struct rh_value *path = rh_node_path_parse(load->catalog->arena, key, &err);

    if (!path) {
        rh_complain_error(load->complaints, place, "it is written as in web.port or users['j.doe']", &err);
        return NULL;
    }
    for (size_t k = 0; k < path->count; k++)
        if (!rh_value_is(rh_value_at(path, k), RH_STRING)) {
            rh_complain(load->complaints, place, "give the option to the whole list",
                        "'%s' is an element of a list, and cannot have options", key);
            return NULL;
        }
    return path->count ? path : NULL;
}

static void
read_option(struct rh_load *load, struct rh_data *data, const struct rh_value *options, size_t i)
{
    static const char *const words[] = { "merge", "sensitive", NULL };
    struct rh_data_option o = { .path = read_path(load, options, i),
                                .place = rh_value_key_place(options, i) };
    const struct rh_value *v = rh_value_entry(options, i)->value, *merge, *sensitive;
    bool good = o.path != NULL;

    if (v->kind == RH_UNKNOWN)
        return; /* was complained about */
    if (v->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v), "for example: web.aliases: {merge: unique}",
                    "the options of an attribute must be a hash, not %s", rh_kind_name(v->kind));
        return;
    }
    for (size_t k = 0; k < v->count; k++)
        good &= rh_known_key(load->complaints, v, k, words, "the options of an attribute");
    if (!good)
        return;
    merge = rh_value_get(v, "merge");
    sensitive = rh_value_get(v, "sensitive");
    if (sensitive && scalar(load, sensitive)->kind != RH_BOOLEAN)
        rh_complain(load->complaints, rh_value_place(sensitive), "write 'true' or 'false'",
                    "sensitive must be a boolean, not %s", rh_kind_name(sensitive->kind));
    /* Whatever else it is, it is not taken for "no". */
    if (sensitive && (scalar(load, sensitive)->kind != RH_BOOLEAN || scalar(load, sensitive)->u.integer)) {
        struct rh_value *list = rh_value_new(load->catalog->arena, RH_ARRAY);

        rh_value_append(list, o.path);
        rh_attributes_note_secret_list(load, list);
    }
    if (!merge || !read_merge(load, merge, &o) || rh_data_option_find(data, o.path))
        return; /* the most specific file counts */
    data->options = rh_xgrow(data->options, &data->cap_options, data->n_options, sizeof o);
    data->options[data->n_options++] = o;
}

/* What stands below an attribute that is one value for its own strategy is not merged. */
static void
check_nested(struct rh_load *load, const struct rh_data *data, const struct rh_data_option *inner)
{
    for (size_t i = 0; i < data->n_options; i++) {
        const struct rh_data_option *outer = &data->options[i];

        if (outer == inner || outer->merge == RH_DATA_DEEP || outer->path->count >= inner->path->count
            || !rh_data_overlap(outer->path, inner->path))
            continue;
        rh_complain(load->complaints, inner->place,
                    "only below 'deep' can an attribute have a strategy of its own",
                    "this attribute is part of one that is merged by '%s'", names[outer->merge]);
        rh_complain_also(load->complaints, outer->place, "the strategy of the whole");
        return;
    }
}

/* Hiera's words, where they are no attributes of anybody. */
static void
check_words(struct rh_load *load, const struct rh_value *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *key = rh_value_entry(tree, i)->key;

        if (strcmp(key, "lookup_options") == 0)
            rh_complain(load->complaints, rh_value_key_place(tree, i), "did you mean 'attribute_options'?",
                        "'%s' is not an attribute", key);
    }
}

void
rh_data_options_read(struct rh_load *load, struct rh_data *data)
{
    for (size_t f = 0; f < data->n_files; f++) {
        const struct rh_value *v = rh_value_get(data->files[f]->tree, rh_data_options_key);

        check_words(load, data->files[f]->tree);
        if (!v || v->kind == RH_UNKNOWN || rh_scalar_is_null(v))
            continue;
        if (v->kind != RH_HASH) {
            rh_complain(load->complaints, rh_value_place(v), "for example: web.aliases: {merge: unique}",
                        "'%s' must be a hash of attributes and their options, not %s", rh_data_options_key,
                        rh_kind_name(v->kind));
            continue;
        }
        for (size_t i = 0; i < v->count; i++)
            read_option(load, data, v, i);
    }
    for (size_t i = 0; i < data->n_options; i++)
        check_nested(load, data, &data->options[i]);
}

const struct rh_data_option *
rh_data_option_find(const struct rh_data *data, const struct rh_value *path)
{
    for (size_t i = 0; i < data->n_options; i++)
        if (rh_value_equal(data->options[i].path, path))
            return &data->options[i];
    return NULL;
}

bool
rh_data_option_below(const struct rh_data *data, const struct rh_value *path)
{
    for (size_t i = 0; i < data->n_options; i++)
        if (data->options[i].path->count > path->count && rh_data_overlap(data->options[i].path, path))
            return true;
    return false;
}
