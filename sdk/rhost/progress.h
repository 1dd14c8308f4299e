/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/progress.h - the extension rhost.progress/1: say that something long goes on.
 *
 * The host kills a worker that gives no sign of life for `--time-limit` seconds. A provider that reads
 * or computes for longer calls rhost_alive() on the way, as often as it likes: the host is told every
 * few seconds. It is for work that moves, not for waiting: a loop that only waits has a limit of its
 * own. The host kills a worker that is busy with one resource for eight days, whatever it says. */
#ifndef RHOST_PROGRESS_H
#define RHOST_PROGRESS_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_PROGRESS_ID "rhost.progress/1"

struct rhost_progress {
    size_t struct_size;
    /* The call goes on. Cheap enough to be called for each MiB. */
    void (*alive)(rhost_ctx *ctx);
};

/* With a host that does not know the extension, nothing happens. */
static inline void
rhost_alive(rhost_ctx *ctx)
{
    const struct rhost_progress *progress =
        (const struct rhost_progress *)ctx->host->extension(ctx, RHOST_PROGRESS_ID);

    if (progress)
        progress->alive(ctx);
}

#ifdef __cplusplus
}
#endif

#endif
