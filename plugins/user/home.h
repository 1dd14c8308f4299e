/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories: what the tools may be given, and what is removed without them. */
#ifndef HOME_H
#define HOME_H

#include "accounts.h"

#include <rhost/provider.h>

/* Whether a directory exists: 1, 0, or -1 with errno when that cannot be known. */
int home_exists(rhost_ctx *ctx, const char *home);

/* The tools walk paths by name. So, before they make, move or chown a home directory: whether an ordinary
 * user could lead them elsewhere, and whether something is in the way of a move, and (`moves`, which may be
 * NULL) whether there is one. 0, or -1 after the reason was given. */
int32_t home_check(rhost_ctx *ctx, const struct rhost_change *change, int *moves);

/* Makes it when the manifest asks for it and it does not exist: as useradd does for a new account. 0, or -1
 * after the reason was given. */
int32_t home_make(rhost_ctx *ctx, const struct rhost_change *change);

/* A home directory that is to be removed. */
struct home_leaving {
    const char *home;
    int fd, dir;      /* itself, and the directory that it is in; -1: there is nothing to remove */
    const char *name; /* in that */
};

/* Opens it, and finds out whether it may go: it belongs to the account, is no other's home, and nothing is
 * mounted in it. To be called before the account is removed. 0, or -1 after the reason was given;
 * home_close() in any case. */
int32_t home_open(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change,
                  struct home_leaving *leaving);
void home_close(struct home_leaving *leaving);

/* Removes what was opened, and the mailbox, when the account has gone. 0, or -1 after the reason was given.
 */
int32_t home_remove(rhost_ctx *ctx, const struct rhost_change *change, const struct home_leaving *leaving);

#endif
