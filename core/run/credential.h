/* SPDX-License-Identifier: Apache-2.0 */
/* credential - secrets that systemd keeps, in files that this machine alone can read. */
#ifndef RH_RUN_CREDENTIAL_H
#define RH_RUN_CREDENTIAL_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_arena;
struct rh_error;

/* The text that `systemd-creds encrypt` made a credential of, whose file is called `name`: the
 * arena's, which holds a secret then. NULL with the reason. */
RH_CHECKED const char *rh_credential_decrypt(struct rh_arena *a, const char *name, const void *credential,
                                             size_t n, size_t *length, struct rh_error *err);

#endif
