/* SPDX-License-Identifier: Apache-2.0 */
/* describe - a live plugin's descriptor as data. */
#include "config.h"

#include "provider/describe.h"

#include "provider/describe-parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/type.h"

#include <string.h>

enum { MOST_PROVIDERS = RH_DESCRIBE_MOST, MOST_ELEMENTS = 1000 };

static int
put_actions(struct rh_value *in, const struct rhost_provider *p, struct rh_error *err)
{
    struct rh_arena *a = rh_value_arena(in);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    if (p->n_actions > MOST_ELEMENTS || (p->n_actions && !p->actions))
        return rh_error_set(err, RH_EINPUT,
                            "its actions are more than 1000, or n_actions is set without actions");
    for (size_t i = 0; i < p->n_actions; i++) {
        struct rh_value *one = rh_value_new(a, RH_HASH);
        struct rhost_action action;

        if (rh_describe_copy_struct(&action, sizeof action, (const char *)p->actions + i * p->action_stride,
                                    p->action_stride, offsetof(struct rhost_action, overlay), "an action",
                                    err)
                < 0
            || rh_describe_put_text(one, "name", action.name, err) < 0
            || rh_describe_put_text(one, "desc", action.desc, err) < 0
            || rh_describe_put_json(one, "overlay", action.overlay, action.name, err) < 0)
            return -1;
        rh_value_append(list, one);
    }
    if (list->count)
        rh_value_put(in, "actions", list);
    return 0;
}

static uint32_t
slots_of(const struct rhost_provider *p)
{
    return (p->suits ? RH_HAS_SUITS : 0U) | (p->open ? RH_HAS_OPEN : 0U) | (p->close ? RH_HAS_CLOSE : 0U)
           | (p->canonicalize ? RH_HAS_CANONICALIZE : 0U) | (p->insync ? RH_HAS_INSYNC : 0U)
           | (p->get ? RH_HAS_GET : 0U) | (p->load ? RH_HAS_LOAD : 0U) | (p->set ? RH_HAS_SET : 0U)
           | (p->create ? RH_HAS_CREATE : 0U) | (p->update ? RH_HAS_UPDATE : 0U)
           | (p->remove ? RH_HAS_REMOVE : 0U) | (p->converge ? RH_HAS_CONVERGE : 0U)
           | (p->act ? RH_HAS_ACT : 0U) | (p->validate ? RH_HAS_VALIDATE : 0U);
}

static struct rh_value *
describe_one(struct rh_arena *a, const struct rhost_provider *p, const struct rhost_plugin *plugin,
             const struct rh_value *types, struct rh_error *err)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    if (rh_describe_put_text(v, "type", p->type, err) < 0
        || rh_describe_put_text(v, "provider", p->name, err) < 0
        || rh_describe_put_text(v, "desc", p->desc, err) < 0
        || rh_describe_put_text(v, "plugin", plugin->name, err) < 0
        || rh_describe_put_text(v, "version", plugin->version, err) < 0
        || rh_describe_put_text(v, "built_with", plugin->built_with, err) < 0)
        return NULL;
    rh_value_put(v, "features", rh_value_integer(a, (int64_t)(p->features & RH_MUST_KNOW)));
    rh_value_put(v, "slots", rh_value_integer(a, slots_of(p)));
    if (plugin->flags & RHOST_ONE_WORKER)
        rh_value_put(v, "one_worker", rh_value_boolean(a, true));
    if (p->features & RH_MUST_KNOW & ~(uint64_t)RH_FEATURES) {
        /* Said here, where all 64 bits are seen. */
        rh_error_set(
            err, RH_EINPUT, "type '%s': unknown features (bits 0x%llx); a newer rhost than %s is needed",
            p->type ? p->type : "", (unsigned long long)(p->features & RH_MUST_KNOW & ~(uint64_t)RH_FEATURES),
            PACKAGE_VERSION);
        return NULL;
    }
    if (rh_value_count(types))
        rh_value_put(v, "data_types", rh_value_copy(a, types));
    if (rh_describe_put_attrs(v, p->attrs, p->attr_stride, p->n_attrs, err) < 0
        || rh_describe_put_list(v, "title_patterns", p->title_patterns, err) < 0
        || rh_describe_put_list(v, "relations", p->relations, err) < 0
        || rh_describe_put_needs(v, p->needs, err) < 0
        || rh_describe_put_text(v, "irreversible", p->irreversible, err) < 0 || put_actions(v, p, err) < 0
        || rh_describe_put_text(v, "default_action", p->default_action, err) < 0
        || rh_describe_put_text(v, "refresh_action", p->refresh_action, err) < 0) {
        rh_error_prefix(err, "type '%s'", rh_value_get_str(v, "type", ""));
        return NULL;
    }
    return v;
}

static int
copy_provider(const struct rhost_provider *p, struct rhost_provider *copy, struct rh_error *err)
{
    return rh_describe_copy_struct(copy, sizeof *copy, p, p->struct_size,
                                   offsetof(struct rhost_provider, title_patterns), "a provider", err);
}

static int
copy_transport(const struct rhost_transport *t, struct rhost_transport *copy, struct rh_error *err)
{
    return rh_describe_copy_struct(copy, sizeof *copy, t, t->struct_size,
                                   offsetof(struct rhost_transport, verify), "a transport", err);
}

static struct rh_value *
describe_transport(struct rh_arena *a, const struct rhost_transport *t, const struct rhost_plugin *plugin,
                   struct rh_error *err)
{
    static const struct rhost_attr target = {
        .name = "target",
        .type = "String[1]",
        .desc = "What the device is called.",
        .behaviour = RHOST_NAMEVAR,
    };
    struct rh_value *v = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);
    const struct rh_value *first, *attributes;

    if (rh_describe_put_text(v, "type", t->name, err) < 0
        || rh_describe_put_text(v, "provider", t->name, err) < 0
        || rh_describe_put_text(v, "desc", t->desc, err) < 0
        || rh_describe_put_text(v, "plugin", plugin->name, err) < 0
        || rh_describe_put_text(v, "version", plugin->version, err) < 0
        || rh_describe_put_attrs(v, &target, sizeof target, 1, err) < 0)
        return NULL;
    first = rh_value_at(rh_value_get(v, "attributes"), 0);
    rh_value_append(list, rh_value_copy(a, first));
    if (rh_describe_put_attrs(v, t->attrs, t->attr_stride, t->n_attrs, err) < 0)
        return NULL;
    attributes = rh_value_get(v, "attributes");
    for (size_t i = 0; i < rh_value_count(attributes); i++)
        rh_value_append(list, rh_value_copy(a, rh_value_at(attributes, i)));
    rh_value_put(v, "attributes", list);
    if (rh_describe_put_needs(v, t->needs, err) < 0)
        return NULL;
    rh_value_put(v, "features", rh_value_integer(a, RH_REMOTE_RESOURCE));
    rh_value_put(v, "slots", rh_value_integer(a, RH_HAS_LOAD | RH_HAS_UPDATE));
    return v;
}

int
rh_describe_transport(struct rh_arena *a, const struct rhost_plugin *plugin, const char *name,
                      const struct rhost_transport **own, struct rhost_transport *copy,
                      struct rh_value **description, struct rh_error *err)
{
    struct rhost_plugin p;

    if (rh_describe_copy_plugin(plugin, &p, err) < 0)
        return -1;
    for (size_t i = 0; i < MOST_PROVIDERS && p.transports && p.transports[i]; i++) {
        if (copy_transport(p.transports[i], copy, err) < 0)
            return -1;
        if (!copy->name || strcmp(copy->name, name) != 0)
            continue;
        *own = p.transports[i];
        *description = describe_transport(a, copy, &p, err);
        return *description ? 0 : -1;
    }
    return rh_error_set(err, RH_EINPUT, "it no longer provides transport '%s'", name);
}

static int
put_transports(struct rh_value *in, const struct rhost_plugin *p, struct rh_error *err)
{
    struct rh_value *list = rh_value_new(rh_value_arena(in), RH_ARRAY);

    for (size_t i = 0; p->transports && p->transports[i]; i++) {
        struct rhost_transport transport;
        struct rh_value *one;

        if (i >= MOST_PROVIDERS)
            return rh_error_set(err, RH_EINPUT, "it has more than %d transports", MOST_PROVIDERS);
        if (copy_transport(p->transports[i], &transport, err) < 0)
            return -1;
        one = describe_transport(rh_value_arena(in), &transport, p, err);
        if (!one)
            return -1;
        rh_value_append(list, one);
    }
    if (list->count)
        rh_value_put(in, "transports", list);
    return 0;
}

struct rh_value *
rh_describe_plugin(struct rh_arena *a, const struct rhost_plugin *plugin, const struct rh_value *types,
                   struct rh_error *err)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    struct rhost_plugin p;

    if (rh_describe_copy_plugin(plugin, &p, err) < 0 || rh_describe_put_text(v, "name", p.name, err) < 0
        || rh_describe_put_text(v, "version", p.version, err) < 0)
        return NULL;
    for (size_t i = 0; p.providers && p.providers[i]; i++) {
        struct rhost_provider provider;
        struct rh_value *one;

        if (i >= MOST_PROVIDERS) {
            rh_error_set(err, RH_EINPUT, "it has more than %d providers", MOST_PROVIDERS);
            return NULL;
        }
        if (copy_provider(p.providers[i], &provider, err) < 0)
            return NULL;
        one = describe_one(a, &provider, &p, types, err);
        if (!one)
            return NULL;
        rh_value_append(list, one);
    }
    rh_value_put(v, "providers", list);
    if (put_transports(v, &p, err) < 0 || rh_describe_put_lookups(v, &p, types, err) < 0)
        return NULL;
    return v;
}

int
rh_describe_provider(struct rh_arena *a, const struct rhost_plugin *plugin, const struct rh_value *types,
                     const char *type, const char *name, struct rhost_provider *copy,
                     const struct rhost_provider **own, struct rh_value **description, struct rh_error *err)
{
    struct rhost_plugin p;

    if (rh_describe_copy_plugin(plugin, &p, err) < 0)
        return -1;
    for (size_t i = 0; i < MOST_PROVIDERS && p.providers && p.providers[i]; i++) {
        if (copy_provider(p.providers[i], copy, err) < 0)
            return -1;
        if (!copy->type || !copy->name || strcmp(copy->type, type) != 0 || strcmp(copy->name, name) != 0)
            continue;
        if (own)
            *own = p.providers[i];
        *description = describe_one(a, copy, &p, types, err);
        return *description ? 0 : -1;
    }
    return rh_error_set(err, RH_EINPUT, "it no longer provides provider '%s' for type '%s'", name, type);
}
