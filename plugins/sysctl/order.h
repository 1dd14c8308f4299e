/* SPDX-License-Identifier: Apache-2.0 */
/* order - which of the files of sysctl.d(5) counts at boot. */
#ifndef SYSCTL_ORDER_H
#define SYSCTL_ORDER_H

#include <rhost/provider.h>

/* A file that is read after `target` and gives the key another value than this one, and that value, tidy; in
 * memory of the call. NULL: none does, or the target is not one of those files; or *failed is set, after the
 * reason was given. */
const char *order_overridden(rhost_ctx *ctx, const char *target, const char *key, const char *value,
                             const char **other, int *failed);

#endif
