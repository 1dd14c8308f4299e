/* SPDX-License-Identifier: Apache-2.0 */
/* ask-password - a password from the terminal. */
#ifndef RH_CLI_ASK_PASSWORD_H
#define RH_CLI_ASK_PASSWORD_H

#include "base/cleanup.h"

struct rh_error;

/* Asks on the controlling terminal, which does not show what is typed. A signal that ends or stops rhost
 * meanwhile does so after the terminal is as it was; after a stop it asks again. Returns the line without its
 * end, the caller's to overwrite and free; NULL with an error when there is no terminal, or no line. */
RH_CHECKED char *rh_ask_password(const char *prompt, struct rh_error *err);

#endif
