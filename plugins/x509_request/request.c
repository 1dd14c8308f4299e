/* SPDX-License-Identifier: Apache-2.0 */
/* request - certificate signing requests: reading and making them. */

#include "request.h"

#include <openssl/pem.h>

int
request_read(rhost_ctx *ctx, const char *path, uint64_t flags, X509_REQ **request, struct stat *st)
{
    BIO *bio = NULL;
    int found = crypto_read(ctx, path, flags, &bio, st);

    if (found <= 0)
        return found;
    *request = PEM_read_bio_X509_REQ(bio, NULL, NULL, NULL);
    (void)BIO_free(bio);
    if (!*request)
        return crypto_fail(ctx, "cannot read a certificate request in PEM from", path);
    if (X509_REQ_verify(*request, X509_REQ_get0_pubkey(*request)) == 1)
        return 1;
    X509_REQ_free(*request);
    return crypto_fail(ctx, "the signature is wrong of the certificate request", path);
}

void
request_report(rhost_ctx *ctx, X509_REQ *request, rhost_value *current)
{
    STACK_OF(X509_EXTENSION) *all = X509_REQ_get_extensions(request);

    extensions_report(ctx, X509_REQ_get_subject_name(request), all, current);
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
}
