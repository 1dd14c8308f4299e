/* SPDX-License-Identifier: Apache-2.0 */
/* kit - what the files of `rhost kit` share. */
#ifndef RH_CLI_KIT_H
#define RH_CLI_KIT_H

struct rh_settings;

/* kit-make.c: rhost kit make. The exit status. */
int rh_kit_command_make(struct rh_settings *settings);

#endif
