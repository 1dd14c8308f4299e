/* SPDX-License-Identifier: Apache-2.0 */
/* read - what a container was made with, as the engine says it. */

#include "../container_image/image.h"
#include "settings.h"
#include "spelling.h"

/* What engines add to the environment by themselves. */
static const struct {
    const char *name, *value; /* NULL: whatever it is */
} added[] = {
    { "HOME", NULL },
    { "HOSTNAME", NULL },
    { "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    { "TERM", NULL },
    { "container", NULL },
};

static int
is_added(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strcmp(name, added[i].name) == 0)
            return !added[i].value || strcmp(value, added[i].value) == 0;
    return 0;
}

static int
has_text(const struct tree *list, const char *text)
{
    for (const struct tree *c = list ? list->first : NULL; c; c = c->next)
        if (c->kind == TREE_STRING && strcmp(c->text, text) == 0)
            return 1;
    return 0;
}

static void
read_environment(rhost_ctx *ctx, const struct tree *config, const struct tree *image,
                 const rhost_value *should, rhost_value *current)
{
    const rhost_value *wanted = rhost_get(should, "env");
    const struct tree *list = engine_at(config, "Env"), *defaults = engine_at(image, "Config/Env");
    rhost_value *env = NULL;

    for (const struct tree *c = list ? list->first : NULL; c; c = c->next) {
        const char *equal = c->kind == TREE_STRING ? strchr(c->text, '=') : NULL, *name;

        if (!equal)
            continue;
        name = rhost_copy(ctx, c->text, (size_t)(equal - c->text));
        if (!rhost_get(wanted, name) && (has_text(defaults, c->text) || is_added(name, equal + 1)))
            continue;
        env = env ? env : current->host->put_hash(current, "env");
        rhost_put_str(env, name, equal + 1);
    }
    if (!env && rhost_has(should, "env"))
        (void)current->host->put_hash(current, "env");
    /* Nobody but the manifest can say that there is no secret in it. */
    if (rhost_has(current, "env") && (!wanted || wanted->host->sensitive(wanted)))
        current->host->mark_sensitive(current, "env");
}

static void
read_labels(const struct tree *config, const struct tree *image, const rhost_value *should,
            rhost_value *current)
{
    const rhost_value *wanted = rhost_get(should, "labels");
    const struct tree *list = engine_at(config, "Labels"), *defaults = engine_at(image, "Config/Labels");
    rhost_value *labels = NULL;

    for (const struct tree *c = list ? list->first : NULL; c; c = c->next) {
        const struct tree *known =
            defaults && defaults->kind == TREE_MAPPING && c->key ? tree_child(defaults, c->key) : NULL;

        if (!c->key || c->kind != TREE_STRING
            || (known && known->kind == TREE_STRING && strcmp(known->text, c->text) == 0
                && !rhost_get(wanted, c->key)))
            continue;
        labels = labels ? labels : current->host->put_hash(current, "labels");
        rhost_put_str(labels, c->key, c->text);
    }
    if (!labels && rhost_has(should, "labels"))
        (void)current->host->put_hash(current, "labels");
}

static int
same_texts(const struct tree *a, const struct tree *b)
{
    const struct tree *one = a ? a->first : NULL, *other = b ? b->first : NULL;

    for (; one && other; one = one->next, other = other->next)
        if (one->kind != TREE_STRING || other->kind != TREE_STRING || strcmp(one->text, other->text) != 0)
            return 0;
    return !one && !other;
}

static void
read_command(const struct tree *config, const struct tree *image, const rhost_value *should,
             rhost_value *current)
{
    const struct tree *command = engine_at(config, "Cmd");
    rhost_value *list;

    if (!rhost_has(should, "command") && same_texts(command, engine_at(image, "Config/Cmd")))
        return;
    list = current->host->put_array(current, "command");
    for (const struct tree *c = command ? command->first : NULL; c; c = c->next)
        if (c->kind == TREE_STRING)
            rhost_put_str(list, NULL, c->text);
}

static void
read_ports(rhost_ctx *ctx, const struct tree *host, rhost_value *current)
{
    const struct tree *bindings = engine_at(host, "PortBindings");
    rhost_value *list = current->host->put_array(current, "ports");

    for (const struct tree *c = bindings ? bindings->first : NULL; c; c = c->next)
        for (const struct tree *one = c->key ? c->first : NULL; one; one = one->next) {
            const char *ip = engine_text(one, "HostIp"), *port = engine_text(one, "HostPort");
            int six = ip && strchr(ip, ':');

            if (port)
                rhost_put_str(
                    list, NULL,
                    spelling_port(ctx, rhost_fmt(ctx, "%s%s%s%s%s:%s", six ? "[" : "", ip ? ip : "",
                                                 six ? "]" : "", ip && *ip ? ":" : "", port, c->key)));
        }
}

static void
read_volumes(rhost_ctx *ctx, const struct tree *host, rhost_value *current)
{
    const struct tree *binds = engine_at(host, "Binds");
    rhost_value *list = current->host->put_array(current, "volumes");

    for (const struct tree *c = binds ? binds->first : NULL; c; c = c->next) {
        const char *text = c->kind == TREE_STRING ? spelling_volume(ctx, c->text) : NULL;

        if (text)
            rhost_put_str(list, NULL, text);
    }
}

static int
wants_network(const rhost_value *should, const char *name)
{
    const rhost_value *wanted = rhost_get(should, "networks");

    for (size_t i = 0; i < rhost_count(wanted); i++)
        if (strcmp(rhost_str_at(wanted, i), name) == 0)
            return 1;
    return 0;
}

/* Podman calls its default network "bridge", as Docker does, and lists it as "podman". */
static void
read_networks(const struct tree *container, const rhost_value *should, rhost_value *current)
{
    const struct tree *networks = engine_at(container, "NetworkSettings/Networks");
    const char *mode = engine_text(container, "HostConfig/NetworkMode");
    rhost_value *list = current->host->put_array(current, "networks");

    if (networks && networks->first) {
        for (const struct tree *c = networks->first; c; c = c->next)
            if (c->key)
                rhost_put_str(list, NULL,
                              strcmp(c->key, "podman") == 0 && wants_network(should, "bridge") ? "bridge"
                                                                                               : c->key);
    } else if (mode && *mode) {
        rhost_put_str(list, NULL, mode);
    }
}

static void
read_restart(rhost_ctx *ctx, const struct tree *host, rhost_value *current)
{
    const char *name = engine_text(host, "RestartPolicy/Name");
    const struct tree *most = engine_at(host, "RestartPolicy/MaximumRetryCount");

    name = name && *name ? name : "no";
    if (strcmp(name, "on-failure") == 0 && most && most->kind == TREE_INTEGER && most->integer > 0)
        name = rhost_fmt(ctx, "on-failure:%lld", (long long)most->integer);
    rhost_put_str(current, "restart", name);
}

/* The name that is wanted, where that image is the one that the container was made from. */
static int
read_image(const struct engine *e, const struct tree *container, const rhost_value *should,
           rhost_value *current)
{
    const char *wanted = rhost_str(should, "image"), *name = engine_text(container, "Config/Image");
    const char *id = engine_text(container, "Image");
    ENGINE_ANSWER(a, e->ctx);
    int found = wanted ? image_inspect(e, wanted, &a) : 1;

    if (found < 0)
        return -1;
    name = image_whole_name(e->ctx, name ? name : "unknown");
    if (found == 0 && id && strstr(engine_text(a.json, "Id"), id))
        name = wanted;
    else if (found == 0 && id && strcmp(name, wanted) == 0) /* the name stands for another image by now */
        name = rhost_fmt(e->ctx, "%.*s@%s%s", (int)strcspn(name, "@"), name,
                         strchr(id, ':') ? "" : "sha256:", id);
    rhost_put_str(current, "image", name);
    return 0;
}

int
settings_read(const struct engine *e, const struct tree *container, const rhost_value *should,
              rhost_value *current)
{
    const struct tree *config = engine_at(container, "Config"), *host = engine_at(container, "HostConfig");
    const struct tree *running = engine_at(container, "State/Running");
    const char *user = engine_text(config, "User"), *id = engine_text(container, "Image"), *own;
    ENGINE_ANSWER(image, e->ctx);

    if (!running || running->kind != TREE_BOOLEAN || !engine_text(container, "Id") || !config)
        return rhost_fail(e->ctx, "the engine at '%s' answered without the state of the container",
                          e->socket);
    if (id && image_inspect(e, id, &image) < 0)
        return -1;
    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "state", running->integer ? "running" : "stopped");
    rhost_put_str(current, "id", engine_text(container, "Id"));
    read_command(config, image.json, should, current);
    read_environment(e->ctx, config, image.json, should, current);
    read_labels(config, image.json, should, current);
    read_ports(e->ctx, host, current);
    read_volumes(e->ctx, host, current);
    read_networks(container, should, current);
    read_restart(e->ctx, host, current);
    own = engine_text(image.json, "Config/User");
    if (user && (rhost_has(should, "user") || strcmp(user, own ? own : "") != 0))
        rhost_put_str(current, "user", user);
    return read_image(e, container, should, current);
}
