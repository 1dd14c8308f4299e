/* SPDX-License-Identifier: Apache-2.0 */
/* rule - the one rule of a file in sudoers.d: read, and written. */
#ifndef RH_SUDO_RULE_RULE_H
#define RH_SUDO_RULE_RULE_H

#include <rhost/provider.h>

/* The tags of sudoers(5), as a data type lists them. */
#define RULE_TAGS                                                                                            \
    "'EXEC', 'NOEXEC', 'FOLLOW', 'NOFOLLOW', 'LOG_INPUT', 'NOLOG_INPUT', 'LOG_OUTPUT', 'NOLOG_OUTPUT', "     \
    "'MAIL', 'NOMAIL', 'INTERCEPT', 'NOINTERCEPT', 'PASSWD', 'NOPASSWD', 'SETENV', 'NOSETENV'"

/* Reads a text that has one rule, and beside it only comments, and puts users, hosts, run_as, run_as_groups,
 * tags and commands into `current`. 0, or -1: the text is another one. */
int rule_read(rhost_ctx *ctx, const char *text, rhost_value *current);

/* The text of a file with the rule of a change, in memory of the call. Of `before`, a text that rule_read()
 * has read, it keeps the comments; NULL: there is none. */
const char *rule_write(rhost_ctx *ctx, const struct rhost_change *change, const char *before);

/* What is wrong with one element of this attribute, as a text for messages, in memory of the call; NULL:
 * nothing is. What passes is one element to sudo as well, and begins no other rule, comment or include. */
const char *rule_check(rhost_ctx *ctx, const char *attribute, const char *text);

#endif
