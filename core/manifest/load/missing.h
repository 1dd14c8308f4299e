/* SPDX-License-Identifier: Apache-2.0 */
/* missing - what to do about a manifest that can't be read. */
#ifndef RH_MANIFEST_LOAD_MISSING_H
#define RH_MANIFEST_LOAD_MISSING_H

#include <stdbool.h>

/* A hint: the file that was meant, or what to name instead of a directory. NULL when there is
 * nothing to say; the caller's. */
char *rh_missing_hint(const char *file);

/* missing-type.c: what to do about a type that is not here. */

/* Whether rhost's own plugins have it, installed or not. */
bool rh_missing_type_own(const char *type);

/* A hint for who names the type `type`. `best`, or NULL, is one that is here, and may have been meant; one
 * of rhost's own is more likely not installed than mistyped. The caller frees it. */
char *rh_missing_type_hint(const char *type, const char *best);

#endif
