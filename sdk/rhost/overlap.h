/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/overlap.h - the extension rhost.overlap/1: blocks for work that goes on at the same time.
 *
 * The blocks of scope_begin() nest: the innermost ends first. A set() that has several requests under way opens
 * a block of this kind for each, and ends them in the order in which the answers come. Each resource is
 * reported with its own time, as soon as its block ends. */
#ifndef RHOST_OVERLAP_H
#define RHOST_OVERLAP_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_OVERLAP_ID "rhost.overlap/1"

struct rhost_overlap {
    size_t struct_size;

    /* set(): opens a block for one resource of this call. `message` NULL: "Creating" and so on. Returns a number
     * for end(); 0 when the resource is not of this call. */
    uint64_t (*begin)(rhost_ctx *ctx, int32_t doing, const char *title, const char *message);

    /* Ends it, whatever others are open: the outcome is definite. `failure` says why the resource fails; NULL:
     * it is done. fail() is about the call, and ends no block. A block that is still open when set() returns
     * fails its resource. */
    void (*end)(rhost_ctx *ctx, uint64_t block, const char *failure);
};

/* NULL when the host has no such extension: then do one after the other. */
static inline const struct rhost_overlap *
rhost_overlap_extension(rhost_ctx *ctx)
{
    return (const struct rhost_overlap *)ctx->host->extension(ctx, RHOST_OVERLAP_ID);
}

#ifdef __cplusplus
}
#endif

#endif
