/* SPDX-License-Identifier: Apache-2.0 */
/* conflict - resources of one manifest that would undo each other, run after run. */
#ifndef LINE_CONFLICT_H
#define LINE_CONFLICT_H

#include <rhost/clashes.h>
#include <rhost/provider.h>

/* What the resource of this name collides with, for people; NULL: nothing, or there is no manifest. Looks at
 * all lines that the manifest wants when it is asked first. */
const char *conflict_of(rhost_ctx *ctx, struct rhost_clashes *clashes, const rhost_value *name);

#endif
