/* SPDX-License-Identifier: Apache-2.0 */
/* latest - which version of a package is the newest: asked once, for all packages of the manifest that
 * are to have it, and remembered until something changes. Also what else a provider remembers. */
#ifndef PACKAGE_LATEST_H
#define PACKAGE_LATEST_H

#include "source.h"

struct memory {
    int refreshed;   /* the package lists, in this run; -1: it failed */
    int64_t sources; /* when the repositories had changed last by then */
    size_t n;
    struct known {
        char *name, *release, *version;
    } * known;
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

/* Brings the package lists up to date, if this resource wants that, and at most once in a run. 0, or
 * -1 with `why`. */
typedef int latest_refresh(rhost_ctx *ctx, const rhost_value *should, const char **why);
/* For every job; those whose lists could not be brought up to date fail. */
void latest_refresh_for(rhost_ctx *ctx, struct jobs *jobs, latest_refresh *refresh);
/* What a latest_refresh does for a resource that wants it: runs this command once the lock files are free.
 * Under noop it says that it would, and `more`. *said is what the command said, if it ran. */
int latest_lists(rhost_ctx *ctx, const rhost_value *should, const struct words *argv,
                 const char *const *locks, const char *more, const char **printed, const char **why);

/* How a provider finds the newest version: that of a file, that of the lists, and fresh lists. */
struct latest_how {
    source_query *of_file;
    latest_query *listed;
    latest_refresh *refresh;
};

/* Serves the slot `insync`. */
int32_t latest_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute,
                      const struct latest_how *how);

#endif
