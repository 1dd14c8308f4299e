/* SPDX-License-Identifier: Apache-2.0 */
/* ended - how a process of a unit ended, and what the result of a service means, in words. */
#ifndef SERVICE_SYSTEMD_ENDED_H
#define SERVICE_SYSTEMD_ENDED_H

#include <rhost/provider.h>

/* "WHO exited with status 3", or which signal killed it; `code` is one of CLD_... of waitid(2). In memory of
 * the call. */
const char *ended_how(rhost_ctx *ctx, const char *who, int code, int status);

/* What systemd means by this result of a service ("timeout"); NULL: that it takes more to know it. */
const char *ended_means(const char *result);

#endif
