/* SPDX-License-Identifier: Apache-2.0 */
/* target - the device that a session manages instead of this machine. */
#include "config.h"

#include "cli/target.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "manifest/manifest.h"
#include "node/node.h"
#include "plugin/registry.h"
#include "provider/log-record.h"

#include <string.h>
#include <unistd.h>

static const struct rh_type *
find_transport(void *data, const char *name, const char *provider, struct rh_error *err)
{
    return provider ? NULL : rh_registry_transport(data, name, err);
}

static void
suggest_transport(void *data, struct rh_suggest *s)
{
    rh_registry_suggest_transport(data, s);
}

/* What a connection can't do without. */
static void
complain_missing(struct rh_session *s, const struct rh_resource *r)
{
    for (size_t i = 0; i < r->type->n_attrs; i++) {
        const struct rh_attr *attr = &r->type->attrs[i];

        if (attr->required && !rh_value_get(r->should, attr->name))
            rh_complain(&s->complaints, r->place, NULL, "target '%s': missing required attribute '%s'",
                        r->title, attr->name);
    }
}

/* The file of targets is a manifest whose types are transports, so that errors in it have a location. */
static int
read_targets(struct rh_reach *reach, struct rh_session *s, const char *file, bool guarded)
{
    const struct rh_manifest_types types = {
        .data = s->registry,
        .find = find_transport,
        .suggest = suggest_transport,
        .secrets = &s->pool.secrets,
        .guarded = guarded && geteuid() == 0 && !s->settings->unsafe_files,
    };

    (void)rh_manifest_load(&reach->targets, &types, &file, 1, &s->complaints);
    for (size_t i = 0; i < reach->targets.n_resources; i++)
        complain_missing(s, reach->targets.resources[i]);
    return rh_session_complain(s);
}

static const struct rh_resource *
find_target(const struct rh_reach *reach, const char *file, const char *name)
{
    struct rh_suggest near;

    rh_suggest_init(&near, name);
    for (size_t i = 0; i < reach->targets.n_resources; i++) {
        if (strcmp(reach->targets.resources[i]->title, name) == 0)
            return reach->targets.resources[i];
        rh_suggest_try(&near, reach->targets.resources[i]->title);
    }
    rh_refuse_unknown(near.best, NULL, "unknown target '%s' in '%s'", name, file);
    return NULL;
}

/* --- What expressions read as `node`: asked for when somebody reads a fact, and once. --------- */

static void
keep_facts(void *data, const struct rh_value *item)
{
    struct rh_reach *reach = data;

    for (size_t i = 0; i < rh_value_count(item) && rh_value_is(item, RH_HASH); i++) {
        const struct rh_entry *e = rh_value_entry(item, i);

        rh_value_put(reach->facts, e->key, rh_value_copy(reach->session->arena, e->value));
    }
}

static const struct rh_value *
all_facts(struct rh_reach *reach)
{
    const struct rh_sink sink = { .data = reach, .item = keep_facts, .log = rh_log_record_print };
    struct rh_session *s = reach->session;
    rh_autoerror struct rh_error err = { 0 };

    if (reach->facts)
        return reach->facts;
    reach->facts = rh_value_new(s->arena, RH_HASH);
    if (rh_worker_facts(rh_pool_worker(&s->pool, reach->resource->type), &sink, &err) < 0) {
        rh_complain(&s->complaints, reach->resource->place, NULL, "cannot read the facts of target '%s': %s",
                    reach->resource->title, err.message);
        s->complaints.aside = true;
    }
    return reach->facts;
}

static const struct rh_value *
get_fact(void *data, const char *key)
{
    return rh_value_get(all_facts(data), key);
}

static void
get_keys(void *data, void (*one)(void *to, const char *key), void *to)
{
    const struct rh_value *all = all_facts(data);

    for (size_t i = 0; i < rh_value_count(all); i++)
        one(to, rh_value_entry(all, i)->key);
}

int
rh_reach_open(struct rh_reach *reach, struct rh_session *s, const char *file, const char *name)
{
    *reach = (struct rh_reach){ .session = s };
    rh_catalog_init(&reach->targets, s->arena, &s->sources);
    if (read_targets(reach, s, file, name != NULL) < 0)
        return -1;
    s->device = true;
    if (!name)
        return 0;
    reach->resource = find_target(reach, file, name);
    if (!reach->resource)
        return -1;
    reach->target = (struct rh_target){ .path = reach->resource->type->path,
                                        .transport = reach->resource->type->type,
                                        .info = reach->resource->should,
                                        .type = reach->resource->type };
    rh_registry_warn_of_undeclared(s->registry, reach->target.type);
    s->pool.options.target = &reach->target;
    rh_node_set_facts(s->machine.node,
                      &(struct rh_node_facts){ .data = reach, .get = get_fact, .keys = get_keys });
    return 0;
}

void
rh_reach_close(struct rh_reach *reach)
{
    if (reach->session)
        rh_catalog_clear(&reach->targets);
}
