/* SPDX-License-Identifier: Apache-2.0 */
/* missing-type - what to do about a type that is not here. */
#ifndef RH_MANIFEST_LOAD_MISSING_TYPE_H
#define RH_MANIFEST_LOAD_MISSING_TYPE_H

#include <stdbool.h>

/* Whether rhost's own plugins have it, installed or not. */
bool rh_missing_type_own(const char *type);

/* A hint for who names the type `type`. `best`, or NULL, is one that is here, and may have been meant; one
 * of rhost's own is more likely not installed than mistyped. The caller frees it. */
char *rh_missing_type_hint(const char *type, const char *best);

#endif
