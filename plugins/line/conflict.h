/* SPDX-License-Identifier: Apache-2.0 */
/* conflict - resources of one manifest that would undo each other, run after run. */
#ifndef LINE_CONFLICT_H
#define LINE_CONFLICT_H

#include <rhost/provider.h>

struct conflicts; /* heap memory, from open to close */

/* Looks at all lines that the manifest wants; NULL where there is no manifest, or no conflict. */
struct conflicts *conflicts_find(rhost_ctx *ctx);
void conflicts_free(struct conflicts *c);

/* What the resource of this name collides with, for people; NULL: nothing. */
const char *conflicts_of(const struct conflicts *c, const rhost_value *name);

#endif
