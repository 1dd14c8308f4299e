/* SPDX-License-Identifier: Apache-2.0 */
/* twins - resources of one manifest that are about one key of one file, and would undo each other. */
#ifndef SSH_AUTHORIZED_KEY_TWINS_H
#define SSH_AUTHORIZED_KEY_TWINS_H

#include <rhost/clashes.h>
#include <rhost/provider.h>

/* The title of another one with the same key; NULL: there is none, or no manifest. Looks at all keys that the
 * manifest has when it is asked first. */
const char *twin_of(rhost_ctx *ctx, struct rhost_clashes *clashes, const rhost_value *name);

#endif
