/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command that the host itself runs: as plugins' commands run, from a list of arguments. */
#ifndef RH_RUN_COMMAND_H
#define RH_RUN_COMMAND_H

#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rhost_command;
struct rhost_output;

/* 0 when it ran, whatever its status; what it said is the arena's. -1 when it could not be run. */
int rh_command_run(struct rh_arena *a, const struct rhost_command *command,
                   struct rhost_output *output, struct rh_error *err);

/* The text that `systemd-creds encrypt` made a credential of, whose file is called `name`: the
 * arena's, which holds a secret then. NULL with the reason. */
const char *rh_command_decrypt(struct rh_arena *a, const char *name, const void *credential,
                               size_t n, size_t *length, struct rh_error *err);

#endif
