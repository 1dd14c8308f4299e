/* SPDX-License-Identifier: Apache-2.0 */
/* pacman-version - which of two versions of pacman is the newer one. */
#ifndef PACKAGE_PACMAN_VERSION_H
#define PACKAGE_PACMAN_VERSION_H

/* [EPOCH:]VERSION[-RELEASE], as vercmp(8) compares them: below, equal to or above 0. */
int pacman_version_compare(const char *a, const char *b);

#endif
