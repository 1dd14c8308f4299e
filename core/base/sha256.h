/* SPDX-License-Identifier: Apache-2.0 */
/* sha256 - the digest of FIPS 180-4: a hundred lines here cost less at each start than a library. */
#ifndef RH_BASE_SHA256_H
#define RH_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct rh_sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

void rh_sha256_init(struct rh_sha256 *s);
void rh_sha256_add(struct rh_sha256 *s, const void *p, size_t n);
void rh_sha256_hex(struct rh_sha256 *s, char hex[65]); /* ends it */

#endif
