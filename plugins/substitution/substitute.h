/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - a text with all matches of a regular expression replaced. */
#ifndef SUBSTITUTION_SUBSTITUTE_H
#define SUBSTITUTION_SUBSTITUTE_H

#include <rhost/provider.h>

struct substituted {
    char *text; /* the result, for free(), with a NUL behind it */
    size_t len;
    size_t matches;
};

/* Checks `match`, `replacement`, `from` and `to` of a resource, those that it has: -1 after the reason was
 * given. */
int substitute_check(rhost_ctx *ctx, const rhost_value *resource);

/* Replaces in a text what the resource says. 0; or -1 with the reason in *why (memory of the call) and the
 * attribute at fault in *attribute. Without `replacement` the text stays, and the matches are counted. */
int substitute_make(rhost_ctx *ctx, const rhost_value *wanted, const char *text, size_t len,
                    struct substituted *result, const char **attribute, const char **why);

/* The number of the first line in which two texts differ, from 1, and where it is in both. */
size_t substitute_first(const char *a, size_t a_len, const char *b, size_t b_len, size_t *at);

#endif
