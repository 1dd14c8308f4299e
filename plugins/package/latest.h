/* SPDX-License-Identifier: Apache-2.0 */
/* latest - which version of a package is the newest: asked once, for all packages of the manifest that
 * are to have it, and remembered until something changes. Also what else a provider remembers. */
#ifndef PACKAGE_LATEST_H
#define PACKAGE_LATEST_H

#include "words.h"

struct memory {
    int refreshed; /* the package lists, in this run; -1: it failed */
    size_t n;
    struct known {
        char *name, *release, *version;
    } *known;
};

/* For the slots `open` and `close`. */
int32_t latest_open(rhost_ctx *ctx);
void latest_close(rhost_ctx *ctx);
struct memory *latest_memory(rhost_ctx *ctx);

/* Asks the package manager: found[i] is the newest version of names->at[i], or NULL. `release` is "" or
 * that of `default_release`. -1 after fail(). */
typedef int32_t latest_query(rhost_ctx *ctx, const struct words *names, const char *release,
                             const char **found);

/* The newest version for this change, NULL when there is none. -1 after fail(). */
int32_t latest_of(rhost_ctx *ctx, const struct rhost_change *change, latest_query *query,
                  const char **version);
void latest_forget(rhost_ctx *ctx);

#endif
