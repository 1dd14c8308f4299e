/* SPDX-License-Identifier: Apache-2.0 */
/* command - one change of a tree, or one condition on it: set PATH VALUE. */
#ifndef RH_AUGEAS_COMMAND_H
#define RH_AUGEAS_COMMAND_H

#include <rhost/provider.h>

enum { COMMAND_WORDS = 5 };

struct command {
    const char *name;                 /* of the table in command.c: "set", "rm" */
    const char *kinds;                /* a letter for each of its words; see command.c */
    const char *words[COMMAND_WORDS]; /* without quotes; in memory of the call */
};

/* Divides a change or a condition, which is a text or a list of words, into its words. Returns NULL when that
 * is done. Otherwise returns the reason, in memory of the call; it may quote the text. */
const char *command_parse(rhost_ctx *ctx, const rhost_value *text, int is_condition, struct command *c);

#endif
