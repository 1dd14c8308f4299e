/* SPDX-License-Identifier: Apache-2.0 */
/* exec-setup - a command as asked for, turned into a plan that needs no look-ups any more. */
#ifndef RH_PROVIDER_EXEC_SETUP_H
#define RH_PROVIDER_EXEC_SETUP_H

#include "provider/exec-child.h"

struct rh_arena;
struct rh_error;
struct rhost_command;

/* Environment, user, groups, and where the program may lie. Everything lives in `arena`. */
int rh_exec_plan(const struct rhost_command *command, struct rh_arena *arena,
                 struct rh_exec_plan *plan, struct rh_error *err);

/* The command as it is shown: secrets redacted, long arguments cut, control characters escaped. */
char *rh_exec_shown(const struct rhost_command *command);

#endif
