/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command or a guard of the resource, with the surroundings that all of them share. */
#ifndef EXEC_COMMAND_H
#define EXEC_COMMAND_H

#include <rhost/exec.h>
#include <rhost/provider.h>

/* The arguments of a command that is a list or a text, NULL-terminated, and which of them are secret; what is
 * refused is said of `attribute`. They live as long as the call. NULL after fail(). */
const char **command_arguments(rhost_ctx *ctx, const rhost_value *what, const char *attribute,
                               uint8_t **secret);

/* Variables over the clean environment, NULL-terminated; live as long as the call. */
const char **command_environment(rhost_ctx *ctx, const rhost_value *should);

/* Runs the command `what`, with the surroundings of the resource `should`; `input`: with what `stdin` says. 0
 * when it ran, whatever its status; -1 after fail(). */
int32_t command_run(rhost_ctx *ctx, const rhost_value *should, const rhost_value *what, const char *attribute,
                    uint64_t flags, int input, struct rhost_output *output);

#endif
