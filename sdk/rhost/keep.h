/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/keep.h - the extension rhost.keep/1: words that the host keeps for a provider, by name.
 *
 * A provider has one state word (state() in rhost/abi.h), which is its own. Headers that keep something from
 * call to call, such as rhost/lines.h, use a word with a name instead, so that several of them and the
 * provider's own state never meet. What several types of a plugin share, such as a connection, they keep with
 * rhost_keep_shared(). */
#ifndef RHOST_KEEP_H
#define RHOST_KEEP_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_KEEP_ID "rhost.keep/1"

struct rhost_keep {
    size_t struct_size;
    /* The word of this name, NULL at first, which stays where it is until the provider is closed. After its
     * close(), the host calls `release` with the word, unless it is NULL. */
    void **(*word)(rhost_ctx *ctx, const char *name, void (*release)(void *kept));
    /* The same for a word that all providers of the plugin in this process have in common: with RHOST_ONE_WORKER
     * those are all. It stays until the last of them is closed. Its `release` has no call to go with, so it may
     * not use a handle. */
    void **(*shared)(rhost_ctx *ctx, const char *name, void (*release)(void *kept));
};

/* NULL when the host has no such extension. */
static inline void **
rhost_keep_word(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    const struct rhost_keep *ext = (const struct rhost_keep *)ctx->host->extension(ctx, RHOST_KEEP_ID);

    return ext ? ext->word(ctx, name, release) : NULL;
}

/* NULL when the host is older than this function. */
static inline void **
rhost_keep_shared(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    const struct rhost_keep *ext = (const struct rhost_keep *)ctx->host->extension(ctx, RHOST_KEEP_ID);

    return ext && ext->struct_size > offsetof(struct rhost_keep, shared) ? ext->shared(ctx, name, release) : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
