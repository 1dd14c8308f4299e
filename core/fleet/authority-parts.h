/* SPDX-License-Identifier: Apache-2.0 */
/* authority-parts - what the files of the authority share. */
#ifndef RH_FLEET_AUTHORITY_PARTS_H
#define RH_FLEET_AUTHORITY_PARTS_H

#include "base/cleanup.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_value;

static inline void
rh_cleanup_pkey(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}

static inline void
rh_cleanup_x509(X509 **certificate)
{
    X509_free(*certificate);
}
#define rh_autopkey __attribute__((cleanup(rh_cleanup_pkey)))
#define rh_autox509 __attribute__((cleanup(rh_cleanup_x509)))

/* An authority that is in use: its directory is locked. */
struct rh_authority {
    const char *directory;
    int lock;
    EVP_PKEY *key;
    X509 *certificate;
    struct rh_value *issued;  /* a list: {host, serial, until} */
    struct rh_value *revoked; /* a list: {host, serial, when} */
    int64_t list_number;      /* of the last list of revoked certificates */
};

/* authority-files.c */

/* Reads it; the values are the arena's. */
RH_CHECKED int rh_authority_open(struct rh_authority *x, struct rh_arena *a, const char *directory,
                                 struct rh_error *err);
void rh_authority_close(struct rh_authority *x);

/* Writes what was issued and revoked, and the names of hosts that have no certificate that counts. */
RH_CHECKED int rh_authority_save(const struct rh_authority *x, struct rh_error *err);

/* Takes the lock of the directory; -1 with an error. */
RH_CHECKED int rh_authority_lock(const char *directory, struct rh_error *err);

RH_CHECKED int rh_authority_put_key(const char *path, EVP_PKEY *key, struct rh_error *err);
RH_CHECKED int rh_authority_put_certificate(const char *path, X509 *certificate, struct rh_error *err);

/* Says what libcrypto says, after this. */
int rh_authority_fail(struct rh_error *err, const char *what);

/* certify.c */

EVP_PKEY *rh_certify_new_key(void); /* NULL: libcrypto fails */

/* A certificate for the key, signed by `issuer_key`; `issuer` NULL: by itself, and for an authority. NULL
 * where libcrypto fails. */
X509 *rh_certify(const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key, int64_t lasts);

/* revoke.c: the list of what is revoked, crl.pem. */
RH_CHECKED int rh_authority_put_list(struct rh_authority *x, struct rh_error *err);

#endif
