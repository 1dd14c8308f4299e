/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories: what the tools may be given. */
#ifndef HOME_H
#define HOME_H

#include <rhost/provider.h>

/* Whether a directory exists: 1, 0, or -1 with errno when that cannot be known. */
int home_exists(rhost_ctx *ctx, const char *home);

/* The home directory of the account: what the manifest says, else what it is; for a new one, what useradd
 * would choose by HOME of /etc/default/useradd. Never NULL. */
const char *home_of(rhost_ctx *ctx, const struct rhost_change *change);

/* The skeleton that is copied to it: what the manifest says; for a new account, else SKEL of
 * /etc/default/useradd. Never NULL. */
const char *home_skel(rhost_ctx *ctx, const struct rhost_change *change);

/* The tools walk paths by name. So, before they make, move or chown a home directory: whether an ordinary
 * user could lead them elsewhere, and whether something is in the way of a move, and (`moves`, which may be
 * NULL) whether there is one. 0, or -1 after the reason was given. */
int32_t home_check(rhost_ctx *ctx, const struct rhost_change *change, int *moves);

/* Makes it when the manifest asks for it and it does not exist: as useradd does for a new account. 0, or -1
 * after the reason was given. */
int32_t home_make(rhost_ctx *ctx, const struct rhost_change *change);

#endif
