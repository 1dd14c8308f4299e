/* SPDX-License-Identifier: Apache-2.0 */
/* schema-parts - the parts of a manifest's JSON Schema that are the same wherever rhost runs. */
#include "config.h"

#include "cli/schema-parts.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/schedule.h"
#include "node/node.h"
#include "schema/json-schema.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS "Variant[String[1], Array[String[1]]]"

struct rh_value *
rh_schema_part(struct rh_arena *a, const char *type, const char *desc)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = type ? rh_datatype_parse(a, NULL, type, &err) : NULL;
    struct rh_value *v = t ? rh_json_schema_of(a, t) : rh_value_new(a, RH_HASH);

    if (type && !t)
        rh_log(RH_DEBUG, "%s", err.message); /* what is not known is left open */
    rh_value_put(v, "description", rh_value_string(a, desc));
    return v;
}

struct rh_value *
rh_schema_ref(struct rh_arena *a, const char *name)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf text = { 0 };

    rh_buf_addf(&text, "#/$defs/%s", name);
    rh_value_put(v, "$ref", rh_value_string(a, rh_buf_text(&text)));
    return v;
}

struct rh_value *
rh_schema_json(struct rh_arena *a, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *v = rh_value_from_json(a, text, strlen(text), &err);

    if (!v)
        rh_log(RH_DEBUG, "%s", err.message);
    return v ? v : rh_value_new(a, RH_HASH);
}

/* An object that has these properties only, and `required` if it is not NULL. */
static struct rh_value *
object(struct rh_value *properties, const char *required)
{
    struct rh_arena *a = rh_value_arena(properties);
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);

    rh_value_put(v, "type", rh_value_string(a, "object"));
    if (required) {
        rh_value_append(list, rh_value_string(a, required));
        rh_value_put(v, "required", list);
    }
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "patternProperties", rh_json_schema_extensions(a));
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
    return v;
}

static void
put_keywords(struct rh_value *properties, const struct rh_value *keywords, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (rh_value_get(keywords, words[i]))
            rh_value_put(properties, words[i], rh_value_get(keywords, words[i]));
}

/* Text for a keyword that can be empty: nothing stands after its colon. */
static struct rh_value *
or_null(struct rh_value *v)
{
    return rh_json_schema_or(v, rh_schema_json(rh_value_arena(v), "{\"type\": \"null\"}"));
}

static struct rh_value *
resources(struct rh_arena *a, const char *entry)
{
    struct rh_value *v = rh_schema_json(a, "{\"type\": [\"array\", \"null\"]}");

    rh_value_put(v, "items", rh_schema_ref(a, entry));
    return v;
}

/* A group of entries of this kind. */
static void
put_group(struct rh_value *defs, const struct rh_value *keywords, const char *name, const char *entry,
          const char *defaults)
{
    static const char *const around[] = { "when", "for_each", NULL };
    struct rh_arena *a = rh_value_arena(defs);
    struct rh_value *group = rh_value_new(a, RH_HASH);

    rh_value_put(group, "resources", resources(a, entry));
    rh_value_put(group, "on_failure", resources(a, entry));
    rh_value_put(group, "always", resources(a, entry));
    rh_value_put(group, "defaults", rh_schema_ref(a, defaults));
    put_keywords(group, keywords, around);
    for (size_t i = 0; i < rh_value_count(keywords); i++)
        if (rh_keyword_is_common(rh_value_entry(keywords, i)->key))
            rh_value_put(group, rh_value_entry(keywords, i)->key, rh_value_entry(keywords, i)->value);
    rh_value_put(defs, name, object(group, "resources"));
}

void
rh_schema_put_entries(struct rh_value *defs, const struct rh_value *keywords)
{
    static const char *const around[] = { "when", "for_each", NULL };
    static const char *const beside_trigger[] = { "action", "insert_before", "insert_after",
                                                  "when",   "for_each",      NULL };
    static const char parameter[] =
        "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", \"required\": [\"type\"],"
        " \"properties\": {\"type\": {\"type\": \"string\"}, \"default\": {}, \"desc\": {}},"
        " \"additionalProperties\": false}]}";
    struct rh_arena *a = rh_value_arena(defs);
    struct rh_value *include = rh_value_new(a, RH_HASH), *trigger = rh_value_new(a, RH_HASH);
    struct rh_value *define = rh_value_new(a, RH_HASH);
    struct rh_value *parameters = rh_schema_json(a, "{\"type\": [\"object\", \"null\"]}");

    rh_value_put(include, "include", rh_schema_part(a, TEXTS, "Files to read here, relative to this one."));
    put_keywords(include, keywords, around);
    rh_value_put(include, "defaults", rh_schema_ref(a, "open_defaults"));
    rh_value_put(defs, "include", object(include, "include"));

    rh_value_put(trigger, "trigger", rh_schema_part(a, TEXTS, "Resources whose actions to run here."));
    put_keywords(trigger, keywords, beside_trigger);
    rh_value_put(defs, "trigger", object(trigger, "trigger"));

    rh_value_put(parameters, "additionalProperties", rh_schema_json(a, parameter));
    rh_value_put(define, "define",
                 rh_schema_json(a, "{\"type\": \"string\", \"description\": \"The name of a new type.\","
                                   " \"pattern\": \"^[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*$\"}"));
    rh_value_put(define, "desc", rh_schema_part(a, NULL, "What it is for."));
    rh_value_put(define, "parameters", parameters);
    rh_value_put(define, "defaults", rh_schema_ref(a, "open_defaults"));
    rh_value_put(define, "resources", resources(a, "open_entry"));
    rh_value_put(defs, "define", object(define, "define"));
    put_group(defs, keywords, "group", "entry", "defaults");
    put_group(defs, keywords, "open_group", "open_entry", "open_defaults");
    put_group(defs, keywords, "any_group", "any_entry", "open_defaults");
}

/* Levels, each a table, or a list of operations. */
static struct rh_value *
node_attributes(struct rh_arena *a)
{
    static const char table[] = "{\"type\": [\"object\", \"null\"]}";
    struct rh_value *v = rh_schema_json(
        a, "{\"type\": [\"object\", \"array\", \"null\"], \"additionalProperties\": false,"
           " \"description\": \"Attributes of the node: levels, or operations.\","
           " \"items\": {\"type\": \"object\", \"required\": [\"op\"], \"additionalProperties\": false,"
           "  \"properties\": {"
           "   \"op\": {\"type\": \"string\", \"description\": \"What is done: set, set!, rm, rm_level...\"},"
           "   \"level\": {\"type\": \"string\", \"description\": \"The level, where it is about one.\"},"
           "   \"path\": {\"description\": \"Keys and positions, or a text such as web.port.\"},"
           "   \"value\": {\"description\": \"What is set.\"},"
           "   \"sensitive\": {\"type\": \"boolean\", \"description\": \"Whether it is never shown.\"}}}}");
    struct rh_value *levels = rh_value_new(a, RH_HASH);

    for (int i = 0; i < RH_LEVEL_AUTOMATIC; i++)
        rh_value_put(levels, rh_node_level_name((enum rh_node_level)i), rh_schema_json(a, table));
    rh_value_put(levels, "sensitive", or_null(rh_schema_part(a, TEXTS, "Paths of secret attributes.")));
    rh_value_put(v, "properties", levels);
    return v;
}

struct rh_value *
rh_schema_manifest(struct rh_arena *a)
{
    struct rh_value *properties = rh_value_new(a, RH_HASH);

    rh_value_put(properties, "schedules",
                 or_null(rh_schema_part(a, "Hash[String, " RH_SCHEDULE_TYPE "]", "Schedules by name.")));
    rh_value_put(properties, "attributes", node_attributes(a));
    rh_value_put(properties, "roles", or_null(rh_schema_part(a, TEXTS, "Files in the directory roles/.")));
    rh_value_put(properties, "environment",
                 rh_schema_json(a, "{\"type\": \"string\","
                                   " \"description\": \"A file in the directory environments/.\"}"));
    rh_value_put(properties, "data",
                 or_null(rh_schema_part(
                     a, TEXTS, "Data files with attributes, from the most specific to the most general.")));
    rh_value_put(properties, "read_only",
                 rh_schema_part(a, NULL, "A note of 'rhost resource': what cannot be set."));
    rh_value_put(properties, "omitted",
                 rh_schema_part(a, NULL, "A note of 'rhost resource': what cannot be written, and why."));
    rh_value_put(properties, "defaults", rh_schema_ref(a, "defaults"));
    rh_value_put(properties, "resources", resources(a, "entry"));
    return object(properties, NULL);
}

struct rh_value *
rh_schema_role(struct rh_arena *a)
{
    static const char table[] = "{\"type\": [\"object\", \"null\"]}";
    struct rh_value *properties = rh_value_new(a, RH_HASH);

    rh_value_put(properties, "desc", rh_schema_part(a, NULL, "What the role or environment is for."));
    rh_value_put(properties, "default", rh_schema_json(a, table));
    rh_value_put(properties, "override", rh_schema_json(a, table));
    rh_value_put(properties, "sensitive", or_null(rh_schema_part(a, TEXTS, "Paths of secret attributes.")));
    rh_value_put(properties, "roles", or_null(rh_schema_part(a, TEXTS, "Roles that come before this one.")));
    rh_value_put(properties, "include",
                 or_null(rh_schema_part(a, TEXTS, "Files that come before its entries.")));
    rh_value_put(properties, "defaults", rh_schema_ref(a, "open_defaults"));
    rh_value_put(properties, "resources", resources(a, "open_entry"));
    return object(properties, NULL);
}
