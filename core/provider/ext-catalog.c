/* SPDX-License-Identifier: Apache-2.0 */
/* ext-catalog - what a provider may see of other resources: asked of whoever has the catalog. */
#include "config.h"

#include "provider/extensions.h"

#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/runtime-parts.h"

#include <string.h>

enum { LONGEST_NAME = 64 << 10 };

/* A catalog is there while it is applied, if our host answers at all. */
static bool
may_ask(const struct rh_runtime *rt)
{
    return rt->running && rt->sink.ask;
}

static bool
is_name(const char *text)
{
    size_t n = text ? strnlen(text, LONGEST_NAME) : LONGEST_NAME;

    return n < LONGEST_NAME && rh_utf8_valid(text, n);
}

static const rhost_value *
ask(rhost_ctx *ctx, const char *type, const char *title)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_runtime *rt = call->rt;
    const struct rh_value *answer = NULL;

    if (!rt->sink.ask(rt->sink.data, call->arena, type, title, &answer)) {
        (void)rh_table_fail(ctx, 0, NULL,
                            "the catalog has more of what it asked for than can be "
                            "looked at");
        return NULL;
    }
    return rh_outside(answer);
}

static const rhost_value *
catalog_find(rhost_ctx *ctx, const char *type, const char *title)
{
    const rhost_value *found;

    if (!may_ask(rh_call_of(ctx)->rt) || !is_name(type) || !is_name(title))
        return NULL;
    found = ask(ctx, type, title);
    return rh_value_is((const struct rh_value *)(const void *)found, RH_HASH) ? found : NULL;
}

static const rhost_value *
catalog_all(rhost_ctx *ctx, const char *type)
{
    const rhost_value *all;

    if (!may_ask(rh_call_of(ctx)->rt) || !is_name(type))
        return NULL;
    all = ask(ctx, type, NULL);
    return rh_value_is((const struct rh_value *)(const void *)all, RH_ARRAY) ? all : NULL;
}

/* Asked as the resources of the type without a name, which no type is. */
static const rhost_value *
catalog_below(rhost_ctx *ctx, const char *path)
{
    const rhost_value *paths;

    if (!may_ask(rh_call_of(ctx)->rt) || !is_name(path) || path[0] != '/')
        return NULL;
    paths = ask(ctx, "", path);
    return rh_value_is((const struct rh_value *)(const void *)paths, RH_ARRAY) ? paths : NULL;
}

const struct rhost_catalog *
rh_ext_catalog(rhost_ctx *ctx)
{
    static const struct rhost_catalog catalog = {
        .struct_size = sizeof catalog,
        .find = catalog_find,
        .all = catalog_all,
        .below = catalog_below,
    };

    return may_ask(rh_call_of(ctx)->rt) ? &catalog : NULL;
}
