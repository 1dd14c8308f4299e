/* SPDX-License-Identifier: Apache-2.0 */
/* authority - the certificates by which machines show who they are: a small authority of one's own, in a
 * directory. Web servers read its ca.pem and crl.pem, and the collector its revoked. */
#ifndef RH_FLEET_AUTHORITY_H
#define RH_FLEET_AUTHORITY_H

#include "base/cleanup.h"

#include <stdint.h>

struct rh_error;

/* Makes the directory, a key and its certificate, which lasts so many seconds. One that is there stays, and
 * is an error. */
RH_CHECKED int rh_authority_make(const char *directory, int64_t lasts, struct rh_error *err);

struct rh_enrolment {
    const char *authority; /* its directory */
    const char *host;
    const char *request; /* a file with a PKCS #10 request, whose key is certified; NULL: a key is made */
    const char *output;  /* a directory for HOST.pem, and HOST.key */
    int64_t lasts;       /* seconds */
};

/* Issues a certificate for the host. Of a request only the key counts: the subject and all else is said here.
 * A host that was revoked is none any more; its old certificates stay revoked. */
RH_CHECKED int rh_authority_enrol(const struct rh_enrolment *e, struct rh_error *err);

/* Revokes all certificates of the host. */
RH_CHECKED int rh_authority_revoke(const char *directory, const char *host, struct rh_error *err);

#endif
