/* SPDX-License-Identifier: Apache-2.0 */
/* container_network - keep networks of containers in Podman or Docker. */

#include "../container_image/engine.h"
#include "../container_image/texts.h"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[a-zA-Z0-9][a-zA-Z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the network." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the network should exist." },
    { .name = "driver",
      .type = "Optional[Pattern[/\\A[a-z0-9][a-z0-9_.:\\/-]*\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "What it is made by: bridge (as a rule the default), macvlan, ipvlan." },
    { .name = "subnet",
      .type = "Optional[Pattern[/\\A[0-9a-fA-F.:]+\\/[0-9]{1,3}\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Its addresses, as 10.1.2.0/24; default: the engine chooses." },
    { .name = "gateway",
      .type = "Optional[Pattern[/\\A[0-9a-fA-F.:]+\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The address of this machine in it; default: the first one." },
    { .name = "internal",
      .type = "Optional[Boolean]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Whether nothing leads out of it." },
    { .name = "options", .type = TEXTS_TYPE, .behaviour = RHOST_INIT_ONLY, .desc = "Options of the driver." },
    { .name = "labels", .type = TEXTS_TYPE, .behaviour = RHOST_INIT_ONLY, .desc = "Labels." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "60",
      .desc = "Seconds after which a request to the engine is given up." },
    ENGINE_ATTR,
    { .name = "id",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The ID of the network." },
};

static const char *const relations[] = { ENGINE_RELATIONS, NULL };

static int32_t
network_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "socket");
    return 0;
}

static int32_t
network_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    if (rhost_has(resource, "gateway") && !rhost_has(resource, "subnet"))
        return rhost_fail_attr(ctx, "gateway", "'gateway' needs 'subnet' as well");
    return 0;
}

static void
report(const struct tree *network, const rhost_value *should, rhost_value *current)
{
    const struct tree *internal = engine_at(network, "Internal"), *ranges = engine_at(network, "IPAM/Config");
    const struct tree *range = ranges && ranges->kind == TREE_LIST ? ranges->first : NULL;
    const char *gateway = engine_text(range, "Gateway");

    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "id", engine_text(network, "Id"));
    if (engine_text(network, "Driver"))
        rhost_put_str(current, "driver", engine_text(network, "Driver"));
    if (engine_text(range, "Subnet"))
        rhost_put_str(current, "subnet", engine_text(range, "Subnet"));
    if (gateway && *gateway
        && strspn(gateway, "0123456789abcdefABCDEF.:") == strlen(gateway)) /* or "<nil>" */
        rhost_put_str(current, "gateway", gateway);
    rhost_put_bool(current, "internal", internal && internal->kind == TREE_BOOLEAN && internal->integer);
    texts_put(engine_at(network, "Options"), "options", should, current);
    texts_put(engine_at(network, "Labels"), "labels", should, current);
}

static int32_t
network_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *network = rhost_str(name, "name");
    ENGINE_ANSWER(a, ctx);
    struct engine e;
    int found;

    engine_init(&e, ctx, should);
    if (!should && !engine_exists(&e))
        return RHOST_ABSENT;
    found = engine_inspect(&e, rhost_fmt(ctx, "/networks/%s", network),
                           rhost_fmt(ctx, "network '%s'", network), "Id", &a);
    if (found != 0)
        return found < 0 ? -1 : RHOST_ABSENT;
    report(a.json, should, current);
    return 0;
}

static int32_t
network_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    const char *network = rhost_str(change->name, "name");
    rhost_value *body = ctx->host->new_hash(ctx), *range;
    struct engine e;

    engine_init(&e, ctx, should);
    rhost_put_str(body, "Name", network);
    rhost_put_bool(body, "CheckDuplicate", 1);
    rhost_put_bool(body, "Internal", rhost_bool(should, "internal", 0));
    if (rhost_has(should, "driver"))
        rhost_put_str(body, "Driver", rhost_str(should, "driver"));
    if (rhost_count(rhost_get(should, "options")))
        rhost_put_copy(body, "Options", rhost_get(should, "options"));
    if (rhost_count(rhost_get(should, "labels")))
        rhost_put_copy(body, "Labels", rhost_get(should, "labels"));
    if (rhost_has(should, "subnet")) {
        range = body->host->put_hash(body, "IPAM");
        range = range->host->put_array(range, "Config");
        range = range->host->put_hash(range, NULL);
        rhost_put_str(range, "Subnet", rhost_str(should, "subnet"));
        if (rhost_has(should, "gateway"))
            rhost_put_str(range, "Gateway", rhost_str(should, "gateway"));
    }
    return engine_do(&e, "POST", "/networks/create", body, 0, rhost_fmt(ctx, "create network '%s'", network));
}

static int32_t
network_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *network = rhost_str(change->name, "name");
    struct engine e;

    engine_init(&e, ctx, change->should);
    return engine_remove(&e, rhost_fmt(ctx, "/networks/%s", network),
                         rhost_fmt(ctx, "network '%s'", network));
}

static const char *const needs[] = { ENGINE_NEEDS, NULL };

static const struct rhost_provider container_network_provider = {
    RHOST_PROVIDER("container_network", "Keep networks of containers in Podman or Docker."),
    RHOST_ATTRS(attrs),
    .relations = relations,
    .features = RHOST_PURE_CANONICALIZE,
    .canonicalize = network_canonicalize,
    .validate = network_validate,
    .load = network_load,
    .create = network_create,
    .remove = network_remove,
    .needs = needs,
};

RHOST_PLUGIN(container_network, "1.0", &container_network_provider)
