/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories of accounts that exist. */
#ifndef HOME_H
#define HOME_H

#include <rhost/provider.h>

/* Makes it when the manifest asks for it and it does not exist: as useradd does for a new account. 0, or -1
 * after the reason was given. */
int32_t home_make(rhost_ctx *ctx, const struct rhost_change *change);

#endif
