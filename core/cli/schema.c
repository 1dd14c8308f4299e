/* SPDX-License-Identifier: Apache-2.0 */
/* schema - rhost schema: JSON Schema for manifests, covering the plugins that are installed. */
#include "config.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/session.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/purge-type.h"
#include "node/node.h"
#include "plugin/registry.h"
#include "schema/json-schema.h"

#include <stdio.h>

struct gathering {
    struct rh_value *common, *entries;
};

static void
add_entry(void *data, const struct rh_type *t)
{
    struct gathering *g = data;

    rh_value_append(g->entries, rh_json_schema_entry(t, g->common));
    rh_value_append(g->entries, rh_json_schema_long_entry(t, g->common));
}

static struct rh_value *
common_properties(struct rh_arena *a)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    const struct rh_keyword *word;

    for (size_t i = 0; (word = rh_keyword_at(i)); i++) {
        struct rh_value *one = rh_value_new(a, RH_HASH);

        rh_value_put(one, "description", rh_value_string(a, word->desc));
        rh_value_put(v, word->word, one);
    }
    return v;
}

/* A word that 'rhost resource' prints, and that applying passes over. */
static struct rh_value *
note(struct rh_arena *a, const char *desc)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "description", rh_value_string(a, desc));
    return v;
}

static struct rh_value *
typed(struct rh_arena *a, const char *type, const char *desc)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "type", rh_value_string(a, type));
    rh_value_put(v, "description", rh_value_string(a, desc));
    return v;
}

/* Text, or a list of texts. */
static struct rh_value *
texts(struct rh_arena *a, const char *desc)
{
    struct rh_value *v = typed(a, "string", desc), *types = rh_value_new(a, RH_ARRAY);

    rh_value_append(types, rh_value_string(a, "string"));
    rh_value_append(types, rh_value_string(a, "array"));
    rh_value_put(v, "type", types);
    rh_value_put(v, "items", typed(a, "string", desc));
    return v;
}

/* Levels, each a table, or a list of operations. */
static struct rh_value *
attributes(struct rh_arena *a)
{
    struct rh_value *v = typed(a, "object", "Attributes of the node: levels, or operations.");
    struct rh_value *levels = rh_value_new(a, RH_HASH), *op = rh_value_new(a, RH_HASH);
    struct rh_value *operation = typed(a, "object", "An operation on the attributes.");
    struct rh_value *types = rh_value_new(a, RH_ARRAY), *needed = rh_value_new(a, RH_ARRAY);

    for (int i = 0; i < RH_LEVEL_AUTOMATIC; i++)
        rh_value_put(levels, rh_node_level_name((enum rh_node_level)i),
                     typed(a, "object", "Attributes of this level."));
    rh_value_put(levels, "sensitive", texts(a, "Paths of attributes that are shown nowhere."));
    rh_value_put(op, "op", typed(a, "string", "What is done: set, set!, rm, rm_level..."));
    rh_value_put(op, "level", typed(a, "string", "The level, where it is about one."));
    rh_value_put(op, "path", note(a, "Keys and positions, or a text as in web.port."));
    rh_value_put(op, "value", note(a, "What is set."));
    rh_value_put(op, "sensitive", typed(a, "boolean", "Whether it is shown nowhere."));
    rh_value_append(needed, rh_value_string(a, "op"));
    rh_value_put(operation, "properties", op);
    rh_value_put(operation, "required", needed);
    rh_value_put(operation, "additionalProperties", rh_value_boolean(a, false));
    rh_value_append(types, rh_value_string(a, "object"));
    rh_value_append(types, rh_value_string(a, "array"));
    rh_value_put(v, "type", types);
    rh_value_put(v, "properties", levels);
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
    rh_value_put(v, "items", operation);
    return v;
}

/* An entry that includes files. */
static struct rh_value *
include(struct rh_arena *a, const struct rh_value *common)
{
    static const char *const words[] = { "when", "for_each" };
    struct rh_value *v = typed(a, "object", "Entries of other files.");
    struct rh_value *properties = rh_value_new(a, RH_HASH), *needed = rh_value_new(a, RH_ARRAY);

    rh_value_put(properties, "include", texts(a, "Files, relative to this one."));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (rh_value_get(common, words[i]))
            rh_value_put(properties, words[i], rh_value_copy(a, rh_value_get(common, words[i])));
    rh_value_append(needed, rh_value_string(a, "include"));
    rh_value_put(v, "properties", properties);
    rh_value_put(v, "required", needed);
    rh_value_put(v, "additionalProperties", rh_value_boolean(a, false));
    return v;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_value *root, *properties, *resources, *items, *schedules;
    const struct rh_type *purge;
    struct gathering g;

    if (argc > 0)
        return rh_usage_error(&rh_command_schema, "unexpected argument '%s'", argv[0]);
    rh_session_open(&s, settings);
    g.common = common_properties(s.arena);
    g.entries = rh_value_new(s.arena, RH_ARRAY);
    rh_registry_each(s.registry, add_entry, &g);
    purge = rh_purge_type(s.arena, NULL);
    if (purge)
        add_entry(&g, purge);

    rh_value_append(g.entries, include(s.arena, g.common));
    items = rh_value_new(s.arena, RH_HASH);
    rh_value_put(items, "anyOf", g.entries);
    resources = rh_value_new(s.arena, RH_HASH);
    rh_value_put(resources, "type", rh_value_string(s.arena, "array"));
    rh_value_put(resources, "items", items);
    properties = rh_value_new(s.arena, RH_HASH);
    rh_value_put(properties, "resources", resources);
    schedules = rh_value_new(s.arena, RH_HASH);
    rh_value_put(schedules, "type", rh_value_string(s.arena, "object"));
    rh_value_put(schedules, "description", rh_value_string(s.arena, "Schedules by name."));
    rh_value_put(properties, "schedules", schedules);
    rh_value_put(properties, "attributes", attributes(s.arena));
    rh_value_put(properties, "roles", texts(s.arena, "Roles: files in the directory roles/."));
    rh_value_put(properties, "environment",
                 typed(s.arena, "string", "The environment: a file in the directory environments/."));
    rh_value_put(properties, "read_only", note(s.arena, "What is only for reading. Not applied."));
    rh_value_put(properties, "omitted", note(s.arena, "What cannot be written, and why not."));
    root = rh_value_new(s.arena, RH_HASH);
    rh_value_put(root, "$schema", rh_value_string(s.arena, "https://json-schema.org/draft/2020-12/schema"));
    rh_value_put(root, "title", rh_value_string(s.arena, "rhost manifest"));
    rh_value_put(root, "type", rh_value_string(s.arena, "object"));
    rh_value_put(root, "properties", properties);
    rh_value_put(root, "additionalProperties", rh_value_boolean(s.arena, false));
    rh_value_to_json_pretty(&text, root, false);
    (void)puts(rh_buf_text(&text));
    rh_session_close(&s);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_schema = {
    .name = "schema",
    .arguments = "",
    .summary = "print a JSON Schema of manifests, for editors",
    .text = "It covers the types that are installed here.",
    .options = RH_OPT_COMMON,
    .run = run,
};
