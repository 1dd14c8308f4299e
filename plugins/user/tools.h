/* SPDX-License-Identifier: Apache-2.0 */
/* tools - the system's own tools for accounts, run one at a time, and what they leave in the files. */
#ifndef TOOLS_H
#define TOOLS_H

#include "accounts.h"

#include <rhost/provider.h>

/* The attribute that both types have for it. */
#define TOOLS_LOCK_WAIT                                                                                      \
    {                                                                                                        \
        .name = "lock_wait", .type = "Integer[0, 86400]", .behaviour = RHOST_PARAMETER,                      \
        .default_value = "60",                                                                               \
        .desc = "Seconds to wait while somebody else has the account databases locked."                      \
    }

enum { TOOLS_WORDS = 48 };

struct tools_command {
    const char *words[TOOLS_WORDS + 1]; /* NULL-terminated */
    size_t n;
    const char *input; /* a line for its standard input, or NULL */
};

void tools_word(struct tools_command *c, const char *word);
/* An option with its value, when there is one. */
void tools_option(struct tools_command *c, const char *option, const char *value);
/* The texts of an array with commas between; "" for none. */
const char *tools_list(rhost_ctx *ctx, const rhost_value *array);
const char *tools_number(rhost_ctx *ctx, int64_t n);

/* Runs it, when nobody else has the databases locked: who has is told in a warning, and waited for as
 * long as `lock_wait` of the change says. 0; or -1 with the tool's own message as the reason. */
int32_t tools_run(rhost_ctx *ctx, const struct rhost_change *change, const struct tools_command *c);

/* The databases as they are now; read again when somebody has changed them. They live until the next
 * call of tools_accounts() or tools_run(). NULL after the reason was given. */
const struct accounts *tools_accounts(rhost_ctx *ctx);
void tools_close(rhost_ctx *ctx); /* for the slot `close` */

#endif
