/* SPDX-License-Identifier: Apache-2.0 */
/* hash - what a password file keeps of a password, by libcrypt. */
#ifndef RH_HTPASSWD_HASH_H
#define RH_HTPASSWD_HASH_H

#include <rhost/provider.h>

/* What libcrypt takes, in bytes, and what bcrypt heeds of it. */
enum { HASH_PASSWORD_MAX = 511, HASH_BCRYPT_MAX = 72 };

/* The dearest hash that is made: the cost of bcrypt, and the rounds of the others. */
enum { HASH_COST_MAX = 16, HASH_ROUNDS_MAX = 1000000 };

/* "bcrypt", "sha256" or "sha512"; NULL: another scheme, or no hash at all. */
const char *hash_scheme(const char *hash);

/* The hash of a password with a new salt, in memory of the call. `scheme` is as above. `cost` is the binary
 * logarithm of the rounds of bcrypt, or the rounds of the others; 0: that of libcrypt. NULL after the reason
 * was given. */
const char *hash_make(rhost_ctx *ctx, const char *scheme, const char *password, unsigned long cost);

/* Whether it is the hash of this password: 1, 0, or -1 after the reason was given. It is 0 also for what only
 * compares a part of a password, or that libcrypt does not know: {SHA}, the MD5 of Apache, DES; and for what
 * is dearer than the above, which is not computed. */
int hash_matches(rhost_ctx *ctx, const char *hash, const char *password);

#endif
