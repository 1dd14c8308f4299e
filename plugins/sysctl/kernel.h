/* SPDX-License-Identifier: Apache-2.0 */
/* kernel - parameters of the running kernel, as files below /proc/sys. */
#ifndef SYSCTL_KERNEL_H
#define SYSCTL_KERNEL_H

#include <rhost/provider.h>

/* A key in its canonical form, with dots between its parts, in place: which of '.' and '/' comes first
 * is what separates, as for sysctl(8). -1: it is none. */
int kernel_tidy_key(char *key);

/* Blanks, also several, tabs and newlines, become one space; in place. */
void kernel_tidy_value(char *value);

/* Why errno keeps `value` from being set. */
const char *kernel_explain(rhost_ctx *ctx, const char *value);

/* The value as it is now, tidy, in memory of the call; NULL with errno. */
char *kernel_read(rhost_ctx *ctx, const char *key);

/* Sets it, and looks whether the kernel took it. NULL, or why not, in memory of the call. */
const char *kernel_write(rhost_ctx *ctx, const char *key, const char *value);

/* Visits each key that can be read and set, in the order of their names. `visit` returns -1 to end. */
int kernel_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, const char *key, const char *value));

#endif
