/* SPDX-License-Identifier: Apache-2.0 */
/* container_image - keep images of containers: pulled from a registry, or loaded from an archive. */

#include "image.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = IMAGE_TYPE,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The image, as registry/path:tag; without a tag :latest." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the image should exist." },
    { .name = "pull",
      .type = "Enum[missing, never]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"missing\"",
      .desc = "Whether an image that does not exist is pulled." },
    { .name = "archive",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "An archive that has the image, as 'podman save' makes it; it is loaded instead of pulled." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether an image that containers use is removed with them." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "600",
      .desc = "Seconds after which a pull, or another request, is given up." },
    ENGINE_ATTR,
    { .name = "id",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The ID of the image." },
};

static const struct rhost_action actions[] = {
    { "pull", "Pull the image again, or load it: the tag may stand for another one by now.", NULL },
};

static const char *const relations[] = {
    "autorequire file[$archive]",
    ENGINE_RELATIONS,
    NULL,
};

static int32_t
image_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");

    if (name)
        rhost_put_str(resource, "name", image_whole_name(ctx, name));
    rhost_tidy_path(ctx, resource, "archive");
    rhost_tidy_path(ctx, resource, "socket");
    return 0;
}

/* Under noop: where nothing could make it, that is known beforehand. */
static int32_t
foresee(rhost_ctx *ctx, const rhost_value *should)
{
    const char *archive = rhost_str(should, "archive");
    struct stat st;

    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (archive && rhost_path_stat(ctx, archive, RHOST_PATH_FOLLOW, &st) < 0
        && !rhost_will_exist(ctx, "file", archive)
        && rhost_fail_missing(ctx, "archive", rhost_fmt(ctx, "'%s' does not exist", archive)) < 0)
        return -1;
    return RHOST_ABSENT;
}

static int32_t
image_load_state(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    ENGINE_ANSWER(a, ctx);
    struct engine e;
    int found;

    engine_init(&e, ctx, should);
    if (!should && !engine_exists(&e))
        return RHOST_ABSENT;
    found = image_inspect(&e, rhost_str(name, "name"), &a);
    if (found != 0)
        return found < 0 ? -1 : foresee(ctx, should);
    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "id", engine_text(a.json, "Id"));
    return 0;
}

static int32_t
image_get_it(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    const char *image = rhost_str(name, "name"), *archive = rhost_str(should, "archive");
    struct engine e;
    ENGINE_ANSWER(a, ctx);
    int found;

    engine_init(&e, ctx, should);
    if (archive ? image_load(&e, archive) < 0 : image_pull(&e, image) < 0)
        return -1;
    found = image_inspect(&e, image, &a);
    if (found <= 0)
        return found;
    return archive ? rhost_fail_attr(ctx, "archive", "'%s' does not have image '%s'", archive, image)
                   : rhost_fail(ctx, "image '%s' was pulled, and does not exist", image);
}

static int32_t
image_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    if (!rhost_has(change->should, "archive")
        && strcmp(rhost_str_or(change->should, "pull", "missing"), "never") == 0)
        return rhost_fail_attr(ctx, "pull", "image '%s' does not exist, and is not to be pulled",
                               rhost_str(change->name, "name"));
    return image_get_it(ctx, change->name, change->should);
}

static int32_t
image_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    struct engine e;

    engine_init(&e, ctx, change->should);
    return engine_remove(&e,
                         rhost_fmt(ctx, "/images/%s?force=%s", name,
                                   rhost_bool(change->should, "force", 0) ? "true" : "false"),
                         rhost_fmt(ctx, "image '%s'", name));
}

static int32_t
image_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action; /* there is but one */
    if (rhost_gone(change))
        return 0;
    return image_get_it(ctx, change->name, change->should);
}

static const char *const needs[] = {
    "read[$archive]",
    ENGINE_NEEDS,
    NULL,
};

static const struct rhost_provider container_image_provider = {
    RHOST_PROVIDER("container_image",
                   "Keep images of containers: pulled from a registry, or loaded from an archive."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .features = RHOST_PURE_CANONICALIZE,
    .irreversible = "an image that was removed may not be available any more",
    .refresh_action = "pull",
    .canonicalize = image_canonicalize,
    .load = image_load_state,
    .create = image_create,
    .remove = image_remove,
    .act = image_act,
    .needs = needs,
};

RHOST_PLUGIN(container_image, "1.0", &container_image_provider)
