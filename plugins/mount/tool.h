/* SPDX-License-Identifier: Apache-2.0 */
/* tool - mounting and unmounting, by mount(8) and umount(8).
 *
 * Not by the library in our own process: helpers such as mount.nfs may hang, and print. A command has a
 * time limit that ends all of it, and says what is wrong. */
#ifndef MOUNT_TOOL_H
#define MOUNT_TOOL_H

#include "options.h"

#include <rhost/exec.h>

struct tool_mount {
    const char *device, *target, *type;
    struct options options;
    uint32_t timeout; /* milliseconds */
};

/* Each: 0, 1 with the reason in `why` when the command refused, or -1 after the reason was given. */
int tool_mount(rhost_ctx *ctx, const struct tool_mount *m, const char **why);
int tool_remount(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was, const char **why);

/* Mounts a device that is mounted already once more, with these options, where nobody sees it. */
int tool_try(rhost_ctx *ctx, const struct tool_mount *m, const char **why);

/* Unmounts the upmost of what is mounted at this path. */
int tool_unmount(rhost_ctx *ctx, const char *path, uint32_t timeout, const char **why);

/* Has systemd, if it runs, read fstab again. What fails is a warning. */
void tool_reload_systemd(rhost_ctx *ctx);

#endif
