/* SPDX-License-Identifier: Apache-2.0 */
/* container - keep containers of Podman or Docker: made with these settings, and running or stopped.
 *
 * An engine can't change most settings of a container that exists. So a difference makes a new one, which
 * takes the place of the old one when it could be made. */

#include "../container_image/image.h"
#include "settings.h"
#include "spelling.h"

#include <rhost/dry-run.h>

#define TYPE_VARIABLE "Pattern[/\\A[^=\\x00]+\\z/]"
#define TYPE_VALUE "Pattern[/\\A[^\\x00]*\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[a-zA-Z0-9][a-zA-Z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the container." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the container should exist." },
    { .name = "state",
      .type = "Enum[running, stopped]",
      .default_value = "\"running\"",
      .desc = "Whether the container should run." },
    { .name = "image", .type = "Optional[" IMAGE_TYPE "]", .desc = "The image; without a tag :latest." },
    { .name = "command",
      .type = "Optional[Array[" TYPE_VALUE "]]",
      .desc = "What it runs, as an argument list; default: what the image says." },
    { .name = "env",
      .type = "Optional[Hash[" TYPE_VARIABLE ", " TYPE_VALUE "]]",
      .desc = "Variables of its environment, beside those of the image." },
    { .name = "ports",
      .type = "Optional[Array[" PORT_TYPE "]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Ports of this machine that lead into it: [IP:]PORT:PORT-INSIDE[/udp]." },
    { .name = "volumes",
      .type = "Optional[Array[" VOLUME_TYPE "]]",
      .behaviour = RHOST_UNORDERED,
      .desc =
          "What is mounted in it: a path of this machine or the name of a volume, SOURCE:PATH-INSIDE[:ro]." },
    { .name = "networks",
      .type = "Optional[Array[Pattern[/\\A[A-Za-z0-9][A-Za-z0-9_.:-]*\\z/], 1]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Networks that it is in, or [none] or [host]." },
    { .name = "restart",
      .type = "Optional[Pattern[/\\A(no|always|unless-stopped|on-failure(:[1-9][0-9]{0,8})?)\\z/]]",
      .desc =
          "When the engine starts it again: no, always, unless-stopped, on-failure or on-failure:TIMES." },
    { .name = "user",
      .type = "Optional[" TYPE_VALUE "]",
      .desc = "The user inside that it runs as; default: what the image says." },
    { .name = "labels",
      .type = "Optional[Hash[Pattern[/\\A[^\\x00]+\\z/], " TYPE_VALUE "]]",
      .desc = "Labels, beside those of the image." },
    { .name = "pull",
      .type = "Enum[missing, never]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"missing\"",
      .desc = "Whether an image that does not exist is pulled." },
    { .name = "stop_timeout",
      .type = "Integer[0, 3600]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "10",
      .desc = "Seconds that it has to end when it is stopped; then it is killed." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "600",
      .desc = "Seconds after which a request to the engine is given up." },
    ENGINE_ATTR,
    { .name = "id",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The ID of the container." },
};

static const struct rhost_action actions[] = {
    { "restart", "Restart the container, if it should run.", NULL },
};

static const char *const relations[] = {
    "autorequire container_image[$image]",
    "autorequire container_network[$networks]",
    ENGINE_RELATIONS,
    NULL,
};

/* Writes a list anew where one of its texts has another form. */
static void
respell(rhost_ctx *ctx, rhost_value *resource, const char *key,
        const char *(*spell)(rhost_ctx *, const char *))
{
    const rhost_value *list = rhost_get(resource, key);
    size_t n = rhost_count(list);
    const char **texts = n ? rhost_alloc(ctx, n * sizeof *texts) : NULL;
    rhost_value *to;
    int differs = 0;

    for (size_t i = 0; i < n; i++) {
        const char *text = rhost_str_at(list, i), *better = text ? spell(ctx, text) : NULL;

        if (!text)
            return;
        texts[i] = rhost_strdup(ctx, better ? better : text);
        differs |= strcmp(texts[i], text) != 0;
    }
    if (!differs)
        return;
    to = resource->host->put_array(resource, key);
    for (size_t i = 0; i < n; i++)
        rhost_put_str(to, NULL, texts[i]);
}

static int32_t
container_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *image = rhost_str(resource, "image");

    if (image)
        rhost_put_str(resource, "image", rhost_strdup(ctx, image_whole_name(ctx, image)));
    respell(ctx, resource, "ports", spelling_port);
    respell(ctx, resource, "volumes", spelling_volume);
    rhost_tidy_path(ctx, resource, "socket");
    return 0;
}

static int32_t
container_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *networks = rhost_get(resource, "networks");

    if (!rhost_has(resource, "image"))
        return rhost_fail_attr(ctx, "image", "expected 'image', which the container is made from");
    for (size_t i = 0; i < rhost_count(networks); i++) {
        const char *name = rhost_str_at(networks, i);

        if (strcmp(name, "none") != 0 && strcmp(name, "host") != 0)
            continue;
        if (rhost_count(networks) > 1)
            return rhost_fail_attr(ctx, "networks", "'%s' excludes other networks", name);
        if (rhost_count(rhost_get(resource, "ports")))
            return rhost_fail_attr(ctx, "ports", "network '%s' excludes 'ports'", name);
    }
    return 0;
}

static int
is_secret(const rhost_value *should)
{
    static const char *const keys[] = { "env", "command", "labels" };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const rhost_value *v = rhost_get(should, keys[i]);

        if (!v)
            continue;
        if (v->host->sensitive(v))
            return 1;
        for (size_t k = 0; k < rhost_count(v); k++)
            if (v->host->sensitive(rhost_at(v, k, NULL)))
                return 1;
    }
    return 0;
}

/* Stopping takes as long as it may, and then some. */
static void
init(struct engine *e, rhost_ctx *ctx, const rhost_value *should)
{
    long least = (long)rhost_int(should, "stop_timeout", 10) + 30;

    engine_init(e, ctx, should);
    e->timeout = e->timeout > least ? e->timeout : least;
    e->secret = is_secret(should);
}

static int32_t
container_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *container = rhost_str(name, "name");
    ENGINE_ANSWER(a, ctx);
    struct engine e;
    int found;

    init(&e, ctx, should);
    e.timeout = (long)rhost_int(should, "timeout", 120);
    if (!should && !engine_exists(&e))
        return RHOST_ABSENT;
    found = engine_inspect(&e, rhost_fmt(ctx, "/containers/%s/json", container),
                           rhost_fmt(ctx, "container '%s'", container), NULL, &a);
    if (found != 0)
        return found < 0 ? -1 : RHOST_ABSENT;
    return settings_read(&e, a.json, should, current);
}

static int
post(const struct engine *e, const char *container, const char *verb, const char *what)
{
    return engine_do(e, "POST", rhost_fmt(e->ctx, "/containers/%s/%s", container, verb), NULL, 0,
                     rhost_fmt(e->ctx, "%s container '%s'", what, container));
}

static int
stop(const struct engine *e, const struct rhost_change *change, const char *container)
{
    return post(e, container,
                rhost_fmt(e->ctx, "stop?t=%lld", (long long)rhost_int(change->should, "stop_timeout", 10)),
                "stop");
}

static int
discard(const struct engine *e, const char *container)
{
    return engine_remove(e, rhost_fmt(e->ctx, "/containers/%s?force=true", container),
                         rhost_fmt(e->ctx, "container '%s'", container));
}

/* The image is there, or is pulled. */
static int
bring_image(const struct engine *e, const rhost_value *should)
{
    const char *image = rhost_str(should, "image");
    ENGINE_ANSWER(a, e->ctx);
    int found = image_inspect(e, image, &a);

    if (found <= 0)
        return found;
    if (strcmp(rhost_str_or(should, "pull", "missing"), "never") == 0)
        return rhost_fail_attr(e->ctx, "image", "image '%s' does not exist, and is not to be pulled", image);
    return image_pull(e, image);
}

static int
make(const struct engine *e, const struct rhost_change *change, const char *container)
{
    return engine_do(e, "POST", rhost_fmt(e->ctx, "/containers/create?name=%s", container),
                     settings_body(e->ctx, change), 0, rhost_fmt(e->ctx, "create container '%s'", container));
}

static int
wants_running(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "state", "running"), "running") == 0;
}

/* Of a container that is to take the place of another one. */
static const char *
next_name(rhost_ctx *ctx, const char *container)
{
    return rhost_fmt(ctx, "%s.rhost-new", container);
}

/* Where an earlier run was ended while it replaced the container, the next one may have been left. */
static int32_t
container_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *container = rhost_str(change->name, "name");
    struct engine e;

    init(&e, ctx, change->should);
    if (bring_image(&e, change->should) < 0 || discard(&e, next_name(ctx, container)) < 0
        || make(&e, change, container) < 0)
        return -1;
    return wants_running(change) ? post(&e, container, "start", "start") : 0;
}

/* The old one goes when the new one could be made, and not before. */
static int
replace(const struct engine *e, const struct rhost_change *change, const char *container)
{
    const char *next = next_name(e->ctx, container);

    if (bring_image(e, change->should) < 0 || discard(e, next) < 0 || make(e, change, next) < 0)
        return -1;
    if (stop(e, change, container) < 0 || discard(e, container) < 0)
        return -1;
    if (post(e, next, rhost_fmt(e->ctx, "rename?name=%s", container), "rename") < 0)
        return -1;
    return wants_running(change) ? post(e, container, "start", "start") : 0;
}

/* Whether each of the texts is in the other list. */
static int
has_all(const rhost_value *list, const rhost_value *of)
{
    for (size_t i = 0; i < rhost_count(of); i++) {
        size_t k = 0;

        while (k < rhost_count(list) && !list->host->equal(rhost_at(list, k, NULL), rhost_at(of, i, NULL)))
            k++;
        if (k == rhost_count(list))
            return 0;
    }
    return 1;
}

static int
is_same(const struct rhost_change *change, const char *key)
{
    static const char *const unordered[] = { "ports", "volumes", "networks" };
    const rhost_value *wanted = rhost_get(change->should, key), *now = rhost_get(change->is, key);

    if (!rhost_has(change->should, key) || (now && now->host->equal(wanted, now)))
        return 1;
    for (size_t i = 0; i < sizeof unordered / sizeof *unordered; i++)
        if (strcmp(key, unordered[i]) == 0)
            return now && has_all(wanted, now) && has_all(now, wanted);
    return 0;
}

static int
has_same_settings(const struct rhost_change *change)
{
    static const char *const settings[] = { "image",    "command", "env",  "ports", "volumes",
                                            "networks", "restart", "user", "labels" };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!is_same(change, settings[i]))
            return 0;
    return 1;
}

static int32_t
container_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *container = rhost_str(change->name, "name");
    struct engine e;

    init(&e, ctx, change->should);
    e.secret |= is_secret(change->is); /* a new one gets what the manifest does not have as well */
    if (!has_same_settings(change))
        return replace(&e, change, container);
    return wants_running(change) ? post(&e, container, "start", "start") : stop(&e, change, container);
}

static int32_t
container_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *container = rhost_str(change->name, "name");
    struct engine e;

    init(&e, ctx, change->should);
    return stop(&e, change, container) < 0 ? -1 : discard(&e, container);
}

static int32_t
container_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    struct engine e;

    (void)action; /* there is but one */
    if (rhost_gone(change) || !wants_running(change))
        return 0;
    init(&e, ctx, change->should);
    return post(&e, rhost_str(change->name, "name"),
                rhost_fmt(ctx, "restart?t=%lld", (long long)rhost_int(change->should, "stop_timeout", 10)),
                "restart");
}

static const char *const needs[] = { ENGINE_NEEDS, NULL };

static const struct rhost_provider container_provider = {
    RHOST_PROVIDER("container",
                   "Keep containers of Podman or Docker: made with these settings, and running or stopped."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .features = RHOST_PURE_CANONICALIZE | RHOST_FORGETS_WORLD,
    .irreversible = "what was in a container that was removed is lost",
    .refresh_action = "restart",
    .canonicalize = container_canonicalize,
    .validate = container_validate,
    .load = container_load,
    .create = container_create,
    .update = container_update,
    .remove = container_remove,
    .act = container_act,
    .needs = needs,
};

RHOST_PLUGIN(container, "1.0", &container_provider)
