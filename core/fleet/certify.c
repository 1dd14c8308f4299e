/* SPDX-License-Identifier: Apache-2.0 */
/* certify - keys and certificates, by libcrypto. */
#include "config.h"

#include "fleet/authority-parts.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>

#include <time.h>

enum { SERIAL_BITS = 127, AN_HOUR = 3600 };

EVP_PKEY *
rh_certify_new_key(void)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    EVP_PKEY *key = NULL;

    if (!ctx || EVP_PKEY_keygen_init(ctx) <= 0
        || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(ctx, NID_X9_62_prime256v1) <= 0
        || EVP_PKEY_keygen(ctx, &key) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* At random, so that none is used twice also where the directory was restored from a backup. */
static int
set_serial(X509 *x)
{
    BIGNUM *n = BN_new();
    int ok = n && BN_rand(n, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) && !BN_is_zero(n)
             && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x));

    BN_free(n);
    return ok;
}

static int
add(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *e;
    int ok;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    ok = e && X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
    return ok;
}

static int
add_extensions(X509 *x, X509 *issuer, const char *name)
{
    char names[320];

    if (!issuer)
        return add(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
               && add(x, x, NID_key_usage, "critical,keyCertSign,cRLSign")
               && add(x, x, NID_subject_key_identifier, "hash");
    (void)snprintf(names, sizeof names, "DNS:%s", name);
    return add(x, issuer, NID_basic_constraints, "critical,CA:FALSE")
           && add(x, issuer, NID_key_usage, "critical,digitalSignature")
           && add(x, issuer, NID_ext_key_usage, "clientAuth") && add(x, issuer, NID_subject_alt_name, names)
           && add(x, issuer, NID_subject_key_identifier, "hash")
           && add(x, issuer, NID_authority_key_identifier, "keyid:always");
}

X509 *
rh_certify(const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key, int64_t lasts)
{
    X509 *x = X509_new();
    X509_NAME *subject = x ? X509_get_subject_name(x) : NULL;
    time_t now = time(NULL);

    /* From an hour ago: clocks differ. */
    if (subject && X509_set_version(x, 2) && set_serial(x)
        && X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, (const unsigned char *)name, -1,
                                      -1, 0)
        && X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer) : subject)
        && X509_time_adj_ex(X509_getm_notBefore(x), 0, -AN_HOUR, &now)
        && X509_time_adj_ex(X509_getm_notAfter(x), (int)(lasts / 86400), (long)(lasts % 86400), &now)
        && X509_set_pubkey(x, key) && add_extensions(x, issuer, name)
        && X509_sign(x, issuer_key, EVP_sha256()))
        return x;
    X509_free(x);
    return NULL;
}
