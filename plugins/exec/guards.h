/* SPDX-License-Identifier: Apache-2.0 */
/* guards - whether the command of a resource is to be run. */
#ifndef EXEC_GUARDS_H
#define EXEC_GUARDS_H

#include <rhost/provider.h>

/* 1: the command is to be run; 0: it isn't; -1: a guard could not be asked, after fail(). Changes nothing. */
int32_t guards_ask(rhost_ctx *ctx, const rhost_value *should);

/* Refuses guards and commands that could not be split, or have an operator of the shell in them. 0, or -1
 * after fail(). */
int32_t guards_check(rhost_ctx *ctx, const rhost_value *resource);

/* Whether anything is at the path, links followed. */
int guards_exists(const char *path);

#endif
