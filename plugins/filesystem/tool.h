/* SPDX-License-Identifier: Apache-2.0 */
/* tool - runs the programs of file systems, and says what they complain of. */
#ifndef FILESYSTEM_TOOL_H
#define FILESYSTEM_TOOL_H

#include <rhost/exec.h>
#include <rhost/path.h>

/* A week: what is ended in the middle, such as e2fsck or resize2fs on a large device, leaves damage. */
#define TOOL_LONGEST UINT32_C(604800000)

/* Runs a program with this argument vector. Its exit status; -1 after the reason was given. `why` is what it
 * said, in one line, in memory of the call. */
int tool_run(rhost_ctx *ctx, const char *const *argv, const char **why);

/* The same with this text as input. */
int tool_run_input(rhost_ctx *ctx, const char *const *argv, const char *input, const char **why);

/* Whether there is a program of this name where programs of the system are. */
int tool_exists(rhost_ctx *ctx, const char *name);

#endif
