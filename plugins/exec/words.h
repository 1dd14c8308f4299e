/* SPDX-License-Identifier: Apache-2.0 */
/* words - a command written as one string, split as sh would, with no sh behind it. */
#ifndef EXEC_WORDS_H
#define EXEC_WORDS_H

#include <rhost/provider.h>

/* Splits at blanks; quotes and backslashes work as in sh. Whatever else means something to a
 * shell is refused, not taken literally: who writes it expects a shell. The result is
 * NULL-terminated; NULL after the reason was given, naming `attribute`. */
const char **words_split(rhost_ctx *ctx, const char *attribute, const char *text, size_t *n);

/* Refuses an argument list with an operator of the shell as an argument of its own, which no shell will see:
 * [a, "|", b]. 0, or -1 with the reason given. */
int words_check_list(rhost_ctx *ctx, const char *attribute, const rhost_value *list);

#endif
