/* SPDX-License-Identifier: Apache-2.0 */
/* zypper-locks - the packages that zypper leaves at their version: /etc/zypp/locks, see locks(5). */
#ifndef PACKAGE_ZYPPER_LOCKS_H
#define PACKAGE_ZYPPER_LOCKS_H

#include "rpms.h"

struct zypper_lock {
    const char *name, *match; /* what it says of names, and how those are compared */
    int any_case;
};

struct zypper_locks {
    struct zypper_lock *at;
    size_t n;
};

/* Locks of packages in all of their versions. Those of one version or one repository are none that `held`
 * speaks of, and zypper itself says so when they are in the way. -1 after fail(). */
int32_t zypper_locks_read(rhost_ctx *ctx, struct zypper_locks *locks);

/* The lock that covers a package of that name, or NULL. */
const struct zypper_lock *zypper_locks_find(const struct zypper_locks *locks, const char *name);

/* Adds or removes the locks of these names. -1 after fail(). */
int32_t zypper_locks_set(rhost_ctx *ctx, const struct words *names, int held);

#endif
