/* SPDX-License-Identifier: Apache-2.0 */
/* file - files for swap areas: without holes, for root alone. */
#ifndef SWAP_FILE_H
#define SWAP_FILE_H

#include "../filesystem/device.h"

/* Makes a file of this size beside the path, with mode 0600 and all of its blocks. Its path, in memory of the
 * call; NULL after the reason was given, and then there is none. */
const char *file_make(rhost_ctx *ctx, const char *path, uint64_t size);

/* Gives that file its name; it replaces nothing. 0; or -1 after the reason was given. */
int file_put(rhost_ctx *ctx, const char *made, const char *path);

/* Refuses a file that the kernel or an operator would not swap to: one with holes, and one that other users
 * can read or change. 0; or -1 after the reason was given. */
int file_check(rhost_ctx *ctx, const struct device *d);

#endif
