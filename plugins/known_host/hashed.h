/* SPDX-License-Identifier: Apache-2.0 */
/* hashed - names of hosts that known_hosts does not show: "|1|salt|hash". */
#ifndef KNOWN_HOST_HASHED_H
#define KNOWN_HOST_HASHED_H

#include <rhost/provider.h>

/* Whether this is a hashed name, and that of the host. */
int hashed_is(const char *text, size_t len, const char *host);

/* The name of the host with a new salt, in memory of the call; NULL after the reason was given. */
const char *hashed_make(rhost_ctx *ctx, const char *host);

#endif
