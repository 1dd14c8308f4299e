/* SPDX-License-Identifier: Apache-2.0 */
/* body - what the engine makes a container from. */

#include "settings.h"

#include <stdlib.h>

/* A list of texts, or of "KEY=VALUE" where it is a hash. */
static void
put_texts(rhost_ctx *ctx, rhost_value *in, const char *key, const rhost_value *from)
{
    rhost_value *list = in->host->put_array(in, key);

    for (size_t i = 0; i < rhost_count(from); i++) {
        const char *name = NULL;
        const rhost_value *one = rhost_at(from, i, &name);
        const char *text = one->host->string(one, NULL);

        rhost_put_str(list, NULL, name ? rhost_fmt(ctx, "%s=%s", name, text ? text : "") : text ? text : "");
    }
}

/* [IP:]PORT:PORT-INSIDE[/PROTOCOL]; a port inside can have several. */
static void
put_ports(rhost_ctx *ctx, rhost_value *body, rhost_value *host, const rhost_value *ports)
{
    rhost_value *exposed = body->host->put_hash(body, "ExposedPorts");
    rhost_value *bindings = host->host->put_hash(host, "PortBindings");

    for (size_t i = 0; i < rhost_count(ports); i++) {
        const char *text = rhost_str_at(ports, i), *inside = strrchr(text, ':') + 1;
        size_t n = (size_t)(inside - text) - 1;
        const char *outside = rhost_copy(ctx, text, n), *ip = "";
        const char *port = strrchr(outside, ':');
        const char *key = strchr(inside, '/') ? inside : rhost_fmt(ctx, "%s/tcp", inside);
        rhost_value *one, *list;

        if (port) {
            ip = *outside == '[' ? rhost_copy(ctx, outside + 1, (size_t)(port - outside) - 2)
                                 : rhost_copy(ctx, outside, (size_t)(port - outside));
            outside = port + 1;
        }
        (void)exposed->host->put_hash(exposed, key);
        if (rhost_has(bindings, key))
            continue; /* with the first of its port */
        list = bindings->host->put_array(bindings, key);
        one = list->host->put_hash(list, NULL);
        rhost_put_str(one, "HostIp", ip);
        rhost_put_str(one, "HostPort", outside);
    }
}

static void
put_networks(rhost_value *body, rhost_value *host, const rhost_value *networks)
{
    const char *first = rhost_str_at(networks, 0);
    rhost_value *config;

    if (!first)
        return;
    rhost_put_str(host, "NetworkMode", first);
    if (strcmp(first, "none") == 0 || strcmp(first, "host") == 0 || strchr(first, ':')
        || (strcmp(first, "bridge") == 0 && rhost_count(networks) == 1))
        return;
    config = body->host->put_hash(body, "NetworkingConfig");
    config = config->host->put_hash(config, "EndpointsConfig");
    for (size_t i = 0; i < rhost_count(networks); i++)
        (void)config->host->put_hash(config, rhost_str_at(networks, i));
}

static void
put_restart(rhost_ctx *ctx, rhost_value *host, const char *restart)
{
    rhost_value *policy;
    size_t n;

    if (!restart || strcmp(restart, "no") == 0)
        return;
    n = strcspn(restart, ":");
    policy = host->host->put_hash(host, "RestartPolicy");
    rhost_put_str(policy, "Name", rhost_copy(ctx, restart, n));
    if (restart[n])
        rhost_put_int(policy, "MaximumRetryCount", strtol(restart + n + 1, NULL, 10));
}

const rhost_value *
settings_body(rhost_ctx *ctx, const struct rhost_change *change)
{
    rhost_value *body = ctx->host->new_hash(ctx), *host;
    const rhost_value *command = rhost_value_of(change, "command"),
                      *labels = rhost_value_of(change, "labels");

    rhost_put_str(body, "Image", rhost_str(change->should, "image"));
    if (rhost_count(command))
        put_texts(ctx, body, "Cmd", command);
    put_texts(ctx, body, "Env", rhost_value_of(change, "env"));
    if (rhost_str_of(change, "user"))
        rhost_put_str(body, "User", rhost_str_of(change, "user"));
    if (rhost_count(labels))
        rhost_put_copy(body, "Labels", labels);
    host = body->host->put_hash(body, "HostConfig");
    put_texts(ctx, host, "Binds", rhost_value_of(change, "volumes"));
    put_ports(ctx, body, host, rhost_value_of(change, "ports"));
    put_networks(body, host, rhost_value_of(change, "networks"));
    put_restart(ctx, host, rhost_str_of(change, "restart"));
    return body;
}
