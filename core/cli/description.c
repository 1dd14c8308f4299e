/* SPDX-License-Identifier: Apache-2.0 */
/* description - a type as data. */
#include "config.h"

#include "cli/page.h"

#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

struct word {
    uint32_t bit;
    const char *word;
};

static const struct word behaviours[] = {
    { RH_NAMEVAR, "namevar" },     { RH_PARAMETER, "parameter" }, { RH_READ_ONLY, "read_only" },
    { RH_INIT_ONLY, "init_only" }, { RH_UNORDERED, "unordered" }, { 0, NULL },
};

static const struct word features[] = {
    { RH_SIMPLE_GET_FILTER, "simple_get_filter" },
    { RH_SUPPORTS_NOOP, "supports_noop" },
    { RH_REMOTE_RESOURCE, "remote_resource" },
    { RH_FORGETS_WORLD, "forgets_world" },
    { RH_READ_BACK, "read_back" },
    { RH_GATHERS, "gathers" },
    { 0, NULL },
};

static const struct word callbacks[] = {
    { RH_HAS_SUITS, "suits" },
    { RH_HAS_OPEN, "open" },
    { RH_HAS_CLOSE, "close" },
    { RH_HAS_CANONICALIZE, "canonicalize" },
    { RH_HAS_INSYNC, "insync" },
    { RH_HAS_GET, "get" },
    { RH_HAS_LOAD, "load" },
    { RH_HAS_SET, "set" },
    { RH_HAS_CREATE, "create" },
    { RH_HAS_UPDATE, "update" },
    { RH_HAS_REMOVE, "remove" },
    { RH_HAS_CONVERGE, "converge" },
    { RH_HAS_ACT, "act" },
    { RH_HAS_VALIDATE, "validate" },
    { 0, NULL },
};

static void
put_words(struct rh_value *to, const char *key, const struct word *words, uint32_t bits)
{
    struct rh_arena *a = rh_value_arena(to);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (; words->word; words++)
        if (bits & words->bit)
            rh_value_append(list, rh_value_string(a, words->word));
    rh_value_put(to, key, list);
}

static struct rh_value *
one_attribute(struct rh_arena *a, const struct rh_attr *attr)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf type = { 0 };

    rh_datatype_print(attr->type, &type);
    rh_value_put(v, "name", rh_value_string(a, attr->name));
    rh_value_put(v, "type", rh_value_string(a, rh_buf_text(&type)));
    rh_value_put(v, "desc", rh_value_string(a, attr->desc));
    put_words(v, "behaviour", behaviours, attr->behaviour);
    rh_value_put(v, "required", rh_value_boolean(a, attr->required));
    rh_value_put(v, "sensitive", rh_value_boolean(a, attr->sensitive));
    if (attr->deprecated)
        rh_value_put(v, "deprecated", rh_value_string(a, attr->deprecated));
    if (rh_value_count(attr->formerly))
        rh_value_put(v, "formerly", rh_value_copy(a, attr->formerly));
    if (attr->default_value)
        rh_value_put(v, "default", rh_value_copy(a, attr->default_value));
    if (attr->initial)
        rh_value_put(v, "initial", rh_value_copy(a, attr->initial));
    return v;
}

static struct rh_value *
relations(struct rh_arena *a, const struct rh_type *t)
{
    static const char *const kinds[] = { "require", "before", "subscribe", "notify" };
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < t->n_relations; i++) {
        const struct rh_auto_relation *r = &t->relations[i];
        struct rh_value *v = rh_value_new(a, RH_HASH);

        rh_value_put(v, "kind", rh_value_string(a, kinds[r->kind]));
        rh_value_put(v, "type", rh_value_string(a, r->type));
        if (r->n_pieces == 1 && r->pieces[0].attr)
            rh_value_put(v, "attribute", rh_value_string(a, r->pieces[0].attr->name));
        else
            rh_value_put(v, "title", rh_value_string(a, r->title));
        rh_value_put(v, "above", rh_value_boolean(a, r->above));
        rh_value_append(list, v);
    }
    return list;
}

static struct rh_value *
losses(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < t->n_losses; i++)
        rh_value_append(list, rh_value_string(a, t->losses[i].text));
    return list;
}

static struct rh_value *
restores(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < t->n_restores; i++)
        rh_value_append(list, rh_value_string(a, t->restores[i].text));
    return list;
}

static struct rh_value *
claims(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < t->n_claims; i++) {
        struct rh_value *v = rh_value_new(a, RH_HASH);

        rh_value_put(v, "kind", rh_value_string(a, t->claims[i].owns ? "owns" : "edits"));
        rh_value_put(v, "what", rh_value_string(a, t->claims[i].text));
        rh_value_append(list, v);
    }
    return list;
}

struct rh_value *
rh_description_needs(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *list = rh_value_new(a, t->declares_needs ? RH_ARRAY : RH_UNDEF);

    for (size_t i = 0; i < t->n_needs; i++)
        rh_value_append(list, rh_value_string(a, t->needs[i].text));
    return list;
}

static struct rh_value *
actions(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < t->n_actions; i++) {
        struct rh_value *v = rh_value_new(a, RH_HASH);

        rh_value_put(v, "name", rh_value_string(a, t->actions[i].name));
        rh_value_put(v, "desc", rh_value_string(a, t->actions[i].desc));
        if (t->actions[i].overlay)
            rh_value_put(v, "overlay", rh_value_copy(a, t->actions[i].overlay));
        rh_value_append(list, v);
    }
    return list;
}

void
rh_description_put_source(struct rh_value *to, const struct rh_type *t)
{
    struct rh_arena *a = rh_value_arena(to);

    rh_value_put(to, "type", rh_value_string(a, t->type));
    rh_value_put(to, "provider", rh_value_string(a, t->provider));
    if (t->transport)
        rh_value_put(to, "transport", rh_value_boolean(a, true));
    rh_value_put(to, "desc", rh_value_string(a, t->desc));
    rh_value_put(to, "plugin", rh_value_string(a, t->plugin));
    rh_value_put(to, "version", rh_value_string(a, t->version));
    if (*t->built_with)
        rh_value_put(to, "built_with", rh_value_string(a, t->built_with));
    if (t->path)
        rh_value_put(to, "path", rh_value_string(a, t->path));
}

struct rh_value *
rh_description_value(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *v = rh_value_new(a, RH_HASH), *attributes = rh_value_new(a, RH_ARRAY);
    struct rh_value *patterns = rh_value_new(a, RH_ARRAY);
    const char *pattern;

    for (size_t i = 0; i < t->n_attrs; i++)
        rh_value_append(attributes, one_attribute(a, &t->attrs[i]));
    for (unsigned i = 0; (pattern = rh_title_pattern_text(t, i)); i++)
        rh_value_append(patterns, rh_value_string(a, pattern));
    rh_description_put_source(v, t);
    put_words(v, "features", features, t->features);
    put_words(v, "callbacks", callbacks, t->slots);
    rh_value_put(v, "attributes", attributes);
    rh_value_put(v, "title_patterns", patterns);
    rh_value_put(v, "relations", relations(a, t));
    rh_value_put(v, "claims", claims(a, t));
    rh_value_put(v, "losses", losses(a, t));
    rh_value_put(v, "restores", restores(a, t));
    rh_value_put(v, "needs", rh_description_needs(a, t));
    rh_value_put(v, "actions", actions(a, t));
    rh_value_put(v, "default_action", rh_value_string(a, t->default_action));
    rh_value_put(v, "refresh_action",
                 t->refresh_action ? rh_value_string(a, t->refresh_action) : rh_value_new(a, RH_UNDEF));
    return v;
}
