/* SPDX-License-Identifier: Apache-2.0 */
/* login - the token that requests are made with. */
#ifndef VAULT_LOGIN_H
#define VAULT_LOGIN_H

#include "client.h"

/* Sets the token of the client: that of `token_file`, or the one of an AppRole, which is asked for once in a
 * run. 0, or -1 with the reason given. */
int32_t login(struct client *c, const rhost_value *parameters);

#endif
