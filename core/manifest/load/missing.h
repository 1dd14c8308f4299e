/* SPDX-License-Identifier: Apache-2.0 */
/* missing - what to do about a manifest that can't be read. */
#ifndef RH_MANIFEST_LOAD_MISSING_H
#define RH_MANIFEST_LOAD_MISSING_H

/* A hint: the file that was meant, or what to name instead of a directory. NULL when there is
 * nothing to say; the caller's. */
char *rh_missing_hint(const char *file);

#endif
