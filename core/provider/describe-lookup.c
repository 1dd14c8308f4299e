/* SPDX-License-Identifier: Apache-2.0 */
/* describe-lookup - the lookups and facts of a plugin as data. */
#include "config.h"

#include "provider/describe.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/describe-parts.h"
#include "schema/type.h"

#include <stddef.h>
#include <string.h>

/* What a plugin is as a type. */
static int
put_plugin(struct rh_value *v, const char *type, const struct rhost_plugin *p, const char *desc,
           const struct rh_value *types, struct rh_error *err)
{
    struct rh_arena *a = rh_value_arena(v);

    if (rh_describe_put_text(v, "type", type, err) < 0
        || rh_describe_put_text(v, "provider", p->name, err) < 0
        || rh_describe_put_text(v, "plugin", p->name, err) < 0
        || rh_describe_put_text(v, "version", p->version, err) < 0
        || rh_describe_put_text(v, "desc", desc, err) < 0)
        return -1;
    rh_value_put(v, "slots", rh_value_integer(a, RH_HAS_LOAD));
    if (rh_value_count(types))
        rh_value_put(v, "data_types", rh_value_copy(a, types));
    return 0;
}

static void
add_attr(struct rh_value *list, const char *name, const char *type, const char *desc, uint32_t behaviour)
{
    struct rh_arena *a = rh_value_arena(list);
    struct rh_value *one = rh_value_new(a, RH_HASH);

    rh_value_put(one, "name", rh_value_string(a, name));
    rh_value_put(one, "type", rh_value_string(a, type));
    rh_value_put(one, "desc", rh_value_string(a, desc ? desc : ""));
    rh_value_put(one, "behaviour", rh_value_integer(a, behaviour));
    rh_value_append(list, one);
}

static bool
is_text(const char *text)
{
    return !text || (strlen(text) <= 1 << 20 && rh_utf8_valid(text, strlen(text)));
}

static int
copy_lookup(const struct rhost_lookup *l, struct rhost_lookup *copy, struct rh_error *err)
{
    if (rh_describe_copy_struct(copy, sizeof *copy, l, l->struct_size, offsetof(struct rhost_lookup, needs),
                                "a lookup", err)
        < 0)
        return -1;
    if (!copy->name || !rh_is_type_name(copy->name) || !copy->find)
        return rh_error_set(err, RH_EINPUT, "a lookup needs a valid name and find()");
    return is_text(copy->type)
               ? 0
               : rh_error_set(err, RH_EINPUT, "lookup '%s': its type is not UTF-8", copy->name);
}

static int
copy_fact(const struct rhost_fact *f, struct rhost_fact *copy, struct rh_error *err)
{
    if (rh_describe_copy_struct(copy, sizeof *copy, f, f->struct_size, offsetof(struct rhost_fact, needs),
                                "a fact", err)
        < 0)
        return -1;
    if (!copy->name || !rh_is_name(copy->name) || !copy->read)
        return rh_error_set(err, RH_EINPUT, "a fact needs a valid name and read()");
    return is_text(copy->type) && is_text(copy->desc)
               ? 0
               : rh_error_set(err, RH_EINPUT, "fact '%s': its texts are not UTF-8", copy->name);
}

/* The parameters, between the name and the answer. */
static struct rh_value *
describe_lookup(struct rh_arena *a, const struct rhost_lookup *l, const struct rhost_plugin *p,
                const struct rh_value *types, struct rh_error *err)
{
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);
    const struct rh_value *attributes;

    if (put_plugin(v, l->name, p, l->desc, types, err) < 0
        || rh_describe_put_attrs(v, l->attrs, l->attr_stride, l->n_attrs, err) < 0
        || rh_describe_put_needs(v, l->needs, err) < 0)
        return NULL;
    attributes = rh_value_get(v, "attributes");
    add_attr(list, "lookup", "String[1]", "The name of the lookup.", RH_NAMEVAR);
    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        struct rh_value *one = rh_value_copy(a, rh_value_at(attributes, i));

        rh_value_drop(one, "initial");
        rh_value_put(one, "behaviour", rh_value_integer(a, RH_PARAMETER));
        rh_value_append(list, one);
    }
    add_attr(list, "answer", l->type ? l->type : "Any", "The answer.", RH_READ_ONLY);
    rh_value_put(v, "attributes", list);
    return v;
}

static struct rh_value *
describe_lookups(struct rh_arena *a, const struct rhost_plugin *p, const struct rh_value *types,
                 struct rh_error *err)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; p->lookups && p->lookups[i]; i++) {
        struct rhost_lookup copy;
        struct rh_value *one;

        if (i >= RH_DESCRIBE_MOST) {
            rh_error_set(err, RH_EINPUT, "it has more than %d lookups", RH_DESCRIBE_MOST);
            return NULL;
        }
        one = copy_lookup(p->lookups[i], &copy, err) < 0 ? NULL : describe_lookup(a, &copy, p, types, err);
        if (!one)
            return NULL;
        rh_value_append(list, one);
    }
    return list;
}

/* What the facts need together, which is declared when each of them declares it. */
struct needs {
    struct rh_value *list;
    bool declared;
};

static int
add_needs(struct needs *all, const struct rhost_fact *f, struct rh_error *err)
{
    struct rh_arena *a = rh_value_arena(all->list);
    struct rh_value *one = rh_value_new(a, RH_HASH);
    const struct rh_value *list;

    if (rh_describe_put_needs(one, f->needs, err) < 0)
        return -1;
    list = rh_value_get(one, "needs");
    all->declared = all->declared && list;
    for (size_t i = 0; i < rh_value_count(list); i++)
        rh_value_append(all->list, rh_value_copy(a, rh_value_at(list, i)));
    return 0;
}

/* Facts are its attributes. */
static struct rh_value *
describe_source(struct rh_arena *a, const struct rhost_plugin *p, const struct rh_value *types,
                struct rh_error *err)
{
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY), *lookups;
    struct needs needs = { rh_value_new(a, RH_ARRAY), true };

    if (put_plugin(v, p->name, p, "", types, err) < 0)
        return NULL;
    add_attr(list, RH_SOURCE_NAMEVAR, "String[1]", "The plugin.", RH_NAMEVAR);
    for (size_t i = 0; p->facts && p->facts[i]; i++) {
        struct rhost_fact copy;

        if (i >= RH_DESCRIBE_MOST) {
            rh_error_set(err, RH_EINPUT, "it has more than %d facts", RH_DESCRIBE_MOST);
            return NULL;
        }
        if (copy_fact(p->facts[i], &copy, err) < 0 || add_needs(&needs, &copy, err) < 0)
            return NULL;
        add_attr(list, copy.name, copy.type ? copy.type : "Any", copy.desc, RH_READ_ONLY);
    }
    rh_value_put(v, "attributes", list);
    if (needs.declared)
        rh_value_put(v, "needs", needs.list);
    lookups = describe_lookups(a, p, types, err);
    if (!lookups)
        return NULL;
    rh_value_put(v, "lookups", lookups);
    return v;
}

int
rh_describe_put_lookups(struct rh_value *in, const struct rhost_plugin *p, const struct rh_value *types,
                        struct rh_error *err)
{
    struct rh_value *v;

    if (!(p->lookups && p->lookups[0]) && !(p->facts && p->facts[0]))
        return 0;
    v = describe_source(rh_value_arena(in), p, types, err);
    if (!v)
        return -1;
    rh_value_put(in, "source", v);
    return 0;
}

int
rh_describe_source(struct rh_arena *a, const struct rhost_plugin *plugin, const struct rh_value *types,
                   struct rhost_plugin *copy, struct rh_value **description, struct rh_error *err)
{
    if (rh_describe_copy_plugin(plugin, copy, err) < 0)
        return -1;
    *description = describe_source(a, copy, types, err);
    return *description ? 0 : -1;
}

int
rh_describe_find_lookup(const struct rhost_plugin *plugin, const char *name, struct rhost_lookup *copy,
                        const void **own, struct rh_error *err)
{
    for (size_t i = 0; plugin->lookups && plugin->lookups[i]; i++) {
        if (copy_lookup(plugin->lookups[i], copy, err) < 0)
            return -1;
        *own = plugin->lookups[i];
        if (strcmp(copy->name, name) == 0)
            return 0;
    }
    return rh_error_set(err, RH_EINPUT, "it no longer provides lookup '%s'", name);
}

int
rh_describe_find_fact(const struct rhost_plugin *plugin, const char *name, struct rhost_fact *copy,
                      const void **own, struct rh_error *err)
{
    for (size_t i = 0; plugin->facts && plugin->facts[i]; i++) {
        if (copy_fact(plugin->facts[i], copy, err) < 0)
            return -1;
        *own = plugin->facts[i];
        if (strcmp(copy->name, name) == 0)
            return 0;
    }
    return rh_error_set(err, RH_EINPUT, "it no longer provides fact '%s'", name);
}
