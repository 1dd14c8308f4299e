/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command that the host itself runs: as plugins' commands run, from a list of arguments. */
#ifndef RH_PROVIDER_COMMAND_H
#define RH_PROVIDER_COMMAND_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;
struct rhost_command;
struct rhost_output;

/* 0 when it ran, whatever its status; what it said is the arena's. -1 when it could not be run. */
RH_CHECKED int rh_command_run(struct rh_arena *a, const struct rhost_command *command,
                              struct rhost_output *output, struct rh_error *err);

#endif
