/* SPDX-License-Identifier: Apache-2.0 */
/* chain - files with certificates in PEM, one or several. */
#ifndef X509_CERTIFICATE_CHAIN_H
#define X509_CERTIFICATE_CHAIN_H

#include "../x509_key/crypto.h"

#include <openssl/x509.h>

/* Reads all certificates of a file. 1 and *certificates, at least one, for chain_free(); 0: the file does not
 * exist; or -1 with the reason given. */
int chain_read(rhost_ctx *ctx, const char *path, uint64_t flags, STACK_OF(X509) * *certificates,
               struct stat *st);

/* Those of several files, whose paths are the list, one after the other. 1; or -1 with the reason given. */
int chain_read_all(rhost_ctx *ctx, const rhost_value *paths, STACK_OF(X509) * *certificates);
void chain_free(STACK_OF(X509) * certificates);

/* Whether what follows the first one of `certificates` is `others`. */
int chain_follows(const STACK_OF(X509) * certificates, const STACK_OF(X509) * others);

#endif
