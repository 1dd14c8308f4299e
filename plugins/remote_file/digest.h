/* SPDX-License-Identifier: Apache-2.0 */
/* digest - SHA-256 and SHA-512 by libcrypto, which uses what the processor has for them. A digest is written
 * as "sha256:HEX". */
#ifndef REMOTE_FILE_DIGEST_H
#define REMOTE_FILE_DIGEST_H

#include <rhost/provider.h>

#define OPENSSL_API_COMPAT 10101 /* it calls them deprecated since */
#include <openssl/sha.h>

#define DIGEST_DEFAULT "sha256"

struct digest {
    const char *algorithm; /* "sha256" or "sha512" */
    union {
        SHA256_CTX sha256;
        SHA512_CTX sha512;
    } state;
};

/* The form "ALGORITHM:HEX", in lower case and in memory of the call, of a digest that may be without the
 * algorithm; NULL: it is none. */
const char *digest_canonical(rhost_ctx *ctx, const char *text);

/* The algorithm of a digest in this form. */
const char *digest_algorithm(const char *sum);

/* Begins, or begins anew. */
void digest_begin(struct digest *d, const char *algorithm);

void digest_add(struct digest *d, const void *bytes, size_t n);

/* Ends it: "ALGORITHM:HEX", in memory of the call. */
const char *digest_end(rhost_ctx *ctx, struct digest *d);

/* The digest of a whole file; or NULL with the reason given. */
const char *digest_file(rhost_ctx *ctx, const char *path, int fd, const char *algorithm);

#endif
