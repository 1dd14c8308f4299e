/* SPDX-License-Identifier: Apache-2.0 */
/* define - new types made of resources.
 *
 * A definition becomes a type like any other, whose attributes are the parameters; no provider
 * serves it. For each instance its resources are read again, with the parameters filled in. */
#include "config.h"

#include "manifest/entry/define.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "datatype/datatype.h"
#include "manifest/entry/defaults.h"
#include "manifest/entry/entry.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/type.h"

#include <string.h>

enum { DEEPEST = 50 };

bool
rh_is_definition(const struct rh_value *entry)
{
    static const char *const own[] = { "defaults", "desc", "parameters", "resources" };

    for (size_t i = 0; rh_value_get(entry, "define"); i++) {
        const char *key = rh_value_entry(entry, i)->key;
        bool known = rh_keyword_find(key) || rh_is_extension_key(key);

        if (strcmp(key, "define") == 0)
            return true;
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
            known |= strcmp(key, own[k]) == 0;
        if (!known)
            break; /* the type of a resource, which has an attribute of this name */
    }
    return false;
}

/* The description of a type, as a plugin would give it (schema/type.h). */

static struct rh_value *
describe(struct rh_arena *a, const char *type, struct rh_value *attributes)
{
    struct rh_value *v = rh_value_new(a, RH_HASH), *name = rh_value_new(a, RH_HASH);
    struct rh_value *refresh = rh_value_new(a, RH_HASH), *actions = rh_value_new(a, RH_ARRAY);
    struct rh_value *all = rh_value_new(a, RH_ARRAY);

    rh_value_put(name, "name", rh_value_string(a, "name"));
    rh_value_put(name, "type", rh_value_string(a, "String[1]"));
    rh_value_put(name, "behaviour", rh_value_integer(a, RH_NAMEVAR));
    rh_value_put(name, "desc", rh_value_string(a, "What its title says."));
    rh_value_append(all, name);
    for (size_t i = 0; i < rh_value_count(attributes); i++)
        rh_value_append(all, rh_value_at(attributes, i));
    rh_value_put(refresh, "name", rh_value_string(a, "refresh"));
    rh_value_put(refresh, "desc", rh_value_string(a, "Refresh what can be refreshed in it."));
    rh_value_append(actions, refresh);
    rh_value_put(v, "type", rh_value_string(a, type));
    rh_value_put(v, "provider", rh_value_string(a, "define"));
    rh_value_put(v, "slots", rh_value_integer(a, RH_HAS_CONVERGE | RH_HAS_ACT));
    rh_value_put(v, "attributes", all);
    rh_value_put(v, "actions", actions);
    rh_value_put(v, "refresh_action", rh_value_string(a, "refresh"));
    return v;
}

static struct rh_value *
describe_attribute(struct rh_arena *a, const char *name, const char *type)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "name", rh_value_string(a, name));
    rh_value_put(v, "type", rh_value_string(a, type));
    rh_value_put(v, "behaviour", rh_value_integer(a, RH_PARAMETER));
    return v;
}

struct rh_type *
rh_define_make(struct rh_arena *a, const char *name, struct rh_value *parameters, struct rh_error *err)
{
    struct rh_type *t = rh_type_read(a, describe(a, name, parameters), err);

    if (t)
        t->defined = true;
    return t;
}

/* Reading a definition. */

static void
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *message)
{
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", message);
}

/* "port: Integer", or "port: {type: Integer, default: 80, desc: ...}". */
static struct rh_value *
read_parameter(struct rh_load *load, const struct rh_value *parameters, size_t i)
{
    const struct rh_entry *e = rh_value_entry(parameters, i);
    struct rh_arena *a = load->catalog->arena;
    const struct rh_value *type = e->value, *fallback = NULL, *desc;
    struct rh_value *v;

    if (rh_value_is(e->value, RH_HASH)) {
        type = rh_value_get(e->value, "type");
        for (size_t k = 0; k < rh_value_count(e->value); k++) {
            const char *key = rh_value_entry(e->value, k)->key;

            if (strcmp(key, "type") == 0 || strcmp(key, "default") == 0 || strcmp(key, "desc") == 0)
                continue;
            rh_complain(load->complaints, rh_value_key_place(e->value, k), "it has: type, default, desc",
                        "unknown key '%s' in a parameter", key);
            return NULL;
        }
        fallback = rh_value_get(e->value, "default");
    }
    if (!rh_value_is(type, RH_STRING) || !type->count) {
        refuse(load, type ? type : e->value, "write it like this: port: Integer[1, 65535]",
               "a parameter needs a data type");
        return NULL;
    }
    if (rh_keyword_find(e->key) || rh_is_reserved_attribute(e->key)) {
        rh_complain(load->complaints, rh_value_key_place(parameters, i), NULL,
                    "'%s' is reserved and cannot be a parameter", e->key);
        return NULL;
    }
    v = describe_attribute(a, e->key, type->u.string);
    desc = rh_value_get(e->value, "desc");
    if (rh_value_is(desc, RH_STRING))
        rh_value_put(v, "desc", rh_value_string(a, desc->u.string));
    if (fallback) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_datatype *t = rh_datatype_parse(a, NULL, type->u.string, &err);

        if (t) /* what is wrong with the type is said with the others */
            rh_value_put(v, "default", rh_scalar_read(a, t, rh_value_copy(a, fallback)));
    }
    return v;
}

static const struct rh_type *
make_type(struct rh_load *load, const struct rh_value *entry, const struct rh_value *name)
{
    struct rh_arena *a = load->catalog->arena;
    const struct rh_value *parameters = rh_value_get(entry, "parameters");
    struct rh_value *attributes = rh_value_new(a, RH_ARRAY);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_type *t;

    if (parameters && !rh_scalar_is_null(parameters) && parameters->kind != RH_HASH) {
        refuse(load, parameters, "write it like this: port: Integer[1, 65535]",
               "'parameters' must be a hash of names and data types");
        return NULL;
    }
    for (size_t i = 0; i < rh_value_count(parameters); i++) {
        struct rh_value *one = read_parameter(load, parameters, i);

        if (!one)
            return NULL;
        rh_value_append(attributes, one);
    }
    t = rh_define_make(a, name->u.string, attributes, &err);
    if (!t) {
        rh_complain_error(load->complaints, rh_value_place(parameters ? parameters : name), NULL, &err);
        return NULL;
    }
    t->desc = rh_value_get_str(entry, "desc", "");
    return t;
}

struct rh_definition *
rh_define_add(struct rh_load *load, const struct rh_type *type)
{
    struct rh_definition *d = rh_arena_alloc(load->catalog->arena, sizeof *d);

    *d = (struct rh_definition){ .type = type, .around = load->context.defaults };
    rh_map_put(&load->known.definitions, type->type, d);
    rh_load_define(load, type);
    return d;
}

/* What a module defines begins with its name. */
static bool
is_of_module(const struct rh_load *load, const struct rh_value *name)
{
    const char *module = load->context.module;
    rh_autofree char *prefix = module ? rh_printf("%s::", module) : NULL;
    rh_autofree char *hint = module ? rh_printf("for example: %s::%s", module, name->u.string) : NULL;

    if (!module || strncmp(name->u.string, prefix, strlen(prefix)) == 0)
        return true;
    rh_complain(load->complaints, rh_value_place(name), hint,
                "a definition of the module '%s' needs a name that begins with '%s'", module, prefix);
    return false;
}

struct rh_definition *
rh_define_read(struct rh_load *load, const struct rh_value *entry)
{
    static const char *const keys[] = { "define", "desc", "parameters", "defaults", "resources", NULL };
    const struct rh_value *name = rh_value_get(entry, "define");
    const struct rh_value *resources = rh_value_get(entry, "resources");
    struct rh_definition *d, *first;
    const struct rh_type *t;

    if (!rh_value_is(name, RH_STRING) || !rh_is_type_name(name->u.string)
        || strlen(name->u.string) != name->count) {
        refuse(load, name, "like a type's: lower case letters, digits, '_', and '::' between",
               "this is not a valid name for a definition");
        return NULL;
    }
    if (!is_of_module(load, name))
        goto refused;
    for (size_t i = 0; i < rh_value_count(entry); i++)
        if (!rh_is_extension_key(rh_value_entry(entry, i)->key)
            && !rh_known_key(load->complaints, entry, i, keys, "a definition"))
            goto refused;
    first = rh_map_get(&load->known.definitions, name->u.string);
    if (first && !first->place.line) {
        rh_complain(load->complaints, rh_value_place(name), "give it another name",
                    "'%s' already exists, as %s", name->u.string, "a definition of rhost itself");
        return NULL;
    }
    if (first) {
        rh_complain(load->complaints, rh_value_place(name), NULL, "'%s' is defined twice", name->u.string);
        rh_complain_also(load->complaints, first->place, "first defined here");
        return NULL;
    }
    if (rh_load_type(load, name->u.string, NULL)->type || rh_keyword_find(name->u.string)) {
        rh_complain(load->complaints, rh_value_place(name), "give it another name",
                    "'%s' already exists, as %s", name->u.string,
                    rh_keyword_find(name->u.string)                           ? "a keyword"
                    : rh_load_type(load, name->u.string, NULL)->type->defined ? "a definition of a module"
                                                                              : "a type of a plugin");
        return NULL;
    }
    if (resources && !rh_scalar_is_null(resources) && resources->kind != RH_ARRAY) {
        refuse(load, resources, "each entry starts with '- '", "'resources' must be a list of entries");
        goto refused;
    }
    t = make_type(load, entry, name);
    if (!t)
        goto refused;
    d = rh_define_add(load, t);
    d->resources = resources;
    d->defaults = rh_value_get(entry, "defaults");
    d->place = rh_value_place(name);
    return d;
refused:
    rh_catalog_note_refused(load->catalog, rh_arena_strdup(load->catalog->arena, name->u.string), NULL);
    return NULL;
}

void
rh_define_read_all(struct rh_load *load, const struct rh_value *resources)
{
    for (size_t i = 0; i < rh_value_count(resources); i++)
        if (rh_is_definition(rh_value_at(resources, i)))
            (void)rh_define_read(load, rh_value_at(resources, i)); /* the complaints are counted */
}

/* Instances. */

static struct rh_value *
scope_of(struct rh_load *load, const struct rh_resource *instance)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *scope = rh_value_copy_top(a, instance->should);

    for (size_t i = 0; i < instance->type->n_attrs; i++) {
        const struct rh_attr *attr = &instance->type->attrs[i];
        const struct rh_value *v = rh_value_get(scope, attr->name);

        if (!v)
            rh_value_put_ref(scope, attr->name, rh_value_new(a, RH_UNDEF));
        else if (v->kind == RH_UNKNOWN)
            rh_value_put_ref(scope, attr->name,
                             rh_later_parameter(load, v, attr->type,
                                                rh_arena_printf(a, "%s[%s].%s", instance->type->type,
                                                                instance->title, attr->name)));
    }
    rh_value_put(scope, "title", rh_value_string(a, instance->title));
    return scope;
}

/* Whether the parameters that have to be given are. */
static bool
is_complete(struct rh_load *load, const struct rh_resource *instance)
{
    for (size_t i = 0; i < instance->type->n_attrs; i++) {
        const struct rh_attr *attr = &instance->type->attrs[i];

        if (!attr->required || rh_value_get(instance->should, attr->name))
            continue;
        rh_complain(load->complaints, instance->place, NULL, "%s[%s] needs the parameter '%s'",
                    instance->type->type, instance->title, attr->name);
        return false;
    }
    return true;
}

static int
check_depth(struct rh_load *load, const struct rh_resource *instance)
{
    int depth = 0;

    for (const struct rh_resource *r = instance; r; r = r->container)
        depth++;
    if (depth <= DEEPEST)
        return 0;
    rh_complain(load->complaints, instance->place, NULL, "definitions are nested more than %d deep", DEEPEST);
    return -1;
}

/* Those of the text in which the definition stands, whoever uses it. */
static void
open_defaults(struct rh_load *load, const struct rh_definition *d)
{
    load->context.defaults = d->around;
    if (d->defaults)
        rh_defaults_open(load, rh_value_copy_sharing(load->catalog->arena, d->defaults));
}

int
rh_define_expand(struct rh_load *load, struct rh_resource *instance, bool listed)
{
    struct rh_definition *d = rh_map_get(&load->known.definitions, instance->type->type);
    struct rh_arena *a = load->catalog->arena;
    const struct rh_value *scope = load->context.scope;
    const struct rh_defaults *defaults = load->context.defaults;
    struct rh_resource *container = load->context.container;
    unsigned groups = load->context.groups;
    bool unlisted = load->context.unlisted;
    int rc = 0;

    if (!d)
        return 0; /* of a compiled catalog, which has its resources as well */
    if (!is_complete(load, instance) || check_depth(load, instance) < 0)
        return -1;
    load->context.scope = scope_of(load, instance);
    load->context.container = instance;
    load->context.unlisted = unlisted || !listed;
    load->context.groups = 0;
    open_defaults(load, d);
    if (d->expand)
        rc = d->expand(load, d, instance);
    for (size_t i = 0; i < rh_value_count(d->resources) && !load->spent.exceeded; i++) {
        size_t before = rh_complaints_count(load->complaints);

        if (rh_entry_read(load, rh_value_copy_sharing(a, rh_value_at(d->resources, i))) == 0)
            continue;
        rc = -1;
        rh_complain_around(load->complaints, before, instance->place, "for the instance declared here");
    }
    if (!d->checked)
        rh_defaults_close(load, d->around); /* the first instance says what is wrong with the names */
    d->checked = true;
    load->context.defaults = defaults;
    load->context.groups = groups;
    load->context.scope = scope;
    load->context.container = container;
    load->context.unlisted = unlisted;
    return rc;
}

const struct rh_type *
rh_define_type_of(struct rh_load *load, const char *type, const struct rh_value *attributes)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_type *t;

    for (size_t i = 0; i < rh_value_count(attributes); i++)
        if (strcmp(rh_value_entry(attributes, i)->key, "name") != 0)
            rh_value_append(list, describe_attribute(a, rh_value_entry(attributes, i)->key, "Any"));
    t = rh_type_read(a, describe(a, type, list), &err);
    if (t)
        t->defined = true;
    return t;
}
