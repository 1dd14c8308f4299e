/* SPDX-License-Identifier: Apache-2.0 */
/* ufw - running the program. */
#ifndef UFW_UFW_H
#define UFW_UFW_H

#include <rhost/provider.h>

/* 10 where ufw is installed; else 0, with the reason given. */
int32_t ufw_suits(rhost_ctx *ctx);

/* Runs ufw with these arguments (NULL-terminated). *out, unless NULL, is what it printed, which lives as long
 * as the call. -1 with its reason given. */
int32_t ufw_run(rhost_ctx *ctx, const char *const *arguments, int reads, const char **out);

/* The same; `hint` is added to the reason where ufw fails. */
int32_t ufw_run_hint(rhost_ctx *ctx, const char *const *arguments, int reads, const char **out,
                     const char *hint);

#endif
