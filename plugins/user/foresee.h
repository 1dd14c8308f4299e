/* SPDX-License-Identifier: Apache-2.0 */
/* foresee - what the tools would refuse, said by a dry run. */
#ifndef USER_FORESEE_H
#define USER_FORESEE_H

#include "accounts.h"

#include <rhost/provider.h>

/* `current`: as load() reports it; NULL: there is no such user. 0, or -1 with the reason given. */
int foresee_user(rhost_ctx *ctx, const struct accounts *a, const rhost_value *name, const rhost_value *should,
                 const rhost_value *current);

#endif
