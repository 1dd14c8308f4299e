/* SPDX-License-Identifier: Apache-2.0 */
/* template - what replaces a match: text with references to the groups of a regular expression, %0 to %9 and
 * %{name}. */
#ifndef LINE_TEMPLATE_H
#define LINE_TEMPLATE_H

#include "pattern.h"

/* The text as PCRE2 has it: %1 and %{name} become ${1} and ${name}. In memory of the call; NULL with the
 * reason in *why, when a '%' is no reference, or names a group that the expression does not have. */
const char *template_make(rhost_ctx *ctx, const struct pattern *p, const char *text, size_t *len,
                          const char **why);

/* What template_make() returned, with the groups of the first match of a compiled regular expression in the
 * line. 1 with the text in memory of the call; 0: the line does not match; -1: it took too many steps to
 * tell. */
int template_expand(rhost_ctx *ctx, const struct pattern *p, const char *template, size_t template_len,
                    const char *line, size_t len, const char **made, size_t *made_len);

#endif
