/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/bridge.h - how a plugin serves providers that are described by a file: the interface
 * rhost.bridge/1, which a plugin has by its extension(), and rhost.served/1, which the host has.
 *
 * The host gives a bridge the file, and gets the plugin that it describes, as if that were a shared
 * object of its own. Callbacks of several such plugins may be the same functions: the host's
 * extension RHOST_SERVED_ID is the very `const struct rhost_provider *` that a call is for, and in a call of a
 * transport, a lookup or a fact the `const struct rhost_transport *` and so on.
 * RHOST_RUN_ID is how the host was started, a `const struct rhost_run *`. RHOST_UPCOMING_ID, a
 * `const struct rhost_upcoming *`, says what the host is going to ask next, so that many resources can be handled at
 * once. */
#ifndef RHOST_BRIDGE_H
#define RHOST_BRIDGE_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_BRIDGE_ID "rhost.bridge/1"
#define RHOST_SERVED_ID "rhost.served/1"
#define RHOST_RUN_ID "rhost.run/1"
#define RHOST_UPCOMING_ID "rhost.upcoming/1"

/* How the host was started. */
struct rhost_run {
    size_t struct_size;
    const char *strict; /* "off", "warning" or "error" */
    int32_t noop;       /* 1: a dry run of everything; single resources can be noop without it */
    int32_t debug;      /* 1: debug messages are shown */
};

/* What follows in the present batch: a prediction, which may be wrong in both directions. */
struct rhost_upcoming {
    size_t struct_size;
    /* In canonicalize(): an array of the resources that the host is going to pass to it, perhaps with the present
     * one; NULL: it does not know. */
    const rhost_value *(*resources)(rhost_ctx *ctx);
    /* In insync(): the changes that the host is going to compare, `*n` of them. */
    const struct rhost_change *const *(*changes)(rhost_ctx *ctx, size_t *n);
};

/* What a bridge may ask while it opens a file. */
struct rhost_bridge_host {
    size_t struct_size;
    /* Why the file can't be used. `passing` 1: it may be usable later, as it is. */
    void (*refuse)(const struct rhost_bridge_host *host, int32_t passing, const char *message);
    /* 0, or -1 after refusing: whether a file that is executed is one that only those can change
     * whom the host trusts. The path is absolute. */
    int32_t (*check_file)(const struct rhost_bridge_host *host, const char *path);
};

struct rhost_bridge {
    size_t struct_size;
    /* The plugin that the file at this absolute path describes; it must stay until the process ends.
     * NULL after refusing. */
    const struct rhost_plugin *(*open)(const struct rhost_bridge_host *host, const char *path);
};

#ifdef __cplusplus
}
#endif

#endif
