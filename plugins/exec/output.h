/* SPDX-License-Identifier: Apache-2.0 */
/* output - what a command printed: in the log, or as the reason why it failed. */
#ifndef EXEC_OUTPUT_H
#define EXEC_OUTPUT_H

#include <rhost/exec.h>
#include <rhost/provider.h>

enum output_capture { CAPTURE_NO, CAPTURE_TEXT, CAPTURE_SENSITIVE };

/* Whether other resources can use the output. */
enum output_capture output_capture(const rhost_value *should);

/* Whether the output is shown nowhere: that is said, or something that the command was given is sensitive,
 * which output may repeat. */
int output_is_secret(const rhost_value *should);

/* Reports the exit status, and the output where it is captured, as what only the change knows. Output that is
 * not whole is a failure. What is no UTF-8, or has a NUL in it, is binary data. */
int32_t output_report(rhost_ctx *ctx, const rhost_value *should, const struct rhost_output *output);

/* Logs the last lines: for --verbose, reports and the journal. Not for output with a secret in it. */
void output_log(rhost_ctx *ctx, const struct rhost_output *output);

/* Fails with the last lines, which mostly have the reason; [redacted] where it is secret. -1. */
int32_t output_fail(rhost_ctx *ctx, const rhost_value *should, const struct rhost_output *output);

#endif
