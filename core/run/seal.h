/* SPDX-License-Identifier: Apache-2.0 */
/* seal - encrypts what a run keeps of sensitive values, with a key that the operator gives.
 *
 * XChaCha20-Poly1305 of libsodium, and BLAKE2b for the key. What is encrypted names its purpose (`about`: the
 * run, the resource and the attribute), so that it cannot be decrypted as something else. */
#ifndef RH_RUN_SEAL_H
#define RH_RUN_SEAL_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_seal;

/* Reads the key from a file with at least 32 bytes, which only root and this user can read. A file whose name
 * ends with ".cred" is a credential of systemd-creds(1), and is decrypted. NULL with the reason. */
RH_CHECKED struct rh_seal *rh_seal_open(const char *path, struct rh_error *err);
void rh_seal_free(struct rh_seal *s); /* NULL is fine */

/* The encrypted bytes, `*length` of them: the caller's. NULL with the reason. */
RH_CHECKED char *rh_seal_encrypt(const struct rh_seal *s, const char *about, const void *p, size_t n,
                                 size_t *length, struct rh_error *err);

/* The bytes that were encrypted, with a NUL behind them: the arena's, which holds a secret then. NULL when
 * the key is another one, or `about`, or they were changed. */
RH_CHECKED char *rh_seal_decrypt(const struct rh_seal *s, const char *about, const void *p, size_t n,
                                 struct rh_arena *a, size_t *length, struct rh_error *err);

#endif
