/* SPDX-License-Identifier: Apache-2.0 */
/* sha256 - the digest of FIPS 180-4, so that this plugin needs nothing but the C library. */
#ifndef FILE_SHA256_H
#define FILE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_hex(struct sha256 *s, char hex[65]); /* ends it */

#endif
