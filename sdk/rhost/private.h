/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/private.h - the extension rhost.private/1: small texts that the host keeps for a resource, from one
 * run to the next.
 *
 * For what was written and can't be read back: the version that an API has given, or the digest of a password
 * that the system does not show. The texts are in a file of mode 0600 in the state directory. They are removed
 * with the resource. They are no substitute for reading: another program may have changed the resource. */
#ifndef RHOST_PRIVATE_H
#define RHOST_PRIVATE_H

#include <rhost/abi.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_PRIVATE_ID "rhost.private/1"

#define RHOST_PRIVATE_KEYS 16      /* of one resource, at most */
#define RHOST_PRIVATE_LARGEST 8192 /* bytes of one text */

struct rhost_private {
    size_t struct_size;

    /* What is kept for the resource with these namevars under a key, in memory of the call; NULL: nothing.
     * What another one of this name has left is still there when the resource is created anew: put it
     * again. */
    const char *(*get)(rhost_ctx *ctx, const rhost_value *name, const char *key);

    /* Keeps a text (NULL: no longer), which is on disk when this returns 0. In callbacks that write only; under
     * noop nothing is kept. A text with a secret of the run in it is refused: keep its digest. -1 with a
     * failure said. */
    int32_t (*put)(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *text);

    /* A digest of the value, 64 hexadecimal digits in memory of the call, with a key that only this state
     * directory has, and that depends on the resource and on `key`. NULL with a failure said. */
    const char *(*digest)(rhost_ctx *ctx, const rhost_value *name, const char *key, const rhost_value *value);
};

/* NULL when the host has no such extension. */
static inline const struct rhost_private *
rhost_private_extension(rhost_ctx *ctx)
{
    return (const struct rhost_private *)ctx->host->extension(ctx, RHOST_PRIVATE_ID);
}

static inline const char *
rhost_private_get(rhost_ctx *ctx, const rhost_value *name, const char *key)
{
    const struct rhost_private *ext = rhost_private_extension(ctx);

    return ext ? ext->get(ctx, name, key) : NULL;
}

static inline int32_t
rhost_private_put(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *text)
{
    const struct rhost_private *ext = rhost_private_extension(ctx);

    return ext ? ext->put(ctx, name, key, text)
               : ctx->host->fail(ctx, 0, NULL, "this host keeps nothing for resources");
}

/* insync() of an attribute that can be written and not read: what is wanted is what was written last, or
 * RHOST_DIFFERS. */
static inline int32_t
rhost_private_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const struct rhost_private *ext = rhost_private_extension(ctx);
    const rhost_value *wanted = ctx->host->get(change->should, attribute);
    const char *kept = ext ? ext->get(ctx, change->name, attribute) : NULL, *now;

    if (!kept)
        return RHOST_DIFFERS;
    now = ext->digest(ctx, change->name, attribute, wanted);
    if (!now)
        return -1;
    return strcmp(kept, now) == 0 ? 0 : RHOST_DIFFERS;
}

/* Notes what was written, for rhost_private_insync(). Does nothing where the attribute is not wanted. */
static inline int32_t
rhost_private_written(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const struct rhost_private *ext = rhost_private_extension(ctx);
    const rhost_value *wanted = ctx->host->get(change->should, attribute);
    const char *now;

    if (!ext || !wanted)
        return 0;
    now = ext->digest(ctx, change->name, attribute, wanted);
    return now ? ext->put(ctx, change->name, attribute, now) : -1;
}

#ifdef __cplusplus
}
#endif

#endif
