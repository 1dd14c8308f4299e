/* SPDX-License-Identifier: Apache-2.0 */
/* nothing - types whose providers do nothing: what is left is the engine.
 *
 *   nothing      load finds all as wanted
 *   nothing_get  get and set, a whole batch at once: all absent in name, all created at no cost
 *   nothing_list get lists 10,000 resources */

#include <rhost/provider.h>

enum { LISTED = 10000 };

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "Its name." },
    { .name = "value", .type = "Optional[String]", .desc = "Anything." },
};

static int32_t
nothing_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)name;
    rhost_put_copy(current, "value", rhost_get(should, "value"));
    return 0;
}

static int32_t
nothing_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    (void)change;
    return 0;
}

/* Finds each with a value that nobody wants. */
static int32_t
nothing_get(rhost_ctx *ctx, const rhost_value *names)
{
    for (size_t i = 0; i < rhost_count(names); i++) {
        rhost_value *found = ctx->host->new_hash(ctx);

        rhost_put_copy(found, "name", rhost_get(rhost_at(names, i, NULL), "name"));
        rhost_put_str(found, "value", "");
        if (ctx->host->emit(ctx, found) < 0)
            return -1;
    }
    return 0;
}

static int32_t
nothing_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    (void)ctx;
    (void)changes;
    (void)n;
    return 0;
}

static int32_t
nothing_list_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    for (int i = 0; i < LISTED; i++) {
        rhost_value *found = ctx->host->new_hash(ctx);

        rhost_put_fmt(found, "name", "n%07d", i);
        rhost_put_str(found, "value", "as it is");
        if (ctx->host->emit(ctx, found) < 0)
            return -1;
    }
    return 0;
}

static const struct rhost_provider nothing_provider = {
    RHOST_PROVIDER("nothing", "Finds all as wanted."),
    RHOST_ATTRS(attrs),
    .load = nothing_load,
    .update = nothing_update,
};

static const struct rhost_provider nothing_get_provider = {
    RHOST_PROVIDER("nothing_get", "Finds all changed, and sets at no cost."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    .get = nothing_get,
    .set = nothing_set,
};

static const struct rhost_provider nothing_list_provider = {
    RHOST_PROVIDER("nothing_list", "Lists what is not there."),
    RHOST_ATTRS(attrs),
    .get = nothing_list_get,
    .set = nothing_set,
};

RHOST_PLUGIN(nothing, "1.0", &nothing_provider, &nothing_get_provider, &nothing_list_provider)
