/* SPDX-License-Identifier: Apache-2.0 */
/* command - one change of a tree, or one condition on it, as text: set PATH VALUE. */
#ifndef RH_AUGEAS_COMMAND_H
#define RH_AUGEAS_COMMAND_H

#include <rhost/provider.h>

enum { COMMAND_WORDS = 5 };

struct command {
    const char *name;                 /* of the table: "set", "rm" */
    const char *kinds;                /* a letter for each of its words; see command.c */
    const char *words[COMMAND_WORDS]; /* without quotes; in memory of the call */
};

/* Takes a change apart. NULL, or what is wrong with it, as a text for messages. */
const char *command_parse(rhost_ctx *ctx, const char *text, struct command *c);

/* The same for a condition: match PATH size == N, match PATH include VALUE, get PATH == VALUE. */
const char *command_parse_condition(rhost_ctx *ctx, const char *text, struct command *c);

#endif
