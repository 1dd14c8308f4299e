/* SPDX-License-Identifier: Apache-2.0 */
/* output - what a command printed: in the log, or as the reason why it failed. */
#ifndef EXEC_OUTPUT_H
#define EXEC_OUTPUT_H

#include <rhost/exec.h>
#include <rhost/provider.h>

/* Whether anything in a value is sensitive. Output may repeat what the command was given. */
int output_has_secret(const rhost_value *v);

/* Logs the last lines: for --verbose, reports and the journal. Not for output with a secret in it. */
void output_log(rhost_ctx *ctx, const struct rhost_output *output);

/* Fails with the last lines, which mostly have the reason; [redacted] where `should` has a secret. -1. */
int32_t output_fail(rhost_ctx *ctx, const rhost_value *should, const struct rhost_output *output);

#endif
