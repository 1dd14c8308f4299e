/* SPDX-License-Identifier: Apache-2.0 */
/* crypto - what the types of X.509 share: libcrypto without its configuration file, and PEM files. */
#ifndef X509_KEY_CRYPTO_H
#define X509_KEY_CRYPTO_H

#include <rhost/provider.h>

#include <openssl/bio.h>
#include <sys/stat.h>

/* To be called first in each callback that uses libcrypto, unless crypto_read() is. 0; or -1 with the reason
 * given. */
int32_t crypto_open(rhost_ctx *ctx);

/* As rhost_fail(), with the reason of the last function of libcrypto behind the text. */
int crypto_fail(rhost_ctx *ctx, const char *doing, const char *path);

/* A regular file of at most 1 MiB, as a BIO over memory of the call. `flags` are those of rhost/path.h. 1; 0:
 * it does not exist; or -1 with the reason given. */
int crypto_read(rhost_ctx *ctx, const char *path, uint64_t flags, BIO **bio, struct stat *st);

/* Writes what the BIO has in the place of the file, or where nothing is, with the mode, owner and group that
 * are desired. `secret`: a new file has 0600. 0; or -1 with the reason given. */
int32_t crypto_write(rhost_ctx *ctx, const struct rhost_change *change, BIO *bio, int secret);

/* Sets the mode, owner and group of the file as it is. */
int32_t crypto_adjust(rhost_ctx *ctx, const struct rhost_change *change);

/* Removes the file of the resource. */
int32_t crypto_remove(rhost_ctx *ctx, const struct rhost_change *change);

/* What load() answers of a file that does not exist: RHOST_ABSENT, or -1 with the reason given. */
int32_t crypto_absent(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should);

/* Whether a change of this attribute is desired. */
int crypto_differs(const struct rhost_change *change, const char *attribute);

/* Under noop: the file that the attribute names exists, or a resource of the manifest creates it. 1: it
 * exists; 0: it will; -1 with the reason given. */
int crypto_foresee(rhost_ctx *ctx, const rhost_value *should, const char *attribute);

#endif
