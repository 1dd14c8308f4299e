/* SPDX-License-Identifier: Apache-2.0 */
/* owner - which distribution this machine has, where two package managers could serve it. */
#ifndef PACKAGE_OWNER_H
#define PACKAGE_OWNER_H

/* Whether os-release has this word as its ID or in its ID_LIKE, alone or before a '-' ("opensuse-leap" is
 * "opensuse"). */
int owner_is_like(const char *word);

#endif
