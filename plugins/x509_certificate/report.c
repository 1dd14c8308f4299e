/* SPDX-License-Identifier: Apache-2.0 */
/* report - what a certificate is, as attributes. */

#include "report.h"

#include "../x509_key/key.h"
#include "../x509_request/extensions.h"

#include <openssl/bn.h>
#include <time.h>

enum { A_DAY = 86400 };

int64_t
report_remaining(const X509 *x)
{
    int days = 0, seconds = 0;

    /* NULL is now. */
    if (!ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(x)))
        return -1; /* a time that can't be read is as good as over */
    return (int64_t)days * A_DAY + seconds;
}

static void
put_time(rhost_value *current, const char *attribute, const ASN1_TIME *at)
{
    char text[40];
    struct tm tm;

    if (ASN1_TIME_to_tm(at, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        rhost_put_str(current, attribute, text);
}

static int32_t
put_serial(rhost_ctx *ctx, X509 *x, rhost_value *current)
{
    BIGNUM *n = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x), NULL);
    char *hex = n ? BN_bn2hex(n) : NULL;

    if (hex)
        rhost_put_str(current, "serial", hex);
    OPENSSL_free(hex);
    BN_free(n);
    return hex ? 0 : rhost_fail(ctx, "out of memory");
}

int32_t
report_certificate(rhost_ctx *ctx, X509 *x, rhost_value *current)
{
    unsigned char *der = NULL;
    int len = i2d_X509(x, &der);
    const char *sum = len > 0 ? key_sha256(ctx, der, (size_t)len) : NULL;

    OPENSSL_free(der);
    if (!sum)
        return rhost_fail(ctx, "out of memory");
    rhost_put_str(current, "fingerprint", sum);
    rhost_put_str(current, "issuer", subject_line(ctx, X509_get_issuer_name(x)));
    put_time(current, "not_before", X509_get0_notBefore(x));
    put_time(current, "not_after", X509_get0_notAfter(x));
    extensions_report(ctx, X509_get_subject_name(x), X509_get0_extensions(x), current);
    return put_serial(ctx, x, current);
}
