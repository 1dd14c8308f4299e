/* SPDX-License-Identifier: Apache-2.0 */
/* tool - running the package manager: what is common to all of its commands. */
#ifndef PACKAGE_TOOL_H
#define PACKAGE_TOOL_H

#include "words.h"

#include <rhost/exec.h>

enum { LARGEST_OUTPUT = 16 << 20 };

/* Runs a command that only reads, or tries something without doing it (tool_try), or changes something
 * within so many seconds (tool_act). Its environment says that nobody is there to be asked. Error
 * output goes to `err` with tool_read, and into `out` with the others. 0 when it ran, whatever its
 * status; -1 after fail(), which tool_read also calls when a signal ended it: half of an output is no answer.
 */
int32_t tool_read(rhost_ctx *ctx, const struct words *argv, struct rhost_output *out);
int32_t tool_try(rhost_ctx *ctx, const struct words *argv, const char *input, struct rhost_output *out);
int32_t tool_act(rhost_ctx *ctx, const struct words *argv, const char *input, int64_t seconds,
                 struct rhost_output *out);

/* A copy of an output that may be cut into lines. */
char *tool_text(rhost_ctx *ctx, const char *text);

/* Adds these words to an argument vector. */
#define tool_words(ctx, w, ...) tool_words_(ctx, w, (const char *const[]){ __VA_ARGS__, NULL })
void tool_words_(rhost_ctx *ctx, struct words *w, const char *const *words);

/* Whether a program is there to be run, looked for where the host looks. */
int tool_is_there(const char *name);

/* Waits until nobody holds any of these lock files (NULL-terminated; what ends in .pid names the
 * process that has it; what ends in .lck is a lock while it exists), telling who does and for how long we
 * wait. 0, or -1 with `why` when it takes longer than so many seconds. */
int tool_wait(rhost_ctx *ctx, const char *const *files, int64_t seconds, const char **why);

#endif
