/* SPDX-License-Identifier: Apache-2.0 */
/* twins - resources of one manifest that are about one key of one file, and would undo each other. */
#ifndef SSH_AUTHORIZED_KEY_TWINS_H
#define SSH_AUTHORIZED_KEY_TWINS_H

#include <rhost/provider.h>

struct twins; /* heap memory, from open to close */

/* Looks at all keys that the manifest has; NULL where there is no manifest, or no twins. */
struct twins *twins_find(rhost_ctx *ctx);
void twins_free(struct twins *t);

/* The title of another one with the same key; NULL: none. */
const char *twins_of(const struct twins *t, const rhost_value *name);

#endif
