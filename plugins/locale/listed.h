/* SPDX-License-Identifier: Apache-2.0 */
/* listed - lines of /etc/locale.gen, by which locale-gen(8) of Debian makes all locales anew. */
#ifndef LOCALE_LISTED_H
#define LOCALE_LISTED_H

#include <rhost/lines.h>

/* Whether a line that is no comment has the locale. */
int listed_has(rhost_ctx *ctx, const struct rhost_lines *l, const char *name);

/* Has a line with the locale: one that is a comment loses its mark, and else there is a new one. */
void listed_add(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *charset);

/* Each line with the locale becomes a comment. */
void listed_remove(rhost_ctx *ctx, struct rhost_lines *l, const char *name);

#endif
