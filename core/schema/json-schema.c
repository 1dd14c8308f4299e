/* SPDX-License-Identifier: Apache-2.0 */
/* json-schema - types as JSON Schema, by which editors complete and check manifests. */
#include "config.h"

#include "schema/json-schema.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

enum { DEEPEST = 12 };

static struct rh_value *of(struct rh_arena *a, const struct rh_datatype *t, int depth);
static struct rh_value *without_expressions(struct rh_arena *a, const struct rh_datatype *t, int depth);

static void
put_type(struct rh_value *v, const char *type)
{
    rh_value_put(v, "type", rh_value_string(rh_value_arena(v), type));
}

/* A scalar that becomes text may be written plain: 0644, 1.10 and 02:30 are what they look like. */
static void
put_text_type(struct rh_value *v)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *types = rh_value_new(a, RH_ARRAY);

    rh_value_append(types, rh_value_string(a, "string"));
    rh_value_append(types, rh_value_string(a, "number"));
    rh_value_put(v, "type", types);
}

static void
put_members(struct rh_value *v, const struct rh_datatype *t, int depth)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *any = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_datatype_count(t); i++)
        rh_value_append(any, without_expressions(a, rh_datatype_inner(t, i), depth + 1));
    rh_value_put(v, "anyOf", any);
}

static void
put_words(struct rh_value *v, const struct rh_datatype *t)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *words = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_datatype_count(t); i++)
        rh_value_append(words, rh_value_string(a, rh_datatype_key(t, i, NULL)));
    rh_value_put(v, "enum", words);
}

static void
put_keys(struct rh_value *v, const struct rh_datatype *t, int depth)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *properties = rh_value_new(a, RH_HASH);

    put_type(v, "object");
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *inner = NULL;
        const char *key = rh_datatype_key(t, i, &inner);

        rh_value_put(properties, key, of(a, inner, depth + 1));
    }
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
}

/* What can't be said in JSON Schema is left open: an editor must not refuse what we take. */
static struct rh_value *
without_expressions(struct rh_arena *a, const struct rh_datatype *t, int depth)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    if (!t || depth > DEEPEST)
        return v;
    switch (rh_datatype_kind(t)) {
    case RH_T_STRING:
    case RH_T_PATTERN:
        put_text_type(v);
        break;
    case RH_T_ENUM:
        put_words(v, t);
        break;
    case RH_T_INTEGER:
        put_type(v, "integer");
        break;
    case RH_T_FLOAT:
    case RH_T_NUMERIC:
        put_type(v, "number");
        break;
    case RH_T_BOOLEAN:
        put_type(v, "boolean");
        break;
    case RH_T_ARRAY:
        put_type(v, "array");
        rh_value_put(v, "items", of(a, rh_datatype_inner(t, 0), depth + 1));
        break;
    case RH_T_HASH:
        put_type(v, "object");
        rh_value_put(v, "additionalProperties", of(a, rh_datatype_inner(t, 1), depth + 1));
        break;
    case RH_T_STRUCT:
        put_keys(v, t, depth);
        break;
    case RH_T_VARIANT:
        put_members(v, t, depth);
        break;
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
        return without_expressions(a, rh_datatype_inner(t, 0), depth + 1);
    case RH_T_ALIAS: /* which may be within itself many times */
        return without_expressions(a, rh_datatype_inner(t, 0), depth + DEEPEST / 4 + 1);
    default:
        break;
    }
    return v;
}

/* Whatever a value is, an expression may stand in its place. */
static struct rh_value *
of(struct rh_arena *a, const struct rh_datatype *t, int depth)
{
    struct rh_value *v = without_expressions(a, t, depth);
    struct rh_value *expression, *either, *any;

    if (!rh_value_count(v) || rh_value_is(rh_value_get(v, "type"), RH_ARRAY))
        return v; /* it takes any text already */
    expression = rh_value_new(a, RH_HASH);
    put_type(expression, "string");
    rh_value_put(expression, "pattern", rh_value_string(a, "\\$\\{"));
    any = rh_draft_get(v, "anyOf");
    if (any) {
        rh_value_append(any, expression);
        return v;
    }
    any = rh_value_new(a, RH_ARRAY);
    rh_value_append(any, v);
    rh_value_append(any, expression);
    either = rh_value_new(a, RH_HASH);
    rh_value_put(either, "anyOf", any);
    return either;
}

static struct rh_value *
attribute(struct rh_arena *a, const struct rh_attr *attr)
{
    struct rh_value *v = of(a, attr->type, 0);
    rh_autobuf struct rh_buf text = { 0 };

    rh_buf_addf(&text, "%s\n\n", attr->desc);
    rh_datatype_print(attr->type, &text);
    rh_value_put(v, "description", rh_value_string(a, rh_buf_text(&text)));
    if (attr->deprecated)
        rh_value_put(v, "deprecated", rh_value_boolean(a, true));
    if (attr->default_value)
        rh_value_put(v, "default", rh_value_copy(a, attr->default_value));
    return v;
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

/* There is an entry for each provider of a type: this one is for those that ask for it or for none. */
static void
put_provider(struct rh_value *properties, const struct rh_type *t)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_draft_get(properties, "provider");
    struct rh_value *names = rh_value_new(a, RH_ARRAY);

    if (!v)
        return;
    rh_value_append(names, rh_value_string(a, t->provider));
    rh_value_put(v, "enum", names);
}

static struct rh_value *
titles(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *title = rh_value_new(a, RH_HASH), *one = rh_value_new(a, RH_HASH);

    rh_value_put(title, "description", rh_value_string(a, t->desc));
    put_title_types(title, 4);
    put_title_types(one, 3);
    rh_value_put(title, "items", one);
    return title;
}

/* By its name, and, as deprecated, by its former ones. */
static void
put_attribute(struct rh_value *properties, const struct rh_attr *attr)
{
    struct rh_arena *a = rh_value_arena(properties);

    rh_value_put(properties, attr->name, attribute(a, attr));
    for (size_t i = 0; i < rh_value_count(attr->formerly); i++) {
        struct rh_value *v = attribute(a, attr);

        rh_value_put(v, "deprecated", rh_value_boolean(a, true));
        rh_value_put(properties, rh_value_str(rh_value_at(attr->formerly, i), ""), v);
    }
}

/* An attribute with the name of the type has no place in the usual form. */
static void
put_attributes(struct rh_value *properties, const struct rh_type *t, const char * not )
{
    for (size_t i = 0; i < t->n_attrs; i++)
        if (!(t->attrs[i].behaviour & RH_READ_ONLY) && strcmp(t->attrs[i].name, not ) != 0)
            put_attribute(properties, &t->attrs[i]);
}

static struct rh_value *
object(struct rh_value *properties, const char *const *required, size_t n)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < n; i++)
        rh_value_append(list, rh_value_string(a, required[i]));
    put_type(v, "object");
    rh_value_put(v, "required", list);
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
    return v;
}

struct rh_value *
rh_json_schema_entry(const struct rh_type *t, const struct rh_value *common)
{
    struct rh_arena *a = rh_value_arena(common);
    struct rh_value *properties = rh_value_copy(a, common);

    rh_value_put(properties, t->type, titles(a, t));
    put_attributes(properties, t, t->type);
    put_provider(properties, t);
    return object(properties, &t->type, 1);
}

struct rh_value *
rh_json_schema_long_entry(const struct rh_type *t, const struct rh_value *common)
{
    static const char *const required[] = { "type", "title" };
    struct rh_arena *a = rh_value_arena(common);
    struct rh_value *properties = rh_value_copy(a, common), *attributes = rh_value_new(a, RH_HASH);
    struct rh_value *type = rh_value_new(a, RH_HASH);

    rh_value_put(type, "const", rh_value_string(a, t->type));
    put_attributes(attributes, t, "");
    rh_value_put(properties, "type", type);
    rh_value_put(properties, "title", titles(a, t));
    rh_value_put(properties, "attributes", object(attributes, NULL, 0));
    put_provider(properties, t);
    return object(properties, required, 2);
}
