/* SPDX-License-Identifier: Apache-2.0 */
/* others - what other files of apt say of repositories and keys. */
#ifndef APT_REPOSITORY_OTHERS_H
#define APT_REPOSITORY_OTHERS_H

#include <rhost/provider.h>

/* Warns of each entry in sources.list and *.list below `root` for one of these URIs and suites. */
void others_warn(rhost_ctx *ctx, const char *root, const rhost_value *types, const rhost_value *uris,
                 const rhost_value *suites);

/* Whether a file that lists repositories, other than `but`, mentions this path. */
int others_mention(rhost_ctx *ctx, const char *root, const char *but, const char *path);

#endif
