/* SPDX-License-Identifier: Apache-2.0 */
/* digest - digests beside the SHA-256 of <rhost/sha256.h>, of a text that is in memory. */
#ifndef RH_BASE_DIGEST_H
#define RH_BASE_DIGEST_H

#include <stddef.h>

enum { RH_MD5_TEXT = 33 }; /* 32 hexadecimal digits and a NUL */

void rh_md5(const void *text, size_t n, unsigned char bytes[16]);
void rh_md5_sum(const void *text, size_t n, char hex[RH_MD5_TEXT]);
void rh_sha1(const void *text, size_t n, unsigned char bytes[20]);
void rh_sha384(const void *text, size_t n, unsigned char bytes[48]);
void rh_sha512(const void *text, size_t n, unsigned char bytes[64]);

#endif
