/* SPDX-License-Identifier: Apache-2.0 */
/* issue - certificates: by whom they are signed, and how a new one is made. */
#ifndef X509_CERTIFICATE_ISSUE_H
#define X509_CERTIFICATE_ISSUE_H

#include "../x509_request/request.h"
#include "chain.h"

/* What a new certificate is made of. */
struct issue {
    X509_REQ *request; /* NULL: the attributes say what is in it */
    struct key key;    /* of the subject; pkey NULL: the request has the public one */
    X509 *ca;          /* NULL: it is self-signed, with `key` */
    struct key ca_key;
};

/* Reads what is desired: key, request, CA certificate, and for `signing` the key of the CA. 0; or -1 with the
 * reason given. issue_close() in any case. */
int32_t issue_open(rhost_ctx *ctx, const rhost_value *should, int signing, struct issue *i);
void issue_close(struct issue *i);

/* The public key of the subject, which goes with the issue; NULL: none is stated. */
EVP_PKEY *issue_public_key(const struct issue *i);

/* Signs a new certificate. NULL with the reason given. */
X509 *issue_make(rhost_ctx *ctx, const struct rhost_change *change, struct issue *i);

#endif
