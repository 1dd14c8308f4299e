/* SPDX-License-Identifier: Apache-2.0 */
/* kit - what the files of `rhost kit` share. */
#ifndef RH_CLI_KIT_H
#define RH_CLI_KIT_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_error;
struct rh_settings;

/* kit-program.c: runs the program that makes and checks kits, with these arguments after its name;
 * NULL-terminated. What it printed is the arena's; NULL with its message. */
const char *rh_kit_program(struct rh_arena *a, const char *const *arguments, struct rh_error *err);

/* kit-make.c: rhost kit make. The exit status. */
int rh_kit_command_make(struct rh_settings *settings);

#endif
