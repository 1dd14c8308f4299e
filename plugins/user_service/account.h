/* SPDX-License-Identifier: Apache-2.0 */
/* account - the user whose units they are, and whether its manager is started with the machine (lingering).
 */
#ifndef USER_SERVICE_ACCOUNT_H
#define USER_SERVICE_ACCOUNT_H

#include "../service-systemd/systemctl.h"

struct account {
    struct systemctl_owner owner;
    int exists;
    int booted;     /* systemd runs this machine, and we are not in an image */
    int has_folder; /* /run/user/UID exists: a manager runs, starts or ends */
};

/* Looks it up. -1 after the reason was given: that can't be told. */
int account_find(rhost_ctx *ctx, const char *user, struct account *a);

/* Whether it lingers. */
int account_lingers(const struct account *a);

/* Has logind enable or disable lingering, and where it is enabled wait until the manager runs. NULL when that
 * is done, or why it is not, in memory of the call. */
const char *account_linger(rhost_ctx *ctx, struct account *a, int enable);

/* Calls for each account that lingers or has a manager; who is not root sees only itself. -1: as it did, or
 * after the reason was given. */
int account_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, struct account *a));

#endif
