/* SPDX-License-Identifier: Apache-2.0 */
/* settings - what a container was made with: read from the engine, and written for it. */
#ifndef CONTAINER_SETTINGS_H
#define CONTAINER_SETTINGS_H

#include "../container_image/engine.h"

/* Puts what the engine says of a container into `current`. What its image says by itself is left out, unless
 * `should` has it as well. 0, or -1 after fail(). */
int settings_read(const struct engine *e, const struct tree *container, const rhost_value *should,
                  rhost_value *current);

/* What the engine makes the container of a change from: what is wanted, or else what is there. */
const rhost_value *settings_body(rhost_ctx *ctx, const struct rhost_change *change);

#endif
