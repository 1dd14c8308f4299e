/* SPDX-License-Identifier: Apache-2.0 */
/* gossip - a plugin that can't keep a secret: what it is given, and what it finds, it tells in every
 * way that there is. Where and how, the environment says:
 *
 *     GOSSIP="update fail"      in update, by failing with it
 *     GOSSIP_OLD=/path          what stands in this file is the secret that is there now */
#include "gossip.h"

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"" },
    { .name = "secret", .type = "Optional[Sensitive[String]]" },
    { .name = "number", .type = "Optional[Sensitive[Integer]]" },
    { .name = "list", .type = "Optional[Sensitive[Array[String]]]" },
    { .name = "pin", .type = "Optional[Sensitive[Enum[one, two]]]" },
    { .name = "fixed", .type = "Optional[String]", .behaviour = RHOST_INIT_ONLY },
    { .name = "value", .type = "Optional[String]" },
    { .name = "count", .type = "Optional[Integer]" },
    { .name = "data", .type = "Any" },
};

static const struct rhost_action actions[] = {
    { .name = "poke", .desc = "Does what converging does not." },
};

/* What it is given. */
static struct gossip
wanted(const rhost_value *should)
{
    struct gossip g = { .text = "", .len = 0 };

    if (rhost_has(should, "secret"))
        g.text = rhost_bytes(should, "secret", &g.len);
    else if (rhost_has(should, "value"))
        g.text = rhost_bytes(should, "value", &g.len);
    return g;
}

/* What is there now. */
static struct gossip
found(rhost_ctx *ctx)
{
    const char *path = getenv("GOSSIP_OLD");
    FILE *f = path ? fopen(path, "re") : NULL;
    struct gossip g = { .text = NULL, .len = 0 };
    char *text = rhost_alloc(ctx, 1 << 20);

    if (f) {
        g.len = fread(text, 1, (1 << 20) - 1, f);
        (void)fclose(f);
    }
    g.text = text;
    return g;
}

static int32_t
gossip_open(rhost_ctx *ctx)
{
    *ctx->host->state(ctx) = NULL;
    return 0;
}

static void
gossip_close(rhost_ctx *ctx)
{
    char *kept = *ctx->host->state(ctx);
    struct gossip g = { .text = kept, .len = kept ? strlen(kept) : 0 };

    if (kept)
        (void)gossip_tell(ctx, "close", &g, NULL);
    free(kept);
}

static void
keep(rhost_ctx *ctx, const struct gossip *g)
{
    void **state = ctx->host->state(ctx);

    free(*state);
    *state = strdup(g->text);
}

static int32_t
gossip_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    struct gossip g = wanted(resource);
    int32_t rc = g.len ? gossip_tell(ctx, "canonicalize", &g, rhost_str(resource, "name")) : 0;

    if (gossip_is("load", "not canonical") && rhost_has(resource, "value")
        && strncmp(rhost_str(resource, "value"), "[", 1) != 0)
        rhost_put_str(resource, "value", "[canonical]");
    return rc;
}

static int32_t
gossip_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct gossip g = wanted(change->should);
    int32_t rc;

    if (gossip_is("insync", "explain") && strcmp(attribute, "count") == 0) {
        ctx->host->explain(ctx, g.text);
        return RHOST_DIFFERS;
    }
    rc = gossip_tell(ctx, "insync", &g, change->title);
    return rc < 0 ? rc : RHOST_DEFAULT_COMPARISON;
}

/* What is there, and what is not told truly. */
static void
describe(rhost_ctx *ctx, rhost_value *current, const struct gossip *old, const struct gossip *new)
{
    const struct rhost_host *host = ctx->host;
    rhost_value *data;

    if (old->len && !getenv("GOSSIP_IN_VALUE"))
        rhost_put_bytes(current, "secret", old->text, old->len);
    else if (old->len)
        rhost_put_bytes(current, "value", old->text, old->len);
    rhost_put_int(current, "count", 1);
    rhost_put_str(current, "fixed", "fixed");
    if (gossip_is("load", "other") || gossip_is("get", "other")) {
        if (!rhost_has(current, "value"))
            rhost_put_bytes(current, "value", new->len ? new->text : old->text,
                            new->len ? new->len : old->len);
        data = host->put_hash(current, "data");
        rhost_put_bytes(data, "old", old->text, old->len);
        rhost_put_bytes(host->put_array(data, "new"), NULL, new->text, new->len);
        rhost_put_bytes(current, "fixed", old->text, old->len);
    }
    if (gossip_is("load", "wrong type") || gossip_is("get", "wrong type")) {
        rhost_put_bytes(current, "count", old->text, old->len);
        rhost_put_bytes(current, "number", new->text, new->len);
        rhost_put_bytes(current, "pin", old->text, old->len);
        rhost_put_bytes(host->put_array(current, "secret"), NULL, old->text, old->len);
    }
    if (gossip_is("load", "unknown") || gossip_is("get", "unknown"))
        rhost_put_bytes(current, "colour", new->text, new->len);
}

static int32_t
gossip_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct gossip new = wanted(should), old = found(ctx);
    const char *title = rhost_str_or(name, "name", "");

    if (strncmp(title, "new", 3) == 0)
        return RHOST_ABSENT;
    describe(ctx, current, &old, &new);
    if (new.len && gossip_tell(ctx, "load", &new, NULL) < 0)
        return -1;
    return old.len ? gossip_tell(ctx, "load", &old, NULL) : 0;
}

static int32_t
gossip_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char *const all[] = { "one", "two", "bad" };
    struct gossip old = found(ctx);
    size_t n = names ? rhost_count(names) : 3;

    for (size_t i = 0; i < n; i++) {
        const char *name = names ? rhost_str_or(rhost_at(names, i, NULL), "name", "") : all[i];
        rhost_value *resource = ctx->host->new_hash(ctx);

        rhost_put_str(resource, "name", name);
        describe(ctx, resource, &old, &old);
        if (gossip_tell(ctx, "get", &old, NULL) < 0)
            return -1;
        (void)ctx->host->emit(ctx, resource);
        if (gossip_tell(ctx, "get", &old, NULL) < 0)
            return -1;
    }
    return 0;
}

/* Both, for what was read is as secret as what is wanted. */
static int32_t
write_one(rhost_ctx *ctx, const char *at, const struct rhost_change *change)
{
    struct gossip new = wanted(change->should), old = found(ctx);
    int32_t rc = 0;

    if (new.len)
        rc = gossip_tell(ctx, at, &new, change->title);
    if (rc == 0 && change->is && old.len)
        rc = gossip_tell(ctx, at, &old, change->title);
    if (new.len)
        keep(ctx, &new);
    return rc;
}

static int32_t
gossip_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "create", change);
}

static int32_t
gossip_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "update", change);
}

static int32_t
gossip_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "remove", change);
}

static int32_t
gossip_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action;
    return write_one(ctx, "act", change);
}

static int32_t
gossip_set_all(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct gossip new = wanted(changes[i]->should);

        if (gossip_tell_in_set(ctx, changes[i], &new))
            continue;
        if (write_one(ctx, "set", changes[i]) < 0)
            return -1;
    }
    return 0;
}

static int32_t
gossip_converge_one(rhost_ctx *ctx, const struct rhost_change *change)
{
    return rhost_changed_any(ctx, change) ? write_one(ctx, "converge", change) : 0;
}

static const struct rhost_provider gossip_simple = {
    RHOST_PROVIDER("gossip", "Tells secrets in create, update or remove."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .open = gossip_open,
    .close = gossip_close,
    .canonicalize = gossip_canonicalize,
    .insync = gossip_insync,
    .load = gossip_load,
    .create = gossip_create,
    .update = gossip_update,
    .remove = gossip_remove,
    .act = gossip_act,
};

static const struct rhost_provider gossip_set = {
    RHOST_PROVIDER("gossip_set", "Tells secrets in get or set."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    .open = gossip_open,
    .close = gossip_close,
    .canonicalize = gossip_canonicalize,
    .get = gossip_get,
    .set = gossip_set_all,
};

static const struct rhost_provider gossip_converge = {
    RHOST_PROVIDER("gossip_converge", "Tells secrets in converge."),
    RHOST_ATTRS(attrs),
    .open = gossip_open,
    .close = gossip_close,
    .load = gossip_load,
    .converge = gossip_converge_one,
};

RHOST_PLUGIN(gossip, "1.0", &gossip_simple, &gossip_set, &gossip_converge)
