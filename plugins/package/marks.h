/* SPDX-License-Identifier: Apache-2.0 */
/* marks - which packages apt takes for installed automatically, so that autoremove may remove them. */
#ifndef PACKAGE_MARKS_H
#define PACKAGE_MARKS_H

#include "deb.h"

struct marks {
    struct words automatic; /* "name:arch", sorted */
};

/* -1 after fail(). */
int32_t marks_read(rhost_ctx *ctx, struct marks *marks);

/* "auto" or "manual". */
const char *marks_of(const struct marks *marks, const struct debs *debs, const struct deb *deb);

/* After the transaction: marks what is not marked as it should be, with one call of apt-mark for each of the
 * two marks, and fails those for which that did not work. -1 after fail(). */
int32_t marks_set(rhost_ctx *ctx, struct jobs *jobs, const struct debs *now);

#endif
