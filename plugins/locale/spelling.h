/* SPDX-License-Identifier: Apache-2.0 */
/* spelling - names of locales: language, codeset and modifier. */
#ifndef LOCALE_SPELLING_H
#define LOCALE_SPELLING_H

#include <rhost/provider.h>

/* The name with the codeset as people write it: "de_DE.utf8" is "de_DE.UTF-8"; in memory of the call. */
const char *spelling_tidy(rhost_ctx *ctx, const char *name);

/* Whether both name one locale: the C library ignores case and signs in a codeset. */
int spelling_same(const char *a, const char *b);

/* "de_DE.UTF-8@euro" has the codeset "UTF-8", and without it is "de_DE@euro"; in memory of the call. "": it
 * has none. */
const char *spelling_codeset(rhost_ctx *ctx, const char *name);
const char *spelling_without_codeset(rhost_ctx *ctx, const char *name);

#endif
