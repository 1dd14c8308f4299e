/* SPDX-License-Identifier: Apache-2.0 */
/* apply - bring units of users to their state, those of one user at once. */
#ifndef USER_SERVICE_APPLY_H
#define USER_SERVICE_APPLY_H

#include "account.h"

enum { APPLY_LIMIT = 300 }; /* seconds that a job may take, where nothing else is said */

/* As set(): what can't be brought there fails, each for itself. `started` is told each unit that was started.
 */
int32_t apply_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n,
                  void (*started)(rhost_ctx *ctx, const rhost_value *name));

/* An action on one of them: a verb of systemctl. */
int32_t apply_act(rhost_ctx *ctx, const struct rhost_change *change, const char *verb);

#endif
