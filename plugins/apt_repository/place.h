/* SPDX-License-Identifier: Apache-2.0 */
/* place - where the files of a repository are. */
#ifndef APT_REPOSITORY_PLACE_H
#define APT_REPOSITORY_PLACE_H

#include <rhost/provider.h>

#define PLACE_ROOT "/etc/apt"

/* In memory of the call: a file in a folder below `root`, and the one that lists the repository. */
const char *place_of(rhost_ctx *ctx, const char *root, const char *folder, const char *name,
                     const char *suffix);
const char *place_of_sources(rhost_ctx *ctx, const char *root, const char *name);

#endif
