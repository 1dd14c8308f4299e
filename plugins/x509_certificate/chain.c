/* SPDX-License-Identifier: Apache-2.0 */
/* chain - files with certificates in PEM, one or several. */

#include "chain.h"

#include <rhost/path.h>

#include <openssl/err.h>
#include <openssl/pem.h>

void
chain_free(STACK_OF(X509) * certificates)
{
    sk_X509_pop_free(certificates, X509_free);
}

/* How many: 0 when there is none; -1 when one is damaged, or memory is out. */
static int
take_all(BIO *bio, STACK_OF(X509) * all)
{
    int n = 0;
    X509 *x;

    while ((x = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        if (sk_X509_push(all, x) <= 0) {
            X509_free(x);
            return -1;
        }
        n++;
    }
    return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? n : -1;
}

int
chain_read(rhost_ctx *ctx, const char *path, uint64_t flags, STACK_OF(X509) * *certificates, struct stat *st)
{
    BIO *bio = NULL;
    int found = crypto_read(ctx, path, flags, &bio, st), n;
    STACK_OF(X509) * all;

    if (found <= 0)
        return found;
    all = sk_X509_new_null();
    ERR_clear_error();
    n = all ? take_all(bio, all) : -1;
    (void)BIO_free(bio);
    if (n > 0) {
        ERR_clear_error();
        *certificates = all;
        return 1;
    }
    chain_free(all);
    return crypto_fail(ctx, "cannot read a certificate in PEM from", path);
}

int
chain_read_all(rhost_ctx *ctx, const rhost_value *paths, STACK_OF(X509) * *certificates)
{
    STACK_OF(X509) *all = sk_X509_new_null();
    int result = all ? 1 : rhost_fail(ctx, "out of memory");

    for (size_t i = 0; i < rhost_count(paths) && result > 0; i++) {
        const char *path = rhost_str_at(paths, i);
        STACK_OF(X509) *some = NULL;
        struct stat st;
        X509 *x;

        result = chain_read(ctx, path, RHOST_PATH_FOLLOW, &some, &st);
        if (result == 0)
            result = rhost_fail_attr(ctx, "chain", "'%s' does not exist", path);
        while (result > 0 && (x = sk_X509_shift(some)))
            if (sk_X509_push(all, x) <= 0) {
                X509_free(x);
                result = rhost_fail(ctx, "out of memory");
            }
        chain_free(some);
    }
    if (result > 0)
        *certificates = all;
    else
        chain_free(all);
    return result;
}

int
chain_follows(const STACK_OF(X509) * certificates, const STACK_OF(X509) * others)
{
    int n = sk_X509_num(others);

    if (sk_X509_num(certificates) != n + 1)
        return 0;
    for (int i = 0; i < n; i++)
        if (X509_cmp(sk_X509_value(certificates, i + 1), sk_X509_value(others, i)) != 0)
            return 0;
    return 1;
}
