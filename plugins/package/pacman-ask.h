/* SPDX-License-Identifier: Apache-2.0 */
/* pacman-ask - questions to pacman that change nothing. Packages are those of rpms.h, without an
 * architecture. */
#ifndef PACKAGE_PACMAN_ASK_H
#define PACKAGE_PACMAN_ASK_H

#include "rpms.h"

/* All packages that are installed, or that the package lists have. -1 after fail(), also when the database is
 * damaged. */
int32_t pacman_installed(rhost_ctx *ctx, struct rpms *found);
int32_t pacman_listed(rhost_ctx *ctx, struct rpms *found);

/* The one of the repository that comes first; or NULL. */
const struct rpm *pacman_first(const struct rpms *listed, const char *name);

/* A source_query. */
int32_t pacman_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                               const char **why);

/* What pacman would install for a name that no package has: a package that provides it (or NULL), or those of
 * a group. -1 after fail(). */
int32_t pacman_means(rhost_ctx *ctx, const char *name, const char **provider, int *group);

/* The names and patterns of IgnorePkg. -1 after fail(). */
int32_t pacman_ignored(rhost_ctx *ctx, struct words *patterns);

/* What a trial printed, with the reasons, which pacman begins with "::", as lines of errors. */
const char *pacman_complaints(rhost_ctx *ctx, const char *printed);

/* The lines around each script that failed. */
const char *pacman_script_errors(rhost_ctx *ctx, const char *printed);

#endif
