/* SPDX-License-Identifier: Apache-2.0 */
/* rule - the one rule of a file in sudoers.d: read, and written. */
#ifndef RH_SUDO_RULE_RULE_H
#define RH_SUDO_RULE_RULE_H

#include <rhost/provider.h>

/* Reads a text that has one rule, and beside it only comments, and puts users, hosts, run_as, run_as_groups,
 * tags and commands into `current`. 0, or -1: the text is another one. */
int rule_read(rhost_ctx *ctx, const char *text, rhost_value *current);

/* The text of a file with the rule of a change, in memory of the call. */
const char *rule_write(rhost_ctx *ctx, const struct rhost_change *change);

/* What is wrong with one element of this attribute, as a text for messages; NULL: nothing is. */
const char *rule_check(rhost_ctx *ctx, const char *attribute, const char *text);

#endif
