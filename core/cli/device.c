/* SPDX-License-Identifier: Apache-2.0 */
/* device - rhost device TARGETS TARGET [FILE...]: what a device says of itself, or manage it. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/session.h"
#include "manifest/manifest.h"
#include "node/node.h"
#include "plugin/registry.h"
#include "provider/log-record.h"

#include <stdio.h>
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

/* The target of this name; NULL after telling why not. The file of targets is a manifest whose types
 * are transports, so what is wrong with it is said with its place. */
static const struct rh_resource *
find_target(struct rh_session *s, struct rh_catalog *targets, const char *file, const char *name)
{
    const struct rh_manifest_types types = {
        .data = s->registry,
        .find = find_transport,
        .suggest = suggest_transport,
        .secrets = &s->pool.secrets,
        .guarded = geteuid() == 0 && !s->settings->unsafe_files,
    };
    const struct rh_resource *found = NULL;
    struct rh_suggest near;

    rh_suggest_init(&near, name);
    (void)rh_manifest_load(targets, &types, &file, 1, &s->complaints);
    for (size_t i = 0; i < targets->n_resources; i++) {
        const struct rh_resource *r = targets->resources[i];

        complain_missing(s, r);
        rh_suggest_try(&near, r->title);
        if (strcmp(r->title, name) == 0 && !found)
            found = r;
    }
    if (rh_session_complain(s) < 0)
        return NULL;
    if (!found)
        rh_log(RH_ERR, "unknown target '%s' in '%s'%s%s%s", name, file, near.best ? ": did you mean '" : "",
               near.best ? near.best : "", near.best ? "'?" : "");
    return found;
}

static void
take_fact(void *data, const struct rh_value *item)
{
    rh_autobuf struct rh_buf text = { 0 };

    (void)data;
    rh_value_to_json(&text, item, false);
    (void)printf("%s\n", rh_buf_text(&text));
}

static int
show_facts(struct rh_session *s, const struct rh_resource *target)
{
    const struct rh_sink sink = { .item = take_fact, .log = rh_log_record_print };
    rh_autoerror struct rh_error err = { 0 };

    if (rh_worker_facts(rh_pool_worker(&s->pool, target->type), &sink, &err) == 0)
        return RH_EXIT_OK;
    rh_log_error(RH_ERR, &err);
    return RH_EXIT_FAILED;
}

/* What expressions read as `node`: asked for when somebody reads a fact, and once. */
struct device_facts {
    struct rh_session *session;
    const struct rh_resource *target;
    struct rh_value *all; /* NULL: not asked for yet */
};

static void
keep_facts(void *data, const struct rh_value *item)
{
    struct device_facts *facts = data;

    for (size_t i = 0; i < rh_value_count(item) && rh_value_is(item, RH_HASH); i++) {
        const struct rh_entry *e = rh_value_entry(item, i);

        rh_value_put(facts->all, e->key, rh_value_copy(facts->session->arena, e->value));
    }
}

static const struct rh_value *
all_facts(struct device_facts *facts)
{
    const struct rh_sink sink = { .data = facts, .item = keep_facts, .log = rh_log_record_print };
    struct rh_session *s = facts->session;
    rh_autoerror struct rh_error err = { 0 };

    if (facts->all)
        return facts->all;
    facts->all = rh_value_new(s->arena, RH_HASH);
    if (rh_worker_facts(rh_pool_worker(&s->pool, facts->target->type), &sink, &err) < 0)
        rh_complain(&s->complaints, facts->target->place, NULL, "cannot read the facts of target '%s': %s",
                    facts->target->title, err.message);
    return facts->all;
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

static int
apply(struct rh_session *s, const struct rh_resource *target, char *const *files, size_t n)
{
    struct device_facts facts = { .session = s, .target = target };

    rh_node_set_facts(s->machine.node,
                      &(struct rh_node_facts){ .data = &facts, .get = get_fact, .keys = get_keys });
    if (rh_session_load(s, (const char *const *)files, n) < 0)
        return RH_EXIT_REFUSED;
    return rh_execute(s);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    struct rh_catalog targets;
    const struct rh_resource *target;
    struct rh_target reached;
    int status = RH_EXIT_REFUSED;

    if (argc < 2)
        return rh_usage_error(&rh_command_device, "no device given: name a file of TARGETS and a TARGET");
    settings->runs = true;
    rh_session_open(&s, settings);
    rh_catalog_init(&targets, s.arena, &s.sources);
    target = find_target(&s, &targets, argv[0], argv[1]);
    if (target) {
        reached = (struct rh_target){ .path = target->type->path,
                                      .transport = target->type->type,
                                      .info = target->should };
        s.pool.options.target = &reached;
        s.device = true;
        if (argc == 2)
            status = show_facts(&s, target);
        else
            status = apply(&s, target, argv + 2, (size_t)argc - 2);
    }
    rh_catalog_clear(&targets);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_device = {
    .name = "device",
    .arguments = "TARGETS TARGET [FILE...]",
    .summary = "apply manifests to a device",
    .text = "TARGETS is a file written as a manifest, whose types are transports and whose resources are\n"
            "targets: how to reach each device. With FILEs the command applies them to the device, without\n"
            "it shows the facts of the device. Keep the state of each device apart with --state-dir.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_RUN | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_LIST,
    .run = run,
};
