/* SPDX-License-Identifier: Apache-2.0 */
/* rich - the one form of rules in the rich language of firewalld. */
#ifndef FIREWALLD_RICH_H
#define FIREWALLD_RICH_H

#include <rhost/provider.h>

/* The rich rule in the form in which firewalld lists it: elements and their values in a fixed order, values
 * in quotes. NULL with *why where it is no rule that firewalld takes. Both live as long as the call. */
const char *rich_canonical(rhost_ctx *ctx, const char *text, const char **why);

#endif
