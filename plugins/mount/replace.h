/* SPDX-License-Identifier: Apache-2.0 */
/* replace - unmounting, and mounting in place of what is mounted, which is put back if that fails. */
#ifndef MOUNT_REPLACE_H
#define MOUNT_REPLACE_H

#include "tool.h"
#include "view.h"

/* Each: 0, or -1 after the reason was given. */

/* Mounts it where nothing is mounted. */
int replace_nothing(rhost_ctx *ctx, const struct tool_mount *m);

/* Unmounts all that is mounted at this path. */
int replace_by_nothing(rhost_ctx *ctx, const char *path, uint32_t timeout);

/* Mounts it in place of something else. */
int replace_other(rhost_ctx *ctx, const struct tool_mount *m, struct view *v);

/* Gives what is mounted there these options; `was` are those it had so far. What refuses to change while it
 * is mounted is unmounted and mounted again, unless it lives in memory. */
int replace_options(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was, struct view *v);

#endif
