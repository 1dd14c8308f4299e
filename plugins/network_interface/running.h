/* SPDX-License-Identifier: Apache-2.0 */
/* running - what systemd-networkd has made of the files: asked by networkctl(1) and ip(8), never in an image.
 */
#ifndef NETWORK_INTERFACE_RUNNING_H
#define NETWORK_INTERFACE_RUNNING_H

#include <rhost/provider.h>

#include <sys/types.h>

/* Whether systemd-networkd runs: 1 or 0; -1 after the reason was given. */
int running_is_active(rhost_ctx *ctx);

/* The interfaces of this machine that one of the patterns matches, in memory of the call. -1 after the reason
 * was given. */
ssize_t running_interfaces(rhost_ctx *ctx, const char *match, const char ***names);

/* The file by which networkd configures the interface, "" for none, in memory of the call. NULL after the
 * reason was given. */
const char *running_file(rhost_ctx *ctx, const char *interface);

enum running_lack {
    RUNNING_NOTHING = 1,
    RUNNING_ADDRESSES = 2,
    RUNNING_GATEWAY = 4,
    RUNNING_ROUTES = 8,
    RUNNING_FRESHNESS = 16, /* networkd has not read the file since it was changed */
};

/* What the interface lacks of the first of the attributes in `which` that it lacks anything of, with a text
 * about it in *what, in memory of the call; RUNNING_NOTHING where it lacks nothing, or that can't be told:
 * without a carrier networkd waits. -1 after the reason was given. `path` is the file that has the
 * configuration. */
int running_lacks(rhost_ctx *ctx, const char *interface, const rhost_value *config, const char *path,
                  int which, const char **what);

/* Has networkd read its files, or configure one interface anew. -1 after the reason was given. */
int running_reload(rhost_ctx *ctx);
int running_reconfigure(rhost_ctx *ctx, const char *interface);

#endif
