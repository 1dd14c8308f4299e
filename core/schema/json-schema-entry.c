/* SPDX-License-Identifier: Apache-2.0 */
/* json-schema-entry - the entries of a manifest that are about a type, as JSON Schema. */
#include "config.h"

#include "schema/json-schema.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

static void
put_text(struct rh_value *v, const char *key, const char *text)
{
    rh_value_put(v, key, rh_value_string(rh_value_arena(v), text));
}

static struct rh_value *
attribute(struct rh_arena *a, const struct rh_attr *attr)
{
    struct rh_value *v = rh_json_schema_of(a, attr->type);
    rh_autobuf struct rh_buf text = { 0 };

    rh_buf_addf(&text, "%s\n\n", attr->desc);
    rh_datatype_print(attr->type, &text);
    put_text(v, "description", rh_buf_text(&text));
    if (attr->deprecated)
        rh_value_put(v, "deprecated", rh_value_boolean(a, true));
    if (attr->default_value)
        rh_value_put(v, "default", rh_value_copy(a, attr->default_value));
    return v;
}

/* Null takes a default back, or what an edited resource has. */
static struct rh_value *
or_null(struct rh_value *v)
{
    struct rh_value *null = rh_value_new(rh_value_arena(v), RH_HASH);

    put_text(null, "type", "null");
    return rh_json_schema_or(v, null);
}

struct rh_value *
rh_json_schema_attributes(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < t->n_attrs; i++)
        if (!(t->attrs[i].behaviour & RH_READ_ONLY))
            rh_value_put(v, t->attrs[i].name, or_null(attribute(a, &t->attrs[i])));
    return v;
}

const char *
rh_json_schema_key(struct rh_arena *a, const struct rh_type *t)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_buf_addf(&text, "%s,%s", t->type, t->provider);
    return rh_arena_strdup(a, rh_buf_text(&text));
}

/* Adds {"type": [...]} with the first n kinds that a title may be; without quotes it may look like
 * anything. The last is a list of titles. */
static void
put_title_types(struct rh_value *to, size_t n)
{
    static const char *const words[] = { "string", "number", "boolean", "array" };
    struct rh_arena *a = rh_value_arena(to);
    struct rh_value *types = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < n; i++)
        rh_value_append(types, rh_value_string(a, words[i]));
    rh_value_put(to, "type", types);
}

static struct rh_value *
titles(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *title = rh_value_new(a, RH_HASH), *one = rh_value_new(a, RH_HASH);

    put_text(title, "description", t->desc);
    put_title_types(title, 4);
    put_title_types(one, 3);
    rh_value_put(title, "items", one);
    return title;
}

/* There is an entry for each provider of a type: this one is for those that ask for it or for none. */
static void
put_provider(struct rh_value *properties, const struct rh_type *t)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_draft_get(properties, "provider");
    struct rh_value *names = rh_value_new(a, RH_ARRAY), *one;

    if (!v)
        return;
    one = rh_value_new(a, RH_HASH);
    rh_value_append(names, rh_value_string(a, t->provider));
    rh_value_put(one, "enum", names);
    rh_value_put(properties, "provider", one);
}

/* A reference to the schema of an attribute, under this name. */
static void
put_attribute(struct rh_value *properties, const struct rh_attr *attr, const char *name, const char *key)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf ref = { 0 };

    rh_buf_addf(&ref, "#/$defs/attributes/%s/%s", key, attr->name);
    put_text(v, "$ref", rh_buf_text(&ref));
    if (name != attr->name)
        rh_value_put(v, "deprecated", rh_value_boolean(a, true));
    rh_value_put(properties, name, v);
}

/* Those that `except` does not have. An attribute with the name of the type has no place in the usual form.
 * Former names are deprecated. */
static void
put_attributes(struct rh_value *properties, const struct rh_type *t, const char * not,
               const struct rh_value *except)
{
    const char *key = rh_json_schema_key(rh_value_arena(properties), t);

    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];

        if (attr->behaviour & RH_READ_ONLY || strcmp(attr->name, not ) == 0
            || rh_value_get(except, attr->name))
            continue;
        put_attribute(properties, attr, attr->name, key);
        for (size_t k = 0; k < rh_value_count(attr->formerly); k++)
            put_attribute(properties, attr, rh_value_str(rh_value_at(attr->formerly, k), ""), key);
    }
}

static struct rh_value *
object(struct rh_value *properties, const char *const *required, size_t n)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < n; i++)
        rh_value_append(list, rh_value_string(a, required[i]));
    put_text(v, "type", "object");
    if (n)
        rh_value_put(v, "required", list);
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "patternProperties", rh_json_schema_extensions(a));
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
    return v;
}

struct rh_value *
rh_json_schema_extensions(struct rh_arena *a)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "^x-", rh_value_new(a, RH_HASH));
    return v;
}

struct rh_value *
rh_json_schema_defaults(const struct rh_type *t, const struct rh_json_schema_words *words)
{
    static const char *const of_one_entry[] = { "alias", "for_each", "when" };
    struct rh_arena *a = rh_value_arena(words->all);
    struct rh_value *properties = rh_value_copy_top(a, words->all), *types = rh_value_new(a, RH_ARRAY), *v;

    put_attributes(properties, t, "", words->first);
    for (size_t i = 0; i < sizeof of_one_entry / sizeof of_one_entry[0]; i++)
        rh_value_drop(properties, of_one_entry[i]);
    for (size_t i = 0; i < t->n_namevars; i++)
        rh_value_drop(properties, t->namevars[i]->name);
    put_provider(properties, t);
    v = object(properties, NULL, 0);
    rh_value_append(types, rh_value_string(a, "object"));
    rh_value_append(types, rh_value_string(a, "null"));
    rh_value_put(v, "type", types);
    return v;
}

/* What stands under `attributes`, which may be empty. */
static struct rh_value *
attributes_apart(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *properties = rh_value_new(a, RH_HASH), *types = rh_value_new(a, RH_ARRAY), *v;

    put_attributes(properties, t, "", NULL);
    v = object(properties, NULL, 0);
    rh_value_append(types, rh_value_string(a, "object"));
    rh_value_append(types, rh_value_string(a, "null"));
    rh_value_put(v, "type", types);
    return v;
}

struct rh_value *
rh_json_schema_entry(const struct rh_type *t, const struct rh_json_schema_words *words)
{
    struct rh_arena *a = rh_value_arena(words->all);
    struct rh_value *properties = rh_value_copy_top(a, words->all);

    rh_value_put(properties, t->type, titles(a, t));
    put_attributes(properties, t, t->type, words->first);
    put_provider(properties, t);
    return object(properties, &t->type, 1);
}

struct rh_value *
rh_json_schema_long_entry(const struct rh_type *t, const struct rh_json_schema_words *words)
{
    static const char *const required[] = { "type", "title" };
    struct rh_arena *a = rh_value_arena(words->all);
    struct rh_value *properties = rh_value_copy_top(a, words->all), *type = rh_value_new(a, RH_HASH);

    put_text(type, "const", t->type);
    rh_value_put(properties, "type", type);
    rh_value_put(properties, "title", titles(a, t));
    rh_value_put(properties, "attributes", attributes_apart(a, t));
    put_provider(properties, t);
    return object(properties, required, 2);
}

/* A reference to a resource of the type, or a list of them. */
static struct rh_value *
references(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *one = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf pattern = { 0 };

    rh_buf_addf(&pattern, "^%s\\[", t->type);
    put_text(one, "type", "string");
    put_text(one, "pattern", rh_buf_text(&pattern));
    put_text(list, "type", "array");
    rh_value_put(list, "items", rh_value_copy(a, one));
    return rh_json_schema_or(one, list);
}

struct rh_value *
rh_json_schema_reference_entry(const struct rh_type *t, const char *word,
                               const struct rh_json_schema_words *words)
{
    struct rh_arena *a = rh_value_arena(words->all);
    struct rh_value *properties = rh_value_copy_top(a, words->all);

    put_attributes(properties, t, word, words->first);
    if (!rh_value_get(properties, "attributes"))
        rh_value_put(properties, "attributes", attributes_apart(a, t));
    put_provider(properties, t);
    rh_value_put(properties, word, references(a, t));
    return object(properties, &word, 1);
}
