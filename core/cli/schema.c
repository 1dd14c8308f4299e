/* SPDX-License-Identifier: Apache-2.0 */
/* schema - rhost schema: JSON Schema for manifests, covering the plugins that are installed.
 *
 * An entry is told by its keys: $defs/entry sends it to the schemas of its kind, so that a mistake in it is
 * reported by those that it can be meant for. The types that a manifest defines are not known here: instances
 * fit $defs/open_entry only, which holds where a definition can be. */
#include "config.h"

#include "base/cleanup.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/schema-parts.h"
#include "cli/session.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/purge-type.h"
#include "plugin/registry.h"
#include "schema/json-schema.h"
#include "schema/type.h"

#include <stdio.h>
#include <string.h>

struct gathering {
    struct rh_arena *arena;
    struct rh_json_schema_words words;
    struct rh_value *attributes;                            /* of the types */
    struct rh_value *resource, *long_form, *declare, *edit; /* alternatives */
    struct rh_value *keywords, *names; /* hashes: keywords and types that an entry can have */
    struct rh_value *defaults;         /* alternatives, by type: one for each provider */
};

static void
add_defaults(const struct gathering *g, const struct rh_type *t)
{
    struct rh_value *any = rh_draft_get(g->defaults, t->type);

    if (!any) {
        any = rh_value_new(g->arena, RH_ARRAY);
        rh_value_put(g->defaults, t->type, any);
    }
    rh_value_append(any, rh_json_schema_defaults(t, &g->words));
}

static void
add_type(void *data, const struct rh_type *t)
{
    struct gathering *g = data;

    rh_value_put(g->attributes, rh_json_schema_key(g->arena, t), rh_json_schema_attributes(g->arena, t));
    rh_value_append(g->resource, rh_json_schema_entry(t, &g->words));
    rh_value_append(g->long_form, rh_json_schema_long_entry(t, &g->words));
    rh_value_append(g->declare, rh_json_schema_reference_entry(t, "declare", &g->words));
    rh_value_append(g->edit, rh_json_schema_reference_entry(t, "edit", &g->words));
    rh_value_put(g->names, t->type, rh_value_boolean(g->arena, true));
    add_defaults(g, t);
}

static struct rh_value *
hash_of(struct rh_arena *a, const char *key, const struct rh_value *v)
{
    struct rh_value *hash = rh_value_new(a, RH_HASH);

    rh_value_put(hash, key, v);
    return hash;
}

/* [{"required": [KEY]}, ...] of the keys. */
static struct rh_value *
has_one_of(struct rh_arena *a, const struct rh_value *keys)
{
    struct rh_value *any = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(keys); i++) {
        struct rh_value *list = rh_value_new(a, RH_ARRAY);

        rh_value_append(list, rh_value_string(a, rh_value_entry(keys, i)->key));
        rh_value_append(any, hash_of(a, "required", list));
    }
    return hash_of(a, "anyOf", any);
}

static void
gather_keywords(struct gathering *g, struct rh_value *defs)
{
    struct rh_arena *a = g->arena;
    struct rh_value *all = rh_value_new(a, RH_HASH), *first = rh_value_new(a, RH_HASH);
    const struct rh_keyword *word;

    g->keywords = rh_value_new(a, RH_HASH);
    for (size_t i = 0; (word = rh_keyword_at(i)); i++) {
        rh_autobuf struct rh_buf name = { 0 };
        struct rh_value *ref;

        rh_buf_addf(&name, "keywords/%s", word->word);
        ref = rh_schema_ref(a, rh_buf_text(&name));
        rh_value_put(g->keywords, word->word,
                     rh_json_schema_or(rh_schema_part(a, word->type, word->desc),
                                       rh_schema_json(a, "{\"type\": \"null\"}")));
        rh_value_put(all, word->word, ref);
        if (rh_keyword_leads(word->word))
            rh_value_put(first, word->word, ref);
    }
    rh_value_put(defs, "keywords", g->keywords);
    g->words = (struct rh_json_schema_words){ all, first };
}

/* `declare` and `edit` of what the schema of no type can tell: types that are not known, an expression; and a
 * list of resources of several types, with the attributes of any. */
static void
add_open_references(struct gathering *g, struct rh_value *to, const char *word)
{
    static const char text[] = "{\"type\": \"object\", \"required\": [\"%s\"], \"properties\": {\"%s\":"
                               " {\"anyOf\": [%s, {\"type\": \"array\", \"contains\": %s}]}}}";
    static const char several[] = "{\"type\": \"object\","
                                  " \"patternProperties\": {\"^x-\": {}}, \"additionalProperties\": false}";
    rh_autobuf struct rh_buf names = { 0 }, other = { 0 }, json = { 0 };
    struct rh_value *list = rh_schema_json(g->arena, several);
    struct rh_value *properties = rh_value_copy_top(g->arena, g->words.all);

    for (size_t i = 0; i < rh_value_count(g->names); i++)
        rh_buf_addf(&names, "%s%s", i ? "|" : "", rh_value_entry(g->names, i)->key);
    rh_buf_addf(&other, "{\"type\": \"string\", \"pattern\": \"^(?!(%s)\\\\[)\"}", rh_buf_text(&names));
    rh_buf_addf(&json, text, word, word, rh_buf_text(&other), rh_buf_text(&other));
    rh_value_append(to, rh_schema_json(g->arena, rh_buf_text(&json)));

    for (size_t i = 0; i < rh_value_count(g->attributes); i++) {
        const struct rh_value *of_type = rh_value_entry(g->attributes, i)->value;

        for (size_t k = 0; k < rh_value_count(of_type); k++)
            rh_value_put(properties, rh_value_entry(of_type, k)->key, rh_value_new(g->arena, RH_HASH));
    }
    rh_value_put(properties, "attributes", rh_value_new(g->arena, RH_HASH));
    rh_value_put(properties, word, rh_schema_json(g->arena, "{\"type\": \"array\", \"minItems\": 2}"));
    rh_value_put(list, "properties", properties);
    rh_value_append(to, list);
}

/* An instance of a definition: no type is a key of it, unless a definition has a parameter of that name. Of
 * the long form: with a type that is not known. */
static void
put_instances(const struct gathering *g, struct rh_value *defs)
{
    struct rh_arena *a = g->arena;
    struct rh_value *known = rh_value_new(a, RH_ARRAY);
    struct rh_value *instance = rh_schema_json(a, "{\"type\": \"object\", \"minProperties\": 1}");
    struct rh_value *any = rh_schema_json(a, "{\"type\": \"object\", \"minProperties\": 1}");
    struct rh_value *apart = rh_schema_json(
        a, "{\"type\": \"object\", \"required\": [\"type\", \"title\"], \"properties\": {\"type\": {},"
           " \"title\": {}, \"attributes\": {\"type\": [\"object\", \"null\"]}},"
           " \"patternProperties\": {\"^x-\": {}}, \"additionalProperties\": false}");
    struct rh_value *type = rh_schema_json(a, "{\"type\": \"string\"}"), *properties;
    struct rh_value *names = rh_value_copy(a, g->names);

    for (size_t i = 0; i < rh_value_count(g->names); i++)
        rh_value_append(known, rh_value_string(a, rh_value_entry(g->names, i)->key));
    for (size_t i = 0; i < rh_value_count(g->keywords); i++)
        rh_value_put(names, rh_value_entry(g->keywords, i)->key, rh_value_boolean(a, true));
    rh_value_put(type, "not", hash_of(a, "enum", known));
    properties = rh_value_copy_top(a, g->words.all);
    rh_value_put(properties, "type", type);
    rh_value_put(properties, "title", rh_value_new(a, RH_HASH));
    rh_value_put(properties, "attributes", rh_schema_json(a, "{\"type\": [\"object\", \"null\"]}"));
    rh_value_put(apart, "properties", properties);
    rh_value_put(defs, "open_long_form", apart);
    /* A key that is neither a keyword nor a type: its name. */
    rh_value_put(any, "properties", g->words.all);
    rh_value_put(instance, "properties", g->words.all);
    rh_value_put(instance, "not", has_one_of(a, g->names));
    rh_value_put(defs, "instance", instance);
    rh_value_put(defs, "any_instance", any);
}

/* Attributes and keywords by type. An open one may name types that are not known here. */
static void
put_defaults(const struct gathering *g, struct rh_value *defs)
{
    struct rh_arena *a = g->arena;
    struct rh_value *properties = rh_value_new(a, RH_HASH), *open;
    struct rh_value *closed = rh_schema_json(
        a, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": false, \"description\":"
           " \"Attributes and keywords that resources have unless they say otherwise, by type.\"}");

    for (size_t i = 0; i < rh_value_count(g->defaults); i++) {
        const struct rh_entry *e = rh_value_entry(g->defaults, i);

        rh_value_put(properties, e->key, hash_of(a, "anyOf", e->value));
    }
    rh_value_put(closed, "properties", properties);
    rh_value_put(closed, "patternProperties", rh_json_schema_extensions(a));
    open = rh_value_copy_top(a, closed);
    rh_value_put(open, "additionalProperties", rh_schema_json(a, "{\"type\": [\"object\", \"null\"]}"));
    rh_value_put(defs, "defaults", closed);
    rh_value_put(defs, "open_defaults", open);
}

/* {"if": has the keys, "then": ref, "else": otherwise} */
static struct rh_value *
choose(struct rh_arena *a, const char *keys, const char *name, const struct rh_value *otherwise)
{
    rh_autobuf struct rh_buf required = { 0 };
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_buf_addf(&required, "{\"required\": [%s]}", keys);
    rh_value_put(v, "if", rh_schema_json(a, rh_buf_text(&required)));
    rh_value_put(v, "then", rh_schema_ref(a, name));
    rh_value_put(v, "else", otherwise);
    return v;
}

static struct rh_value *
either(struct rh_arena *a, const char *one, const char *other)
{
    struct rh_value *any = rh_value_new(a, RH_ARRAY);

    rh_value_append(any, rh_schema_ref(a, one));
    rh_value_append(any, rh_schema_ref(a, other));
    return hash_of(a, "anyOf", any);
}

/* Which schema an entry has to fit. An editor offers the properties. */
static struct rh_value *
entry(struct rh_arena *a, const struct rh_value *long_form, const struct rh_value *resource,
      const char *group)
{
    static const char of_group[] =
        "{\"pattern\": \"^(resources|on_failure|always|for_each|when|defaults|x-.*)$\"}";
    struct rh_value *v = choose(a, "\"resources\"", group, resource), *apart;

    /* A definition may have a parameter of that name. */
    if (strcmp(group, "group") != 0)
        rh_value_put(rh_draft_get(v, "if"), "propertyNames", rh_schema_json(a, of_group));

    v = choose(a, "\"declare\"", "declare", v);
    v = choose(a, "\"edit\"", "edit", v);
    v = choose(a, "\"trigger\"", "trigger", v);
    v = choose(a, "\"include\"", "include", v);
    v = choose(a, "\"define\"", "define", v);
    apart = choose(a, "\"type\", \"title\"", "long_form", v);
    rh_value_put(apart, "then", long_form);
    rh_value_put(apart, "type", rh_value_string(a, "object"));
    rh_value_put(
        apart, "properties",
        rh_schema_json(
            a, "{\"declare\": {}, \"edit\": {}, \"trigger\": {}, \"include\": {},"
               " \"define\": {}, \"resources\": {}, \"defaults\": {}, \"on_failure\": {}, \"always\": {}}"));
    return apart;
}

static void
put_entries(const struct gathering *g, struct rh_value *defs)
{
    struct rh_arena *a = g->arena;

    rh_value_put(defs, "attributes", g->attributes);
    rh_value_put(defs, "resource", hash_of(a, "anyOf", g->resource));
    rh_value_put(defs, "long_form", hash_of(a, "anyOf", g->long_form));
    rh_value_put(defs, "declare", hash_of(a, "anyOf", g->declare));
    rh_value_put(defs, "edit", hash_of(a, "anyOf", g->edit));
    put_defaults(g, defs);
    rh_schema_put_entries(defs, g->keywords);
    put_instances(g, defs);
    rh_value_put(defs, "entry",
                 entry(a, rh_schema_ref(a, "long_form"), rh_schema_ref(a, "resource"), "group"));
    rh_value_put(
        defs, "open_entry",
        entry(a, either(a, "long_form", "open_long_form"), either(a, "resource", "instance"), "open_group"));
    rh_value_put(defs, "any_entry",
                 entry(a, either(a, "long_form", "open_long_form"), either(a, "resource", "any_instance"),
                       "any_group"));
}

/* The same object with other entries. */
static struct rh_value *
with_entries(const struct rh_value *object, const char *name)
{
    /* Where a definition can be, its defaults can be, too. */
    struct rh_arena *a = rh_value_arena(object);
    struct rh_value *v = rh_value_copy_top(a, object);
    struct rh_value *properties = rh_value_copy_top(a, rh_value_get(object, "properties"));
    struct rh_value *resources = rh_value_copy_top(a, rh_value_get(properties, "resources"));

    rh_value_put(resources, "items", rh_schema_ref(a, name));
    rh_value_put(properties, "resources", resources);
    rh_value_put(properties, "defaults", rh_schema_ref(a, "open_defaults"));
    rh_value_put(v, "properties", properties);
    return v;
}

/* A manifest, a role or an environment, with the entries that it can have. */
static struct rh_value *
make_root(const struct gathering *g, struct rh_value *defs)
{
    static const char of_role[] =
        "{\"anyOf\": [{\"required\": [\"default\"]}, {\"required\": [\"override\"]},"
        " {\"required\": [\"desc\"]}, {\"required\": [\"sensitive\"]},"
        " {\"required\": [\"include\"]}]}";
    static const char with_definitions[] =
        "{\"anyOf\": [{\"required\": [\"roles\"]}, {\"required\": [\"resources\"], \"properties\":"
        " {\"resources\": {\"type\": \"array\", \"contains\": {\"$ref\": \"#/$defs/may_define\"}}}}]}";
    static const char may_define[] =
        "{\"type\": \"object\", \"anyOf\": [{\"required\": [\"define\"]}, {\"required\": [\"include\"]},"
        " {\"required\": [\"resources\"], \"properties\": {\"resources\": {\"type\": \"array\","
        " \"contains\": {\"$ref\": \"#/$defs/may_define\"}}}}]}";
    static const char define[] = "{\"type\": \"object\", \"required\": [\"define\", \"parameters\"]}";
    struct rh_arena *a = g->arena;
    struct rh_value *root = rh_value_new(a, RH_HASH), *manifest = rh_schema_manifest(a);
    struct rh_value *definition = rh_schema_json(a, define), *resources, *with_parameter;
    struct rh_value *open = rh_value_new(a, RH_HASH), *any = rh_value_new(a, RH_HASH);

    rh_value_put(defs, "may_define", rh_schema_json(a, may_define));
    rh_value_put(defs, "role", rh_schema_role(a));
    rh_value_put(defs, "manifest", manifest);
    rh_value_put(defs, "open_manifest", with_entries(manifest, "open_entry"));
    rh_value_put(defs, "any_manifest", with_entries(manifest, "any_entry"));
    rh_value_put(definition, "properties", hash_of(a, "parameters", has_one_of(a, g->names)));
    resources = rh_schema_json(a, "{\"type\": \"array\"}");
    rh_value_put(resources, "contains", definition);
    with_parameter = rh_schema_json(a, "{\"required\": [\"resources\"]}");
    rh_value_put(with_parameter, "properties", hash_of(a, "resources", resources));

    rh_value_put(open, "if", rh_schema_json(a, with_definitions));
    rh_value_put(open, "then", rh_schema_ref(a, "open_manifest"));
    rh_value_put(open, "else", rh_schema_ref(a, "manifest"));
    rh_value_put(any, "if", with_parameter);
    rh_value_put(any, "then", rh_schema_ref(a, "any_manifest"));
    rh_value_put(any, "else", open);

    rh_value_put(root, "$schema", rh_value_string(a, "https://json-schema.org/draft/2020-12/schema"));
    rh_value_put(root, "title", rh_value_string(a, "rhost manifest"));
    rh_value_put(root, "type", rh_value_get(rh_schema_json(a, "{\"t\": [\"object\", \"null\"]}"), "t"));
    rh_value_put(root, "if", rh_schema_json(a, of_role));
    rh_value_put(root, "then", rh_schema_ref(a, "role"));
    rh_value_put(root, "else", any);
    rh_value_put(root, "$defs", defs);
    return root;
}

void
rh_schema_text(struct rh_settings *settings, struct rh_buf *to)
{
    struct rh_session s;
    struct rh_value *defs;
    const struct rh_type *purge;
    struct gathering g = { 0 };

    rh_session_open(&s, settings);
    g.arena = s.arena;
    g.attributes = rh_value_new(s.arena, RH_HASH);
    g.names = rh_value_new(s.arena, RH_HASH);
    g.defaults = rh_value_new(s.arena, RH_HASH);
    g.resource = rh_value_new(s.arena, RH_ARRAY);
    g.long_form = rh_value_new(s.arena, RH_ARRAY);
    g.declare = rh_value_new(s.arena, RH_ARRAY);
    g.edit = rh_value_new(s.arena, RH_ARRAY);
    defs = rh_value_new(s.arena, RH_HASH);
    gather_keywords(&g, defs);
    rh_registry_each(s.registry, add_type, &g);
    purge = rh_purge_type(s.arena, NULL);
    if (purge)
        add_type(&g, purge);
    add_open_references(&g, g.declare, "declare");
    add_open_references(&g, g.edit, "edit");
    put_entries(&g, defs);
    rh_value_to_json_pretty(to, make_root(&g, defs), false);
    rh_session_close(&s);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (argc > 0)
        return rh_usage_error(&rh_command_schema, "unexpected argument '%s'", argv[0]);
    rh_schema_text(settings, &text);
    (void)puts(rh_buf_text(&text));
    return RH_EXIT_OK;
}

const struct rh_command rh_command_schema = {
    .name = "schema",
    .arguments = "",
    .summary = "print a JSON Schema of manifests, for editors",
    .text = "It covers the types that are installed here.",
    .options = RH_OPT_COMMON | RH_OPT_POLICY,
    .run = run,
};
