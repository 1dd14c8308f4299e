/* SPDX-License-Identifier: Apache-2.0 */
/* container_volume - keep volumes of containers in Podman or Docker. */

#include "../container_image/engine.h"
#include "../container_image/texts.h"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[a-zA-Z0-9][a-zA-Z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the volume." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the volume should exist." },
    { .name = "driver",
      .type = "Optional[Pattern[/\\A[a-z0-9][a-z0-9_.:\\/-]*\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "What keeps it; default: local." },
    { .name = "options",
      .type = TEXTS_TYPE,
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Options of the driver: local takes type, device and o, as mount(8) does." },
    { .name = "labels", .type = TEXTS_TYPE, .behaviour = RHOST_INIT_ONLY, .desc = "Labels." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "60",
      .desc = "Seconds after which a request to the engine is given up." },
    ENGINE_ATTR,
    { .name = "mountpoint",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Where on this machine it is." },
};

static const char *const relations[] = { ENGINE_RELATIONS, NULL };

static int32_t
volume_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "socket");
    return 0;
}

static void
report(const struct tree *volume, const rhost_value *should, rhost_value *current)
{
    rhost_put_str(current, "ensure", "present");
    if (engine_text(volume, "Mountpoint"))
        rhost_put_str(current, "mountpoint", engine_text(volume, "Mountpoint"));
    if (engine_text(volume, "Driver"))
        rhost_put_str(current, "driver", engine_text(volume, "Driver"));
    texts_put(engine_at(volume, "Options"), "options", should, current);
    texts_put(engine_at(volume, "Labels"), "labels", should, current);
}

static int32_t
volume_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *volume = rhost_str(name, "name");
    ENGINE_ANSWER(a, ctx);
    struct engine e;
    int found;

    engine_init(&e, ctx, should);
    if (!should && !engine_exists(&e))
        return RHOST_ABSENT;
    found = engine_inspect(&e, rhost_fmt(ctx, "/volumes/%s", volume), rhost_fmt(ctx, "volume '%s'", volume),
                           "Name", &a);
    if (found != 0)
        return found < 0 ? -1 : RHOST_ABSENT;
    report(a.json, should, current);
    return 0;
}

static int32_t
volume_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    const char *volume = rhost_str(change->name, "name");
    rhost_value *body = ctx->host->new_hash(ctx);
    struct engine e;

    engine_init(&e, ctx, should);
    rhost_put_str(body, "Name", volume);
    if (rhost_has(should, "driver"))
        rhost_put_str(body, "Driver", rhost_str(should, "driver"));
    if (rhost_count(rhost_get(should, "options")))
        rhost_put_copy(body, "DriverOpts", rhost_get(should, "options"));
    if (rhost_count(rhost_get(should, "labels")))
        rhost_put_copy(body, "Labels", rhost_get(should, "labels"));
    return engine_do(&e, "POST", "/volumes/create", body, 0, rhost_fmt(ctx, "create volume '%s'", volume));
}

static int32_t
volume_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *volume = rhost_str(change->name, "name");
    struct engine e;

    engine_init(&e, ctx, change->should);
    return engine_remove(&e, rhost_fmt(ctx, "/volumes/%s", volume), rhost_fmt(ctx, "volume '%s'", volume));
}

static const char *const needs[] = { ENGINE_NEEDS, NULL };

static const struct rhost_provider container_volume_provider = {
    RHOST_PROVIDER("container_volume", "Keep volumes of containers in Podman or Docker."),
    RHOST_ATTRS(attrs),
    .relations = relations,
    .features = RHOST_PURE_CANONICALIZE,
    .irreversible = "what was in a volume that was removed is lost",
    .canonicalize = volume_canonicalize,
    .load = volume_load,
    .create = volume_create,
    .remove = volume_remove,
    .needs = needs,
};

RHOST_PLUGIN(container_volume, "1.0", &container_volume_provider)
