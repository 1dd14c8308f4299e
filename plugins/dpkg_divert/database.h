/* SPDX-License-Identifier: Apache-2.0 */
/* database - what dpkg keeps of diversions: three lines for each, the path, where the file of the package
 * goes, and the package whose own file is not diverted, or ":". */
#ifndef DPKG_DIVERT_DATABASE_H
#define DPKG_DIVERT_DATABASE_H

#include <rhost/provider.h>

/* The holder of a diversion that is of no package. */
#define LOCAL "LOCAL"

struct diversion {
    const char *path, *to, *holder;
};

/* All diversions, in memory of the call, of the database in this directory; none if there is no such file. 0;
 * or -1 with the reason given. */
int32_t database_read(rhost_ctx *ctx, const char *admin_dir, struct diversion **all, size_t *n);

/* That of `path`, or NULL. */
const struct diversion *database_find(const struct diversion *all, size_t n, const char *path);

#endif
