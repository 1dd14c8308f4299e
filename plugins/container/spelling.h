/* SPDX-License-Identifier: Apache-2.0 */
/* spelling - ports and volumes in one form each. */
#ifndef CONTAINER_SPELLING_H
#define CONTAINER_SPELLING_H

#include <rhost/provider.h>

/* [IP:]PORT:PORT-INSIDE[/udp] */
#define PORT_TYPE                                                                                            \
    "Pattern[/\\A(([0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-fA-F:]+\\]):)?[0-9]{1,5}:[0-9]{1,5}"                \
    "(\\/(tcp|udp|sctp))?\\z/]"

/* SOURCE:PATH-INSIDE[:ro] */
#define VOLUME_TYPE "Pattern[/\\A(\\/[^:]*|[A-Za-z0-9][A-Za-z0-9_.-]*):\\/[^:]*(:(ro|rw))?\\z/]"

/* "0.0.0.0:" and "/tcp" are what it is without them. */
const char *spelling_port(rhost_ctx *ctx, const char *text);

/* Without more options than "ro". NULL: a volume without a name, which the engine made for the image. */
const char *spelling_volume(rhost_ctx *ctx, const char *text);

#endif
