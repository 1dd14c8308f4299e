/* SPDX-License-Identifier: Apache-2.0 */
/* login - who has logged in and runs this, also where sudo or su made him root. */
#ifndef LOGIN_H
#define LOGIN_H

#include <stddef.h>
#include <stdint.h>

enum { LOGINS = 16 };

/* The numbers of these accounts: of the login that the kernel notes, and of the processes that this one
 * descends from. Fills in at most LOGINS and returns how many. Where /proc does not show them, there are
 * none. */
size_t login_find(uint32_t logins[LOGINS]);

/* Whether the number is one of them. */
int login_has(const uint32_t *logins, size_t n, uint32_t uid);

#endif
