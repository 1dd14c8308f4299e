/* SPDX-License-Identifier: Apache-2.0 */
/* generated - the locales that programs can use, which localedef(1) makes from their sources. */
#ifndef LOCALE_GENERATED_H
#define LOCALE_GENERATED_H

#include <rhost/provider.h>

/* What locale(1) lists, each in its tidy spelling, in memory of the call; how many, or -1 after the reason
 * was given. */
ssize_t generated_list(rhost_ctx *ctx, const char ***names);

/* Whether one of them is this. */
int generated_has(const char *const *names, ssize_t n, const char *name);

/* The character set of a locale: as `charset` says, or its codeset, or as the C library's list says; NULL
 * after the reason was given. */
const char *generated_charset(rhost_ctx *ctx, const char *name, const char *charset);

/* Why it cannot be made: its source or its character set is not installed. In memory of the call; NULL: it
 * can. */
const char *generated_lacks(rhost_ctx *ctx, const char *name, const char *charset);

int32_t generated_make(rhost_ctx *ctx, const char *name, const char *charset);

/* `charset` may be NULL, as above. */
int32_t generated_remove(rhost_ctx *ctx, const char *name, const char *charset);

#endif
