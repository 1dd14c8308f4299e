/* SPDX-License-Identifier: Apache-2.0 */
/* exec-process - commands of providers, whoever starts them: this process, or its broker (exec-broker.h).
 *
 * In a worker the broker does: a worker may be confined, and what it starts would be too. Inline, and in what
 * rhost runs for itself, this process starts them. */
#ifndef RH_PROVIDER_EXEC_PROCESS_H
#define RH_PROVIDER_EXEC_PROCESS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <sys/types.h>

struct rh_arena;
struct rh_error;
struct rh_exec_plan;
struct rhost_command;

/* From now on all of these ask the broker at the other end of this socket. `lost` is called when it does not
 * answer; it must not return. */
void rh_exec_use_broker(int channel, void (*lost)(void));

/* As rh_exec_plan() does. The next launch starts this command. */
RH_CHECKED int rh_exec_prepare(const struct rhost_command *command, struct rh_arena *arena,
                               struct rh_exec_plan *plan, struct rh_error *err);

/* As rh_exec_start() does, with the descriptors of the plan: the keeper, or -1 with errno. */
pid_t rh_exec_launch(const struct rh_exec_plan *plan);

/* As rh_exec_end_tree() does. */
bool rh_exec_end(pid_t keeper, int grace);

/* Kills the keeper itself, where what is below it could not be ended. */
void rh_exec_kill(pid_t keeper);

/* Until the keeper has ended, and nothing of it is left. */
void rh_exec_wait(pid_t keeper);

#endif
