/* SPDX-License-Identifier: Apache-2.0 */
/* image - images of an engine: what is there, and getting what is not. */
#ifndef CONTAINER_IMAGE_IMAGE_H
#define CONTAINER_IMAGE_IMAGE_H

#include "engine.h"

/* A reference: REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:DIGEST. */
#define IMAGE_TYPE                                                                                           \
    "Pattern[/\\A[a-z0-9][A-Za-z0-9._-]*(:[0-9]+)?(\\/[a-z0-9][a-z0-9._-]*)*"                                \
    "(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?\\z/]"

/* With a tag: ":latest" where it has none, and no digest. */
const char *image_whole_name(rhost_ctx *ctx, const char *name);

/* What the engine says of an image: 0; 1: there is none; -1 after fail(). */
int image_inspect(const struct engine *e, const char *name, struct engine_answer *a);

/* Has the engine pull it. 0, or -1 after fail(). */
int image_pull(const struct engine *e, const char *name);

/* Has the engine load all images of an archive of this machine. 0, or -1 after fail(). */
int image_load(const struct engine *e, const char *path);

#endif
