/* SPDX-License-Identifier: Apache-2.0 */
/* tool - firewall-cmd, and firewall-offline-cmd where firewalld does not run. */
#ifndef FIREWALLD_TOOL_H
#define FIREWALLD_TOOL_H

#include <rhost/provider.h>

/* Which program, and which configuration of firewalld. */
enum tool { TOOL_OFFLINE, TOOL_PERMANENT, TOOL_RUNNING };

enum tool_answer { TOOL_DONE, TOOL_NOT_RUNNING, TOOL_REFUSED };

/* 10 where firewalld is installed; else 0, with the reason given. */
int32_t tool_suits(rhost_ctx *ctx);

/* Runs the program with these options (NULL-terminated, at most 8), and `repeated`, of `n` values, behind
 * them. `reads`: it changes nothing. *out is what it printed, and *why of TOOL_REFUSED what was wrong, as an
 * operator needs it; where some of several values are refused, that is TOOL_REFUSED too. Both live as long as
 * the call. -1 where it could not be run, with the reason given. */
int32_t tool_run(rhost_ctx *ctx, enum tool tool, const char *const *options, const char *const *repeated,
                 size_t n, int reads, const char **out, const char **why);

const char *tool_name(enum tool tool);

#endif
