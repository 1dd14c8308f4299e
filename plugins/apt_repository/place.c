/* SPDX-License-Identifier: Apache-2.0 */
/* place - where the files of a repository are. */

#include "place.h"

const char *
place_of(rhost_ctx *ctx, const char *root, const char *folder, const char *name, const char *suffix)
{
    return rhost_fmt(ctx, "%s/%s/%s%s", strcmp(root, "/") == 0 ? "" : root, folder, name, suffix);
}

const char *
place_of_sources(rhost_ctx *ctx, const char *root, const char *name)
{
    return place_of(ctx, root, "sources.list.d", name, ".sources");
}
