/* SPDX-License-Identifier: Apache-2.0 */
/* units - what the data files say, divided into what is evaluated and merged as a whole.
 *
 * What has neither expressions nor options of its own is one unit, as large as it can be. Where tables of
 * several files have some, there is one for each key. */
#include "config.h"

#include "manifest/data/parts.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/file.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "node/node.h"

#include <stdint.h>
#include <string.h>

enum { DEEPEST = 90 }; /* keys of a unit's path */

bool
rh_data_has_expression(const struct rh_value *v)
{
    if (v->kind == RH_STRING)
        return rh_has_expression(v);
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_data_has_expression(rh_value_part(v, i)))
            return true;
    return false;
}

/* What the files say of one attribute. */
struct values {
    struct rh_value **v; /* the most specific first */
    size_t n;
};

struct division {
    struct rh_load *load;
    struct rh_data *data;
};

static void
add_unit(const struct division *d, const struct rh_value *path, enum rh_data_merge merge,
         const struct rh_value *knockout, const struct values *values)
{
    struct rh_arena *a = d->load->catalog->arena;
    struct rh_data_unit *unit = rh_arena_alloc(a, sizeof *unit);

    *unit = (struct rh_data_unit){ .path = rh_value_copy(a, path), .merge = merge, .knockout = knockout };
    unit->v = values->v;
    unit->n = values->n;
    if (d->data->last)
        d->data->last->next = unit;
    else
        d->data->first = unit;
    d->data->last = unit;
}

static bool
all_tables(const struct values *values)
{
    for (size_t i = 0; i < values->n; i++)
        if (values->v[i]->kind != RH_HASH || values->v[i]->marks & (RH_APPEND | RH_REMOVE))
            return false;
    return true;
}

static bool
any_expression(const struct values *values)
{
    for (size_t i = 0; i < values->n; i++)
        if (rh_data_has_expression(values->v[i]))
            return true;
    return false;
}

static void divide(const struct division *d, struct rh_value *path, enum rh_data_merge merge,
                   const struct rh_value *knockout, const struct values *values);

/* What the tables have behind one key. */
struct key {
    struct key *next;
    const char *name;
    struct values values; /* `v` has room for all, and is filled from its end */
};

/* Each key once, those of general files first. */
static struct key *
keys_of(const struct division *d, const struct values *values)
{
    struct rh_arena *a = d->load->catalog->arena;
    struct key *first = NULL, **end = &first;
    struct rh_map known = { 0 };

    for (size_t i = values->n; i-- > 0;)
        for (uint32_t k = 0; k < values->v[i]->count; k++) {
            const char *name = rh_value_entry(values->v[i], k)->key;
            struct key *key = rh_map_get(&known, name);

            if (!key) {
                key = rh_arena_alloc(a, sizeof *key);
                *key = (struct key){ .name = name };
                key->values.v = rh_arena_alloc(a, values->n * sizeof *key->values.v);
                rh_map_put(&known, name, key);
                *end = key;
                end = &key->next;
            }
            key->values.v[values->n - ++key->values.n] = rh_draft_part(values->v[i], k);
        }
    for (struct key *key = first; key; key = key->next)
        key->values.v += values->n - key->values.n;
    rh_map_clear(&known);
    return first;
}

static bool
divide_keys(const struct division *d, const struct rh_value *path, enum rh_data_merge merge,
            const struct rh_value *knockout, const struct values *values)
{
    struct rh_arena *a = d->load->catalog->arena;
    const struct key *first = keys_of(d, values);

    for (const struct key *key = first; key; key = key->next) {
        struct rh_value *inner = rh_value_copy(a, path);

        rh_value_append(inner, rh_value_string(a, key->name));
        divide(d, inner, merge, knockout, &key->values);
    }
    return first != NULL;
}

static void
divide(const struct division *d, struct rh_value *path, enum rh_data_merge merge,
       const struct rh_value *knockout, const struct values *values)
{
    const struct rh_data_option *option = rh_data_option_find(d->data, path);

    if (option) {
        merge = option->merge;
        knockout = option->knockout;
    }
    if ((merge == RH_DATA_TABLES || merge == RH_DATA_DEEP) && path->count < DEEPEST && all_tables(values)
        && (any_expression(values) || rh_data_option_below(d->data, path))
        && divide_keys(d, path, merge, knockout, values))
        return;
    add_unit(d, path, merge, knockout, values);
}

/* A file without the keys that are no attributes. */
static struct rh_value *
attributes_of(struct rh_arena *a, struct rh_value *tree)
{
    struct rh_value *v = rh_value_copy_top(a, tree);

    for (uint32_t i = v->count; i-- > 0;) {
        const char *key = rh_value_entry(v, i)->key;

        if (strcmp(key, rh_data_options_key) == 0 || rh_is_extension_key(key))
            rh_value_drop(v, key);
    }
    return v;
}

void
rh_data_divide(struct rh_load *load, struct rh_data *data)
{
    struct rh_arena *a = load->catalog->arena;
    struct values all = { .v = rh_arena_alloc(a, data->n_files * sizeof *all.v) };
    const struct division d = { load, data };

    for (size_t i = 0; i < data->n_files; i++) {
        struct rh_value *v = attributes_of(a, data->files[i]->tree);

        if (v->count)
            all.v[all.n++] = v;
    }
    if (all.n)
        divide(&d, rh_value_new(a, RH_ARRAY), RH_DATA_TABLES, NULL, &all);
}
