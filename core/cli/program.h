/* SPDX-License-Identifier: Apache-2.0 */
/* program - the programs that come with rhost in packages of their own, for the libraries that they need:
 * rhost-kit, rhost-bundle, rhost-agent, rhost-collect, rhost-fleet and
 * rhost-nats. */
#ifndef RH_CLI_PROGRAM_H
#define RH_CLI_PROGRAM_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;

/* Runs it with these arguments after its name; NULL-terminated. What it printed is the arena's; NULL with its
 * message. */
RH_CHECKED const char *rh_program_output(struct rh_arena *a, const char *name, const char *const *arguments,
                                         struct rh_error *err);

/* Becomes it: it has the terminal, and its exit status is that of this process. Returns with an error only.
 */
void rh_program_become(const char *name, const char *const *arguments, struct rh_error *err);

/* The same of a program of the system, which is looked up in PATH. */
void rh_program_exec(const char *program, const char *const *arguments, struct rh_error *err);

#endif
