/* SPDX-License-Identifier: Apache-2.0 */
/* json-schema - data types as JSON Schema. */
#include "config.h"

#include "schema/json-schema.h"

#include "base/draft.h"
#include "base/value.h"
#include "datatype/datatype.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12 };

static struct rh_value *with_expression(struct rh_arena *a, const struct rh_datatype *t, int depth);
static struct rh_value *without_expressions(struct rh_arena *a, const struct rh_datatype *t, int depth);

static void
put_type(struct rh_value *v, const char *type)
{
    rh_value_put(v, "type", rh_value_string(rh_value_arena(v), type));
}

/* A scalar that becomes text may be written plain: 0644, 1.10 and true are what they look like. */
static void
put_text_type(struct rh_value *v)
{
    static const char *const words[] = { "string", "number", "boolean" };
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *types = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        rh_value_append(types, rh_value_string(a, words[i]));
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

/* A word that YAML reads as something else where it has no quotes. */
static void
put_plain(struct rh_value *words, const char *word)
{
    struct rh_arena *a = rh_value_arena(words);
    size_t digits = strspn(word, "0123456789");

    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        rh_value_append(words, rh_value_boolean(a, *word == 't'));
    else if (digits && digits < 18 && !word[digits])
        rh_value_append(words, rh_value_integer(a, strtoll(word, NULL, 10)));
}

static void
put_words(struct rh_value *v, const struct rh_datatype *t)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *words = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const char *word = rh_datatype_key(t, i, NULL);

        rh_value_append(words, rh_value_string(a, word));
        put_plain(words, word);
    }
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

        rh_value_put(properties, key, with_expression(a, inner, depth + 1));
    }
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
}

struct rh_value *
rh_json_schema_or(struct rh_value *v, struct rh_value *other)
{
    struct rh_arena *a = rh_value_arena(v);
    struct rh_value *any = rh_draft_get(v, "anyOf"), *either;

    if (any) {
        rh_value_append(any, other);
        return v;
    }
    any = rh_value_new(a, RH_ARRAY);
    rh_value_append(any, v);
    rh_value_append(any, other);
    either = rh_value_new(a, RH_HASH);
    rh_value_put(either, "anyOf", any);
    return either;
}

static struct rh_value *
or_null(struct rh_value *v)
{
    struct rh_value *null;

    if (!rh_value_count(v))
        return v;
    null = rh_value_new(rh_value_arena(v), RH_HASH);
    put_type(null, "null");
    return rh_json_schema_or(v, null);
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
    case RH_T_REGEXP:
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
    case RH_T_SEMVER:
    case RH_T_SEMVER_RANGE:
    case RH_T_URI:
    case RH_T_BINARY:
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
        rh_value_put(v, "items", with_expression(a, rh_datatype_inner(t, 0), depth + 1));
        break;
    case RH_T_HASH:
        put_type(v, "object");
        rh_value_put(v, "additionalProperties", with_expression(a, rh_datatype_inner(t, 1), depth + 1));
        break;
    case RH_T_STRUCT:
        put_keys(v, t, depth);
        break;
    case RH_T_VARIANT:
        put_members(v, t, depth);
        break;
    case RH_T_UNDEF:
        put_type(v, "null");
        break;
    case RH_T_OPTIONAL:
        return or_null(without_expressions(a, rh_datatype_inner(t, 0), depth + 1));
    case RH_T_TUPLE:
        put_type(v, "array");
        break;
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
with_expression(struct rh_arena *a, const struct rh_datatype *t, int depth)
{
    struct rh_value *v = without_expressions(a, t, depth);
    struct rh_value *expression;

    if (!rh_value_count(v) || rh_value_is(rh_value_get(v, "type"), RH_ARRAY))
        return v; /* it takes any text already */
    expression = rh_value_new(a, RH_HASH);
    put_type(expression, "string");
    rh_value_put(expression, "pattern", rh_value_string(a, "\\$\\{"));
    return rh_json_schema_or(v, expression);
}

struct rh_value *
rh_json_schema_of(struct rh_arena *a, const struct rh_datatype *t)
{
    return with_expression(a, t, 0);
}
