/* SPDX-License-Identifier: Apache-2.0 */
/* apt-lists - the package lists of apt: how old they are, and bringing them up to date. Also whether there is
 * an apt. */
#ifndef PACKAGE_APT_LISTS_H
#define PACKAGE_APT_LISTS_H

#include "latest.h"

/* For the slot `suits`. */
int32_t apt_suits(rhost_ctx *ctx);

/* Files whose locks are waited for before apt-get changes packages. */
extern const char *const apt_locks[];

/* A latest_refresh: apt-get update, where `refresh` of the resource says so, or the repositories have changed
 * since. */
latest_refresh apt_lists_refresh;

#endif
