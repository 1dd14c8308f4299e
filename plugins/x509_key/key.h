/* SPDX-License-Identifier: Apache-2.0 */
/* key - private keys: reading, making and describing them. */
#ifndef X509_KEY_KEY_H
#define X509_KEY_KEY_H

#include "crypto.h"

#include <openssl/evp.h>

struct key {
    EVP_PKEY *
        pkey; /* for key_free(); NULL: it could not be read without a passphrase, and nobody asked for more */
    int encrypted;
    struct stat st;
};

/* Reads the private key in a PEM file. `attribute` is the passphrase of `should` (NULL: somebody only looks).
 * 1; 0: the file does not exist; or -1 with the reason given. */
int key_read(rhost_ctx *ctx, const char *path, uint64_t flags, const rhost_value *should,
             const char *attribute, struct key *k);
void key_free(struct key *k);

/* A new key for these attributes: algorithm, size, curve. NULL with the reason given. */
EVP_PKEY *key_make(rhost_ctx *ctx, const rhost_value *should);

/* Reports algorithm, size, curve, public_key and fingerprint. -1 with the reason given. */
int32_t key_report(rhost_ctx *ctx, EVP_PKEY *pkey, rhost_value *current);

/* As PKCS #8 in PEM, encrypted where there is a passphrase. NULL when memory is out. */
BIO *key_text(EVP_PKEY *pkey, const char *passphrase);

/* The digest that this key signs with, NULL for those that need none. */
const EVP_MD *key_digest(EVP_PKEY *pkey, const rhost_value *should);

/* SHA-256 as 64 hexadecimal digits, in memory of the call. NULL when libcrypto can't. */
const char *key_sha256(rhost_ctx *ctx, const void *data, size_t len);

#endif
