/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/catalog.h - the extension rhost.catalog/1: what is wanted of other resources, to read.
 *
 * It is there while a manifest is applied, from open() on; before that (when names are canonicalized),
 * afterwards (in close()), and when somebody lists or shows resources, asking for it gives NULL. What it shows is what the manifest declares, with defaults: not what is on the machine,
 * which is for that type's own provider to know. Names are canonical, other values as declared.
 *
 * Sensitive attributes of resources of another type are left out.
 *
 * Each question goes to the host and back, so ask for what you need, once, and not for each resource:
 * all() is one question, however many resources there are. */
#ifndef RHOST_CATALOG_H
#define RHOST_CATALOG_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_CATALOG_ID "rhost.catalog/1"

/* A resource is shown as a hash: `type`, `title`, `provider`, `noop` (a boolean) and `should`, which
 * is a hash of attributes as in struct rhost_change. What is returned belongs to the call. */
struct rhost_catalog {
    size_t struct_size;
    /* By title or by name; NULL: the manifest has no such resource, or this is no run. */
    const rhost_value *(*find)(rhost_ctx *ctx, const char *type, const char *title);
    /* An array of all resources of this type, in the order of the manifest; empty when there are
     * none. NULL: this is no run; or after fail(), when they are too many to be looked at. */
    const rhost_value *(*all)(rhost_ctx *ctx, const char *type);
    /* An array of the paths below this absolute one that resources of the manifest, whatever their type, name:
     * as their title or in another attribute that is a text and no secret. NULL as with `all`. */
    const rhost_value *(*below)(rhost_ctx *ctx, const char *path);
};

/* What is wanted of type[title]: its attributes, or NULL. */
static inline const rhost_value *
rhost_declared(rhost_ctx *ctx, const char *type, const char *title)
{
    const struct rhost_catalog *catalog =
        (const struct rhost_catalog *)ctx->host->extension(ctx, RHOST_CATALOG_ID);
    const rhost_value *found = catalog ? catalog->find(ctx, type, title) : NULL;

    return found ? found->host->get(found, "should") : NULL;
}

/* All resources of this type, as hashes; NULL as with `all`, and from a host that knows no catalog. */
static inline const rhost_value *
rhost_declared_all(rhost_ctx *ctx, const char *type)
{
    const struct rhost_catalog *catalog =
        (const struct rhost_catalog *)ctx->host->extension(ctx, RHOST_CATALOG_ID);

    return catalog ? catalog->all(ctx, type) : NULL;
}

/* The paths below this one that the manifest names; NULL as with `below`, and from a host that can't tell. */
static inline const rhost_value *
rhost_declared_below(rhost_ctx *ctx, const char *path)
{
    const struct rhost_catalog *catalog =
        (const struct rhost_catalog *)ctx->host->extension(ctx, RHOST_CATALOG_ID);

    return catalog && catalog->struct_size > offsetof(struct rhost_catalog, below) && catalog->below
               ? catalog->below(ctx, path)
               : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
