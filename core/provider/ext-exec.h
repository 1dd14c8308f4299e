/* SPDX-License-Identifier: Apache-2.0 */
/* ext-exec - the extension rhost.exec/1, as <rhost/exec.h> promises it. */
#ifndef RH_PROVIDER_EXT_EXEC_H
#define RH_PROVIDER_EXT_EXEC_H

#include <rhost/abi.h>

/* The level at which commands are told of: that of debugging, and without the label of the block. */
enum { RH_LOG_COMMAND = 0x100 };

struct rhost_command;
struct rhost_exec;
struct rhost_output;

/* As run() of the extension does; `alive` (may be NULL) is called again and again while it runs. */
int32_t rh_exec_run(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
                    void (*alive)(rhost_ctx *ctx));

const struct rhost_exec *rh_ext_exec(void);

#endif
